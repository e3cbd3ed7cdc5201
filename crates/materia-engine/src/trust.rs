//! Trust: what a repository brings runs only after the person agreed to exactly that (S1).
//!
//! Owns closures (a file and everything it would run, by hash), the person's ledger of trusted
//! ones, the refusal that says what changed, and the seal by which we know documents again that we
//! wrote ourselves. Who may grant trust is the doors' question, with [`crate::process::inside`]
//! (S2). Never runs anything and never asks anybody.
//!
//! A room that takes files from a repository makes a [`Closure`], adds the very bytes it is going
//! to use, and calls [`require`] before it runs any of it.

pub mod project;
mod closure;
mod refusal;
mod ledger;
mod seal;

pub use closure::{Act, Closure, hash_file};
pub use ledger::{Granted, grant, list, revoke};
pub use refusal::{Change, Error, How, Refusal};
pub use seal::{is_sealed, seal};

use crate::home::Home;

/// Says that the person trusts exactly this, or refuses with what changed since they did. Without a
/// home nobody does.
pub fn require(home: Option<&Home>, closure: &Closure) -> Result<(), Error> {
    let granted = match home {
        Some(home) => ledger::find(home, &closure.name())?,
        None => None,
    };
    let refusal = match granted {
        Some(granted) if granted.digest == closure.digest() => return Ok(()),
        Some(granted) => Refusal {
            root: closure.root().to_owned(),
            changes: Some(refusal::changes(&granted.files, closure.files())),
        },
        None => Refusal {
            root: closure.root().to_owned(),
            changes: None,
        },
    };
    Err(Error::Refused(Box::new(refusal)))
}

#[cfg(test)]
mod tests;
