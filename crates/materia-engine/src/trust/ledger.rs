//! The user's ledger: the closures they agreed to.
//!
//! Owns `trust.json` in the profile, 0600, replaced as a whole under a lock. A ledger that cannot
//! be read trusts nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::closure::{Closure, named};
use super::refusal::Error;
use crate::clock::Clock;
use crate::home::Home;
use crate::store::lock::{Holder, Lock, LockMode, LockWait};
use crate::store::{atomic, dir};

const FORMAT: u32 = 1;
/// The largest ledger that is read, in bytes.
const MAX_LEDGER_SIZE: u64 = 64 << 20;
/// How long to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// One closure that the user agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustGrant {
    /// The digest that trust is pinned to.
    pub digest: String,
    /// When they agreed.
    pub at: Timestamp,
    /// The files and their hashes, to report changes later.
    pub files: BTreeMap<String, String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Ledger {
    trusted: BTreeMap<String, TrustGrant>,
}

fn read(home: &Home) -> Result<Ledger, Error> {
    match atomic::read_json(&home.trust(), FORMAT, MAX_LEDGER_SIZE) {
        Err(atomic::DocumentReadError::Missing(_)) => Ok(Ledger::default()),
        read => Ok(read?),
    }
}

/// The grant for a file.
pub(super) fn find(home: &Home, name: &str) -> Result<Option<TrustGrant>, Error> {
    Ok(read(home)?.trusted.remove(name))
}

/// All grants, by file.
pub fn list(home: &Home) -> Result<BTreeMap<String, TrustGrant>, Error> {
    Ok(read(home)?.trusted)
}

/// Records that the user agreed to this closure.
pub fn grant(home: &Home, closure: &Closure, clock: &Clock) -> Result<(), Error> {
    let granted = TrustGrant {
        digest: closure.digest(),
        at: clock.now(),
        files: closure.files().clone(),
    };
    change(home, |ledger| {
        ledger.trusted.insert(closure.name(), granted);
        Ok(())
    })
}

/// Revokes the trust in a file, or in everything in a directory.
pub fn revoke(home: &Home, path: &Path) -> Result<Vec<String>, Error> {
    change(home, |ledger| {
        let below = format!("{}/", named(path));
        let is_meant = |name: &String| *name == named(path) || name.starts_with(&below);
        let revoked: Vec<String> = ledger
            .trusted
            .keys()
            .filter(|name| is_meant(name))
            .cloned()
            .collect();
        if revoked.is_empty() {
            return Err(Error::Unknown(path.to_owned()));
        }
        ledger.trusted.retain(|name, _| !is_meant(name));
        Ok(revoked)
    })
}

fn change<T>(home: &Home, edit: impl FnOnce(&mut Ledger) -> Result<T, Error>) -> Result<T, Error> {
    dir::create_private(home.profile())?;
    let lock = home.trust().with_extension("json.lock");
    let _held = Lock::acquire(
        &lock,
        LockMode::Exclusive,
        LockWait::For(LOCK_TIMEOUT),
        &Holder::current(),
    )?;
    let mut ledger = read(home)?;
    let done = edit(&mut ledger)?;
    atomic::write_json(&home.trust(), FORMAT, &ledger)?;
    Ok(done)
}
