//! `session`: the browsers that were let in by `ui`, remembered by the hash of their secret, and
//! the word of agents.
//!
//! Owns the file and its bounds: so many browsers, so long. The secrets themselves are nowhere but
//! in the browsers.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
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
/// The shortest word that nobody guesses.
const SHORTEST: usize = 32;

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
    let oldest = clock
        .now()
        .as_millis()
        .saturating_sub(DAYS * 24 * 60 * 60 * 1000);
    known.retain(|one| one.at.as_millis() >= oldest);
    known
}

/// Remembers one more browser, and writes it down.
pub fn add(file: &Path, mut known: Vec<Known>, secret: &str, clock: &Clock) -> Vec<Known> {
    known.push(Known {
        hash: hash(secret),
        at: clock.now(),
    });
    let many = known.len().saturating_sub(MOST);
    known.drain(..many);
    if let Some(parent) = file.parent()
        && dir::create_private(parent).is_ok()
    {
        // Without it, the browser is let in until the server ends.
        let _kept = atomic::write_json(
            file,
            FORMAT,
            &Sessions {
                sessions: known.clone(),
            },
        );
    }
    known
}

/// Whether this secret belongs to one of them.
pub fn has(known: &[Known], secret: &str) -> bool {
    let hash = hash(secret);
    known.iter().any(|one| one.hash == hash)
}

/// The word that agents say to be let in, made where there is none. It is theirs to keep, so it is
/// kept as it is, for nobody else to read: one that others could read is replaced.
pub fn token(file: &Path, clock: &Clock) -> io::Result<String> {
    if let Some(token) = kept(file) {
        return Ok(token);
    }
    let token = clock.secret();
    let parent = file.parent().unwrap_or(Path::new("."));
    dir::create_private(parent).map_err(io::Error::other)?;
    atomic::write(file, token.as_bytes()).map_err(io::Error::other)?;
    Ok(token)
}

fn kept(file: &Path) -> Option<String> {
    let file = File::open(file).ok()?;
    let private = file.metadata().ok()?.permissions().mode() & 0o077 == 0;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|token| private && token.len() >= SHORTEST)
}

fn hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_agents_is_made_once_and_never_shared() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("profile/mcp-token");
        let token = || token(&file, &Clock::system()).unwrap();
        let first = token();
        assert!(first.len() >= SHORTEST);
        assert_eq!(token(), first);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        atomic::write(&file, b"short").unwrap();
        let second = token();
        assert!(second.len() >= SHORTEST && second != first);
        assert_eq!(
            kept(Path::new("/proc/version")),
            None,
            "what others can read is nobody's secret"
        );
    }

    #[test]
    fn browsers_are_remembered_by_hash_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("profile/ui-sessions.json");
        let clock = Clock::fixed(Timestamp::from_millis(1_767_225_600_000));
        let known = add(&file, Vec::new(), "secret", &clock);
        assert!(has(&known, "secret") && !has(&known, "other"));
        assert_eq!(read(&file, &clock), known);
        assert!(!std::fs::read_to_string(&file).unwrap().contains("secret\""));
        let later = Clock::fixed(Timestamp::from_millis(
            1_767_225_600_000 + 31 * 24 * 3_600_000,
        ));
        assert_eq!(read(&file, &later), []);
    }
}
