//! The words of a justfile's own lines: headers, assignments, settings.
//!
//! Owns their splitting, and expressions made of literals and names. What is more than that is kept
//! as odd and told.

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    /// A command in backticks, or a character that nothing else is.
    Odd(String),
    Sign(&'static str),
}

const SIGNS: [&str; 14] = [
    ":=", "&&", "==", "!=", ":", "=", "+", "*", "(", ")", "@", "$", "/", ",",
];

/// The words of a line, up to a comment.
pub(super) fn tokens(line: &str) -> Vec<Token> {
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
            (Token::Odd(rest[..end].to_owned()), end)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(rest.len());
            (Token::Name(rest[..end].to_owned()), end)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            (Token::Odd(first.to_string()), first.len_utf8())
        };
        out.push(token);
        rest = &rest[used..];
    }
}

fn text(rest: &str, quote: char) -> (Token, usize) {
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
            return (Token::Text(value), mark.len() * 2 + at);
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
    (Token::Odd(rest.to_owned()), rest.len())
}

/// A value: pieces one behind the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Value {
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Name(String),
    /// Something that only `just` can work out.
    Odd(String),
}

/// Reads an expression of literals, names, `+` and `/`; how many words it took.
pub(super) fn value(tokens: &[Token]) -> (Value, usize) {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        match tokens.get(at) {
            Some(Token::Text(text)) => pieces.push(Piece::Text(text.clone())),
            Some(Token::Name(name)) if tokens.get(at + 1) == Some(&Token::Sign("(")) => {
                let close = tokens[at..]
                    .iter()
                    .position(|token| *token == Token::Sign(")"))
                    .unwrap_or(tokens.len() - at - 1);
                let fallback = match (&tokens[at + 1..at + close], name.as_str()) {
                    (
                        [_, _, Token::Sign(","), Token::Text(text), ..],
                        "env" | "env_var_or_default",
                    ) => Some(text.clone()),
                    _ => None,
                };
                pieces.push(fallback.map_or_else(|| Piece::Odd(format!("{name}(…)")), Piece::Text));
                at += close;
            }
            Some(Token::Name(name)) if name == "if" => {
                pieces.push(Piece::Odd("if …".to_owned()));
                return (Value { pieces }, tokens.len());
            }
            Some(Token::Name(name)) => pieces.push(Piece::Name(name.clone())),
            Some(Token::Odd(odd)) => pieces.push(Piece::Odd(odd.clone())),
            Some(Token::Sign(sign)) => {
                pieces.push(Piece::Odd((*sign).to_owned()));
                return (Value { pieces }, at + 1);
            }
            None => return (Value { pieces }, at),
        }
        at += 1;
        match tokens.get(at) {
            Some(Token::Sign("+")) => at += 1,
            Some(Token::Sign("/")) => {
                pieces.push(Piece::Text("/".to_owned()));
                at += 1;
            }
            _ => return (Value { pieces }, at),
        }
    }
}
