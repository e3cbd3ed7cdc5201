//! Trust: files of a repository run only after the user agreed to exactly these files (S1).
//!
//! Owns closures (a file and everything it would run, by hash), the user's ledger of trusted
//! closures, the question to the user, the refusal that lists the changes, and the seal on
//! documents that we wrote ourselves. Never runs anything.
//!
//! A module that uses files of a repository creates a [`Closure`], adds the exact bytes it is going
//! to use, and calls [`require`] before it runs any of them.

pub mod project;
mod closure;
mod consent;
mod refusal;
mod ledger;
mod seal;

pub use closure::{Closure, TrustedAct, hash_file};
pub use consent::{TrustAnswer, TrustObserver, confirm, require_confirmed};
pub use ledger::{TrustGrant, grant, list, revoke};
pub use project::ProjectTrust;
pub use refusal::{Error, TrustChange, TrustChangeKind, TrustRefusal};
pub use seal::{is_sealed, seal};

use crate::home::Home;

/// Refuses a closure unless the user trusts it unchanged; the refusal lists the changes. Without a
/// home nothing is trusted.
pub fn require(home: Option<&Home>, closure: &Closure) -> Result<(), Error> {
    let granted = match home {
        Some(home) => ledger::find(home, &closure.name())?,
        None => None,
    };
    let changes = match granted {
        Some(granted) if granted.digest == closure.digest() => return Ok(()),
        Some(granted) => Some(refusal::changes(&granted.files, closure.files())),
        None => None,
    };
    let root = closure.root().to_owned();
    Err(Error::Refused(Box::new(TrustRefusal { root, changes })))
}

#[cfg(test)]
mod tests;
