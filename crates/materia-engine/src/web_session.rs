//! Access to the server of `ui`: the code for the next browser, the authenticated browsers, and the
//! token of agents.
//!
//! Owns these secrets and their files. A code works once. The server stores the hash of a browser's
//! secret, so that the browser stays signed in after a restart. The secret itself is only in the
//! browser. Knows nothing of HTTP.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::home::Home;
use crate::store::{atomic, dir};

const FORMAT: u32 = 1;
/// Maximum number of browsers remembered.
const MAX_BROWSERS: usize = 32;
/// How long a browser is remembered.
const MAX_AGE_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Maximum size of a file read here, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// Minimum length of a token that cannot be guessed.
const MIN_TOKEN_LEN: usize = 32;

/// The access control of one server.
#[derive(Debug)]
pub struct WebAccess {
    sessions_file: PathBuf,
    token_file: PathBuf,
    token: String,
    clock: Clock,
    secrets: Mutex<Secrets>,
}

/// The secrets that change when a browser signs in.
#[derive(Debug)]
struct Secrets {
    code: String,
    browsers: Vec<BrowserSession>,
}

/// An authenticated browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BrowserSession {
    hash: String,
    at: Timestamp,
}

/// The file of the browsers.
#[derive(Serialize, Deserialize)]
struct SessionsFile {
    sessions: Vec<BrowserSession>,
}

impl WebAccess {
    /// Access with a new code, with the browsers of an earlier server, and with the token of
    /// agents, which is created if there is none.
    pub fn open(home: &Home, clock: &Clock) -> io::Result<Self> {
        let sessions_file = home.profile().join("ui-sessions.json");
        let token_file = home.mcp_token();
        Ok(Self {
            token: token(&token_file, clock)?,
            secrets: Mutex::new(Secrets {
                code: clock.secret(),
                browsers: read_browsers(&sessions_file, clock),
            }),
            sessions_file,
            token_file,
            clock: clock.clone(),
        })
    }

    /// The code for the next browser.
    pub fn code(&self) -> String {
        self.secrets().code.clone()
    }

    /// The file with the token of agents.
    pub fn token_file(&self) -> &Path {
        &self.token_file
    }

    /// Exchanges a code for the secret of one browser. A code works once.
    pub fn redeem(&self, code: &str) -> Option<String> {
        let mut secrets = self.secrets();
        if !is_same(code, &secrets.code) {
            return None;
        }
        secrets.code = self.clock.secret();
        let secret = self.clock.secret();
        secrets.browsers.push(BrowserSession {
            hash: hash(&secret),
            at: self.clock.now(),
        });
        let excess = secrets.browsers.len().saturating_sub(MAX_BROWSERS);
        secrets.browsers.drain(..excess);
        // If the write fails, the browser is signed in until the server ends.
        let _unwritten = self.write_browsers(&secrets.browsers);
        Some(secret)
    }

    /// Whether this secret belongs to an authenticated browser.
    pub fn knows_browser(&self, secret: &str) -> bool {
        let hash = hash(secret);
        self.secrets().browsers.iter().any(|one| one.hash == hash)
    }

    /// Whether this is the token of agents.
    pub fn knows_agent(&self, token: &str) -> bool {
        is_same(token, &self.token)
    }

    fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_browsers(&self, browsers: &[BrowserSession]) -> io::Result<()> {
        let parent = self.sessions_file.parent().unwrap_or(Path::new("."));
        dir::create_private(parent).map_err(io::Error::other)?;
        let sessions = browsers.to_vec();
        atomic::write_json(&self.sessions_file, FORMAT, &SessionsFile { sessions })
            .map_err(io::Error::other)
    }
}

/// The browsers of an earlier server; none if the file is missing or cannot be read.
fn read_browsers(file: &Path, clock: &Clock) -> Vec<BrowserSession> {
    let mut browsers = match atomic::read_json::<SessionsFile>(file, FORMAT, MAX_FILE_BYTES) {
        Ok(read) => read.sessions,
        Err(_) => Vec::new(),
    };
    let oldest = clock.now().as_millis().saturating_sub(MAX_AGE_MILLIS);
    browsers.retain(|one| one.at.as_millis() >= oldest);
    browsers
}

/// The token of agents. Agents read it from the file, so it is stored unhashed, readable only by
/// the user. A token that others could read is replaced.
fn token(file: &Path, clock: &Clock) -> io::Result<String> {
    if let Some(token) = read_token(file) {
        return Ok(token);
    }
    let token = clock.secret();
    let parent = file.parent().unwrap_or(Path::new("."));
    dir::create_private(parent).map_err(io::Error::other)?;
    atomic::write(file, token.as_bytes()).map_err(io::Error::other)?;
    Ok(token)
}

fn read_token(file: &Path) -> Option<String> {
    let file = File::open(file).ok()?;
    let private = file.metadata().ok()?.permissions().mode() & 0o077 == 0;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|token| private && token.len() >= MIN_TOKEN_LEN)
}

fn hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Compares two secrets in constant time.
fn is_same(given: &str, secret: &str) -> bool {
    given.len() == secret.len()
        && given
            .bytes()
            .zip(secret.bytes())
            .fold(0, |different, (a, b)| different | (a ^ b))
            == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::HomeVariables;

    fn home(dir: &Path) -> Home {
        Home::locate(&HomeVariables {
            home: Some(dir.to_owned()),
            ..HomeVariables::default()
        })
        .unwrap()
    }

    #[test]
    fn the_token_of_agents_is_made_once_and_never_shared() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("profile/mcp-token");
        let token = || token(&file, &Clock::system()).unwrap();
        let first = token();
        assert!(first.len() >= MIN_TOKEN_LEN);
        assert_eq!(token(), first);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        atomic::write(&file, b"short").unwrap();
        let second = token();
        assert!(second.len() >= MIN_TOKEN_LEN && second != first);
        assert_eq!(
            read_token(Path::new("/proc/version")),
            None,
            "a token that others can read is no secret"
        );
    }

    #[test]
    fn a_code_lets_one_browser_in_which_is_remembered_by_hash_and_not_for_ever() {
        const START: i64 = 1_767_225_600_000;
        let dir = tempfile::tempdir().unwrap();
        let home = home(dir.path());
        let clock = Clock::fixed(Timestamp::from_millis(START));
        let access = WebAccess::open(&home, &clock).unwrap();
        let code = access.code();
        assert_eq!(access.redeem("guess"), None);
        let secret = access.redeem(&code).unwrap();
        assert_eq!(access.redeem(&code), None, "a code works once");
        assert!(access.knows_browser(&secret) && !access.knows_browser(&code));
        let kept = std::fs::read_to_string(&access.sessions_file).unwrap();
        assert!(!kept.contains(&secret));
        let later = |millis| Clock::fixed(Timestamp::from_millis(START + millis));
        let reopened = |clock: &Clock| WebAccess::open(&home, clock).unwrap();
        assert!(reopened(&later(MAX_AGE_MILLIS)).knows_browser(&secret));
        assert!(!reopened(&later(MAX_AGE_MILLIS + 1)).knows_browser(&secret));
        let token = std::fs::read_to_string(access.token_file()).unwrap();
        assert!(access.knows_agent(&token) && !access.knows_agent(&secret));
    }
}
