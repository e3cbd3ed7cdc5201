//! Trust: what a repository brings runs only after the user agreed to exactly that (S1).
//!
//! Owns closures (a file and everything it would run, by hash), the user's ledger of trusted
//! closures, the question to the user, the refusal that says what changed, and the seal on
//! documents that we wrote ourselves. Never runs anything.
//!
//! A module that takes files from a repository makes a [`Closure`], adds the very bytes it is going
//! to use, and calls [`require`] before it runs any of it.

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

/// Refuses a closure unless the user trusts it as it is; the refusal says what changed. Without a
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
