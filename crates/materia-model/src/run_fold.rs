//! Folds a run's journal in one pass: its status, its messages and the turns of its agent.
//!
//! Owns none of the three folds; it applies each record to all of them, so that a reader makes one
//! pass over a journal. `fold(a ++ b) == fold_from(fold(a), b)` holds because it holds for each.

use crate::actor;
use crate::message::MailState;
use crate::record::Record;
use crate::run;

/// The states that a run's journal folds into.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFold {
    /// The run's status.
    pub run: run::RunState,
    /// Its messages.
    pub mail: MailState,
    /// The turns of its agent; empty if the run is not an agent.
    pub actor: actor::ActorState,
}

impl RunFold {
    /// Applies one record to all of them.
    pub fn apply(&mut self, record: &Record) {
        self.run.apply(record);
        self.mail.apply(record);
        self.actor.apply(record);
    }
}
