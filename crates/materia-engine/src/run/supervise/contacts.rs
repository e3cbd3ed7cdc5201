//! `communication.json` at the beginning of a generation: the contacts of the run's programs.
//!
//! Owns when it is written before the first command starts: only if a program of the run may read
//! it, so that a plain command does not pay for it. Later versions are written by the processes
//! that write to the room.

use materia_model::message::Communication;
use materia_model::run::RunStart;

use crate::run::{RunDir, RunLog};
use crate::store::atomic;
use crate::store::journal::{JournalError, SharedJournal};

/// The common part of the value's name and the file's name.
const NAME: &str = "communication";

/// A longer template is not searched: it may have been truncated.
const LONGEST: usize = 16 << 10;

/// Writes the document for a generation whose start was recorded, if it is used or exists from an
/// earlier generation. A failed write is ignored: the next message to the room writes it.
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
    // Hold the write lock, so that a newer document is not replaced.
    let _turn = journal.hold()?;
    let log: RunLog = RunLog::read(&place.journal())?;
    let document = Communication::of(&log.fold().mail, None)
        .and_then(|document| serde_json::to_value(document).ok());
    if let Some(document) = document {
        let _lost = atomic::write_cache(&path, format!("{document:#}\n").as_bytes());
    }
    Ok(())
}

/// Whether a program of the run may read it: the template names it, or the run has a recipe or a
/// declared mailbox.
fn is_used(start: &RunStart) -> bool {
    let named = |template: &String| template.len() > LONGEST || template.contains(NAME);
    start.recipe.is_some() || start.mailbox.is_some() || start.template.as_ref().is_some_and(named)
}
