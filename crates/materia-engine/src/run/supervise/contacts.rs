//! `communication.json` at the beginning of a generation: whom the programs of the run can talk to.
//!
//! Owns when it is written before the first command starts: where something of the run can read it.
//! A plain command that never asks for it does not pay for it. Later ones are written by the
//! processes that write to the room.

use materia_model::message::Communication;
use materia_model::run::RunStart;

use crate::run::{RunDir, RunLog};
use crate::store::atomic;
use crate::store::journal::{JournalError, SharedJournal};

/// What the name of the value, and that of the file, have in common.
const NAME: &str = "communication";

/// A template that is longer is not looked through: it may have been cut.
const LONGEST: usize = 16 << 10;

/// Writes the document for a generation whose start was recorded, where it is used or is there from
/// an earlier one. That it cannot be written is no failure: the next message to the room writes it.
pub(super) fn write(
    place: &RunDir,
    start: &RunStart,
    made: bool,
    journal: &SharedJournal,
) -> Result<(), JournalError> {
    let path = place.communication();
    if !is_used(start) && (made || !path.exists()) {
        return Ok(());
    }
    // In a turn, so that it replaces none that is newer.
    let _turn = journal.hold()?;
    let log: RunLog = RunLog::read(&place.journal())?;
    let document = Communication::of(&log.fold().mail, None)
        .and_then(|document| serde_json::to_value(document).ok());
    if let Some(document) = document {
        let _lost = atomic::write_cache(&path, format!("{document:#}\n").as_bytes());
    }
    Ok(())
}

/// Whether a program of the run may read it: its template names it, or it is a recipe's, or it says
/// how it is written to.
fn is_used(start: &RunStart) -> bool {
    let named = |template: &String| template.len() > LONGEST || template.contains(NAME);
    start.recipe.is_some() || start.mailbox.is_some() || start.template.as_ref().is_some_and(named)
}
