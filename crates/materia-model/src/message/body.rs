//! A body as the user typed it: JSON if it parses as JSON, else text.
//!
//! Owns that distinction. Rejects input that would change when stored: a number that does not fit,
//! or JSON that nests deeper than the parser reads.

use serde_json::Value;

use super::envelope::{EnvelopeError, LONGEST_BODY};

/// Reads a body. Checks the size before parsing.
pub fn read_body(given: String) -> Result<Value, EnvelopeError> {
    if given.len() > 2 * LONGEST_BODY {
        return Ok(Value::String(given));
    }
    match serde_json::from_str(&given) {
        Ok(body) => check_numbers("body", &given).map(|()| body),
        Err(_) if is_too_deep(&given) => Err(EnvelopeError::TooDeep("body")),
        Err(_) => Ok(Value::String(given)),
    }
}

/// Rejects JSON with a whole number that would be rounded.
pub fn check_numbers(field: &'static str, json: &str) -> Result<(), EnvelopeError> {
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        let end = if rest.starts_with('"') {
            end_of_text(rest)
        } else {
            end_of_number(rest)
        };
        let word = &rest[..end];
        if is_rounded(word) {
            return Err(EnvelopeError::Number {
                field,
                given: word.to_owned(),
            });
        }
        rest = &rest[end..];
    }
    Ok(())
}

fn is_rounded(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && word.parse::<i64>().is_err() && word.parse::<u64>().is_err()
}

fn end_of_number(from: &str) -> usize {
    from.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E')))
        .unwrap_or(from.len())
}

/// The end of the string that begins here, including its quote.
fn end_of_text(from: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in from.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    from.len()
}

/// Whether unparsable input is JSON that nests too deep: one list or object with as many closing as
/// opening brackets.
fn is_too_deep(given: &str) -> bool {
    /// The depth that the JSON parser reads.
    const READ: usize = 127;
    let (mut rest, mut depth, mut deepest) = (given.trim(), 0_usize, 0);
    while let Some(start) = rest.find(['"', '[', '{', ']', '}']) {
        rest = &rest[start..];
        let end = if rest.starts_with('"') {
            end_of_text(rest)
        } else {
            1
        };
        match rest.as_bytes().first() {
            Some(b'[' | b'{') => depth += 1,
            Some(b']' | b'}') => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return false,
            },
            _ => {}
        }
        deepest = deepest.max(depth);
        rest = &rest[end..];
        if depth == 0 && !rest.is_empty() {
            return false;
        }
    }
    given.trim_start().starts_with(['[', '{']) && depth == 0 && deepest > READ
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: &str) -> Result<Value, EnvelopeError> {
        read_body(given.to_owned())
    }

    #[test]
    fn json_is_json_and_everything_else_is_text() {
        assert_eq!(
            read(r#"{"n": [1, -2, 3.5e2, true], "t": "\"9"}"#).unwrap()["n"],
            json!([1, -2, 350.0, true])
        );
        for text in ["", "40 files", "[1, 2", "{]", "-", "1 2", "[] []"] {
            assert_eq!(read(text).unwrap(), text);
        }
        assert_eq!(read("18446744073709551615").unwrap(), u64::MAX);
        assert_eq!(read("-9223372036854775808").unwrap(), i64::MIN);
    }

    #[test]
    fn a_whole_number_that_would_be_rounded_is_refused() {
        for (json, number) in [
            ("123456789012345678901", "123456789012345678901"),
            (
                r#"{"a\"1": ["x", -9223372036854775809]}"#,
                "-9223372036854775809",
            ),
            ("[18446744073709551616,1]", "18446744073709551616"),
        ] {
            let refused = EnvelopeError::Number {
                field: "body",
                given: number.to_owned(),
            };
            assert_eq!(read(json), Err(refused), "{json}");
        }
        assert_eq!(
            read(r#"{"id": "123456789012345678901"}"#).unwrap()["id"],
            "123456789012345678901"
        );
        assert!(
            read("1e300").unwrap().is_f64() && read("0.12345678901234567890123").unwrap().is_f64()
        );
    }

    #[test]
    fn json_that_nests_too_deep_is_no_text() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&nested(120)).unwrap().is_array());
        for levels in [128, 201, 5000] {
            assert_eq!(
                read(&nested(levels)),
                Err(EnvelopeError::TooDeep("body")),
                "{levels}"
            );
        }
        for text in [
            "[".repeat(200),
            format!("{} and more", nested(200)),
            format!("see {}", nested(200)),
        ] {
            assert_eq!(read(&text).unwrap(), text);
        }
    }
}
