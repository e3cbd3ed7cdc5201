//! The shapes of common keys: their prefixes, and the rules for the rest.
//!
//! Owns the table. A shape requires enough characters, and mostly a digit among them, so that
//! ordinary words with the same prefix do not match. Never reads known values.

/// The maximum length of a token; longer runs of such characters are data.
const LONGEST_TOKEN: usize = 8192;
/// The maximum length of a private key block.
const LONGEST_BLOCK: usize = 16 << 10;

/// The shape of one kind of key.
pub(super) struct SecretShape {
    /// Its prefix.
    pub(super) prefix: &'static str,
    /// How much of the prefix to keep.
    keep: usize,
    rest: Rest,
}

/// The rule for the rest.
enum Rest {
    /// At least so many of these characters, with a digit among them if required.
    Token {
        least: usize,
        also: &'static [u8],
        digit: bool,
    },
    /// Exactly so many capital letters and digits.
    Capitals(usize),
    /// Three parts separated by dots; the second begins like the first.
    Web,
    /// Everything up to the end of the block.
    Block,
}

/// The result of matching a shape at a position.
pub(super) enum ShapeMatch {
    Secret {
        start: usize,
        end: usize,
    },
    /// Undecided until more text arrives.
    Open,
    /// No secret of this shape.
    Nothing,
}

const fn token(prefix: &'static str, least: usize, also: &'static [u8]) -> SecretShape {
    SecretShape {
        prefix,
        keep: 0,
        rest: Rest::Token {
            least,
            also,
            digit: true,
        },
    }
}

/// A word that precedes a token; the word is kept.
const fn scheme(prefix: &'static str) -> SecretShape {
    SecretShape {
        prefix,
        keep: prefix.len(),
        rest: Rest::Token {
            least: 16,
            also: b"._~+/=-",
            digit: true,
        },
    }
}

const fn capitals(prefix: &'static str) -> SecretShape {
    SecretShape {
        prefix,
        keep: 0,
        rest: Rest::Capitals(16),
    }
}

pub(super) const SHAPES: &[SecretShape] = &[
    token("sk-", 20, b"_-"),
    token("sk_live_", 16, b"_"),
    token("sk_test_", 16, b"_"),
    token("rk_live_", 16, b"_"),
    token("ghp_", 30, b""),
    token("gho_", 30, b""),
    token("ghu_", 30, b""),
    token("ghs_", 30, b""),
    token("ghr_", 30, b""),
    token("github_pat_", 22, b"_"),
    token("glpat-", 20, b"_-"),
    token("xoxb-", 10, b"-"),
    token("xoxp-", 10, b"-"),
    token("xoxa-", 10, b"-"),
    token("xoxr-", 10, b"-"),
    token("xoxs-", 10, b"-"),
    token("xapp-", 10, b"-"),
    token("AIza", 35, b"_-"),
    token("ya29.", 20, b"_-"),
    token("npm_", 36, b""),
    token("pypi-", 50, b"_-"),
    token("hf_", 30, b""),
    token("SG.", 60, b"._-"),
    token("AGE-SECRET-KEY-1", 50, b""),
    capitals("AKIA"),
    capitals("ASIA"),
    SecretShape {
        prefix: "eyJ",
        keep: 0,
        rest: Rest::Web,
    },
    scheme("Bearer "),
    scheme("bearer "),
    scheme("BEARER "),
    scheme("Authorization: Basic "),
    scheme("authorization: basic "),
    SecretShape {
        prefix: "-----BEGIN ",
        keep: 0,
        rest: Rest::Block,
    },
];

impl SecretShape {
    /// Matches the shape at `start`, where the text has its prefix. `before` are the two bytes
    /// before it.
    pub(super) fn verdict(
        &self,
        text: &[u8],
        start: usize,
        before: [u8; 2],
        whole: bool,
    ) -> ShapeMatch {
        if !matches!(self.rest, Rest::Block) && continues_a_word(before) {
            return ShapeMatch::Nothing;
        }
        let from = start + self.prefix.len();
        let run = |also: &[u8]| {
            let rest = text[from..].iter().take(LONGEST_TOKEN + 1);
            rest.take_while(|byte| byte.is_ascii_alphanumeric() || also.contains(byte))
                .count()
        };
        let judged = |length: usize, is_key: &dyn Fn(&[u8]) -> bool| {
            if length > LONGEST_TOKEN {
                ShapeMatch::Nothing
            } else if from + length == text.len() && !whole {
                ShapeMatch::Open
            } else if is_key(&text[from..from + length]) {
                ShapeMatch::Secret {
                    start: start + self.keep,
                    end: from + length,
                }
            } else {
                ShapeMatch::Nothing
            }
        };
        match &self.rest {
            Rest::Token { least, also, digit } => judged(run(also), &|token| {
                token.len() >= *least && (!digit || token.iter().any(u8::is_ascii_digit))
            }),
            Rest::Capitals(count) => judged(run(b""), &|token| {
                token.len() == *count
                    && token
                        .iter()
                        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            }),
            Rest::Web => judged(run(b"._-"), &is_web_token),
            Rest::Block => block(text, start, from, whole),
        }
    }
}

/// Whether a key cannot begin here because it is inside a word. An escaped line break of a JSON
/// text ends in a letter.
fn continues_a_word([first, second]: [u8; 2]) -> bool {
    let escape = first == b'\\' && matches!(second, b'n' | b'r' | b't' | b'b' | b'f');
    (second.is_ascii_alphanumeric() || second == b'_') && !escape
}

fn is_web_token(rest: &[u8]) -> bool {
    let mut parts = rest.split(|byte| *byte == b'.');
    let first = parts.next().is_some_and(|part| part.len() >= 7);
    first
        && parts.next().is_some_and(|part| part.starts_with(b"eyJ"))
        && parts.next().is_some_and(|part| part.len() >= 8)
}

/// A private key between its two marker lines. Without the end marker it extends to the end of the
/// text, within limits.
fn block(text: &[u8], start: usize, from: usize, whole: bool) -> ShapeMatch {
    const TITLE: &[u8] = b"PRIVATE KEY";
    let bounded = &text[..text.len().min(start + LONGEST_BLOCK)];
    let is_cut = bounded.len() < text.len() || whole;
    let Some(title) = find(&bounded[from..text.len().min(from + 64)], b"-----") else {
        return if is_cut || text.len() >= from + 64 {
            ShapeMatch::Nothing
        } else {
            ShapeMatch::Open
        };
    };
    let words = &bounded[from..from + title];
    if find(words, TITLE).is_none() {
        return ShapeMatch::Nothing;
    }
    let inside = from + title + 5;
    let end = find(&bounded[inside..], b"-----END ").map(|at| inside + at + 9);
    let closed = end.and_then(|end| find(&bounded[end..], b"-----").map(|at| end + at + 5));
    match closed {
        Some(end) => ShapeMatch::Secret { start, end },
        None if is_cut => ShapeMatch::Secret {
            start,
            end: bounded.len(),
        },
        None => ShapeMatch::Open,
    }
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}
