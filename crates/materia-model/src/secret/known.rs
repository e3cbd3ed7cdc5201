//! Values that are secret because of their variable's name.
//!
//! Owns which names are secret, which values are worth scanning for, and the encodings of a value
//! in a text.

/// The minimum length of a value whose variable the user named.
const SHORTEST_NAMED: usize = 4;
/// The minimum length of a value that is secret only by its variable's name.
const SHORTEST: usize = 8;
/// From this length on, a value needs no digit or capital to count as a secret.
const LONG: usize = 20;

/// Whether the name of a variable indicates a secret value.
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

/// Whether the value of a named variable is long enough not to match ordinary text.
pub(super) fn is_long_enough(value: &str) -> bool {
    value.len() >= SHORTEST_NAMED
}

/// Whether a value looks like a key rather than a word, a number, or the path of a key file.
pub(super) fn looks_random(value: &str) -> bool {
    let any = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let digit = any(char::is_ascii_digit);
    let mixed = any(char::is_ascii_lowercase) && any(char::is_ascii_uppercase);
    let letter = any(char::is_ascii_alphabetic);
    let is_path = value.starts_with(['/', '~', '.']);
    value.len() >= SHORTEST && letter && !is_path && (digit || mixed || value.len() >= LONG)
}

/// A value as it is, JSON-escaped, percent-encoded, and in base64.
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

/// Omits the padding, and the last character if it depends on the following bytes.
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
