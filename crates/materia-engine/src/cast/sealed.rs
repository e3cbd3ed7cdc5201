//! Whether this user began the cast that is resumed (S1).
//!
//! Owns where the seal of a definition is: in the first event of the cast. A directory that a
//! repository brings can look like a cast in every other respect, and its definition would run.

use super::error::Error;
use super::folder::Folder;
use crate::home::Home;
use crate::store::journal::{From, Reader};
use crate::trust;

/// The field of the first event that holds the seal of the definition.
pub(super) const FIELD: &str = "configSeal";

/// Refuses a cast whose definition does not carry this user's seal.
pub fn require_seal(folder: &Folder, home: Option<&Home>) -> Result<(), Error> {
    let records = Reader::open(&folder.events(), From::Beginning)?.map_while(Result::ok);
    // The journal writes a line of its own before the first event.
    let begun = records
        .take(2)
        .find(|record| record.kind == "cast_start")
        .ok_or(Error::NoBeginning)?;
    let seal = begun.data.get(FIELD).and_then(serde_json::Value::as_str);
    let text = folder.read_definition()?;
    match (home, seal) {
        (Some(home), Some(seal)) if trust::is_sealed(home, &text, seal) => Ok(()),
        _ => Err(Error::Unsealed(folder.path().to_owned())),
    }
}
