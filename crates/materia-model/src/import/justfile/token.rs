//! The tokens of a justfile's own lines: headers, assignments, settings.
//!
//! Owns tokenizing, and expressions of literals and names. Anything else is kept as `Odd` and
//! reported.

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JustToken {
    Name(String),
    Text(String),
    /// A command in backticks, or an unknown character.
    Odd(String),
    Sign(&'static str),
}

const SIGNS: [&str; 14] = [
    ":=", "&&", "==", "!=", ":", "=", "+", "*", "(", ")", "@", "$", "/", ",",
];

/// The tokens of a line, up to a comment.
pub(super) fn tokens(line: &str) -> Vec<JustToken> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return out;
        };
        if first == '#' {
            return out;
        }
        let (token, used) = if first == '\'' || first == '"' {
            text(rest, first)
        } else if first == '`' {
            let end = rest[1..].find('`').map_or(rest.len(), |end| end + 2);
            (JustToken::Odd(rest[..end].to_owned()), end)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(rest.len());
            (JustToken::Name(rest[..end].to_owned()), end)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (JustToken::Sign(sign), sign.len())
        } else {
            (JustToken::Odd(first.to_string()), first.len_utf8())
        };
        out.push(token);
        rest = &rest[used..];
    }
}

fn text(rest: &str, quote: char) -> (JustToken, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let mark = if rest.starts_with(&triple) {
        triple
    } else {
        quote.to_string()
    };
    let body = &rest[mark.len()..];
    let mut value = String::new();
    let mut at = 0;
    while at < body.len() {
        if body[at..].starts_with(&mark) {
            return (JustToken::Text(value), mark.len() * 2 + at);
        }
        let c = body[at..].chars().next().unwrap_or(' ');
        at += c.len_utf8();
        if c == '\\' && quote == '"' {
            let next = body[at..].chars().next().unwrap_or('\\');
            at += next.len_utf8();
            value.push(match next {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            });
        } else {
            value.push(c);
        }
    }
    (JustToken::Odd(rest.to_owned()), rest.len())
}

/// A value: concatenated pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JustValue {
    pub(super) pieces: Vec<JustValuePiece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JustValuePiece {
    Text(String),
    Name(String),
    /// Something that only `just` can evaluate.
    Odd(String),
}

/// Parses an expression of literals, names, `+` and `/`. Also returns the number of tokens used.
pub(super) fn value(tokens: &[JustToken]) -> (JustValue, usize) {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(JustToken::Text(text)) => pieces.push(JustValuePiece::Text(text.clone())),
            Some(JustToken::Name(name)) if tokens.get(at + 1) == Some(&JustToken::Sign("(")) => {
                let close = tokens[at..]
                    .iter()
                    .position(|token| *token == JustToken::Sign(")"))
                    .unwrap_or(tokens.len() - at - 1);
                let fallback = match (&tokens[at + 1..at + close], name.as_str()) {
                    (
                        [_, _, JustToken::Sign(","), JustToken::Text(text), ..],
                        "env" | "env_var_or_default",
                    ) => Some(text.clone()),
                    _ => None,
                };
                pieces.push(fallback.map_or_else(
                    || JustValuePiece::Odd(format!("{name}(…)")),
                    JustValuePiece::Text,
                ));
                at += close;
            }
            Some(JustToken::Name(name)) if name == "if" => {
                pieces.push(JustValuePiece::Odd("if …".to_owned()));
                return (JustValue { pieces }, tokens.len());
            }
            Some(JustToken::Name(name)) => pieces.push(JustValuePiece::Name(name.clone())),
            Some(JustToken::Odd(odd)) => pieces.push(JustValuePiece::Odd(odd.clone())),
            Some(JustToken::Sign(sign)) => {
                pieces.push(JustValuePiece::Odd((*sign).to_owned()));
                return (JustValue { pieces }, at + 1);
            }
            None => return (JustValue { pieces }, at),
        }
        at += 1;
        match tokens.get(at) {
            Some(JustToken::Sign("+")) => at += 1,
            Some(JustToken::Sign("/")) => {
                pieces.push(JustValuePiece::Text("/".to_owned()));
                at += 1;
            }
            _ => return (JustValue { pieces }, at),
        }
    }
}
