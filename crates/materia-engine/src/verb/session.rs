//! `session`: the browsers that were let in by `ui`, remembered by the hash of their secret.
//!
//! Owns the file and its bounds: so many browsers, so long. The secrets themselves are nowhere but in the browsers.

use std::path::Path;

use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::store::{atomic, dir};

const FORMAT: u32 = 1;
/// How many browsers are remembered.
const MOST: usize = 32;
/// How long a browser is remembered.
const DAYS: i64 = 30;
const LARGEST: u64 = 64 << 10;

/// A browser that was let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    hash: String,
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct Sessions {
    sessions: Vec<Known>,
}

/// Those that are remembered; none where the file is missing or cannot be read.
pub fn read(file: &Path, clock: &Clock) -> Vec<Known> {
    let mut known = match atomic::read_json::<Sessions>(file, FORMAT, LARGEST) {
        Ok(read) => read.sessions,
        Err(_) => Vec::new(),
    };
    let oldest = clock.now().as_millis().saturating_sub(DAYS * 24 * 60 * 60 * 1000);
    known.retain(|one| one.at.as_millis() >= oldest);
    known
}

/// Remembers one more browser, and writes it down.
pub fn add(file: &Path, mut known: Vec<Known>, secret: &str, clock: &Clock) -> Vec<Known> {
    known.push(Known { hash: hash(secret), at: clock.now() });
    let many = known.len().saturating_sub(MOST);
    known.drain(..many);
    if let Some(parent) = file.parent()
        && dir::create_private(parent).is_ok()
    {
        // Without it, the browser is let in until the server ends.
        let _kept = atomic::write_json(file, FORMAT, &Sessions { sessions: known.clone() });
    }
    known
}

/// Whether this secret belongs to one of them.
pub fn has(known: &[Known], secret: &str) -> bool {
    let hash = hash(secret);
    known.iter().any(|one| one.hash == hash)
}

fn hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_remembered_by_hash_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("profile/ui-sessions.json");
        let clock = Clock::fixed(Timestamp::from_millis(1_767_225_600_000));
        let known = add(&file, Vec::new(), "secret", &clock);
        assert!(has(&known, "secret") && !has(&known, "other"));
        assert_eq!(read(&file, &clock), known);
        assert!(!std::fs::read_to_string(&file).unwrap().contains("secret\""));
        let later = Clock::fixed(Timestamp::from_millis(1_767_225_600_000 + 31 * 24 * 3_600_000));
        assert_eq!(read(&file, &later), []);
    }
}
