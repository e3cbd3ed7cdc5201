//! Values that are secret because of the variable they stand in.
//!
//! Owns which names say so, which values are worth looking for, and the spellings a value can have
//! in a text.

/// The shortest value that is looked for where somebody named its variable.
const SHORTEST_NAMED: usize = 4;
/// The shortest value that is looked for because of its variable's name alone.
const SHORTEST: usize = 8;
/// From here on a value needs no digit or capital to be taken for a secret.
const LONG: usize = 20;

/// Whether the name of a variable says that its value is secret.
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 10] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "KEY",
        "PAT",
    ];
    let upper = name.to_ascii_uppercase();
    upper
        .split(['_', '-', '.'])
        .any(|part| WORDS.contains(&part))
}

/// Whether a value of a variable that somebody named can be told from ordinary text.
pub(super) fn is_long_enough(value: &str) -> bool {
    value.len() >= SHORTEST_NAMED
}

/// Whether a value looks like a key rather than like a word, a number, or the path of a file with
/// one.
pub(super) fn looks_random(value: &str) -> bool {
    let any = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let digit = any(char::is_ascii_digit);
    let mixed = any(char::is_ascii_lowercase) && any(char::is_ascii_uppercase);
    let letter = any(char::is_ascii_alphabetic);
    let is_path = value.starts_with(['/', '~', '.']);
    value.len() >= SHORTEST && letter && !is_path && (digit || mixed || value.len() >= LONG)
}

/// A value as it is, as JSON spells it, percent-encoded, and in base64.
pub(super) fn spellings(value: &str) -> Vec<String> {
    let json = serde_json::Value::from(value).to_string();
    let mut all = vec![
        value.to_owned(),
        json[1..json.len() - 1].to_owned(),
        percent(value),
        base64(value.as_bytes()),
    ];
    all.dedup();
    all
}

fn percent(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let spell = |byte: u8| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    value.bytes().map(spell).collect()
}

/// Without the padding, and without the last character where it depends on what follows.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..chunk.len() * 8 / 6 {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}
