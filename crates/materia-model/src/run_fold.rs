//! A run's journal, folded in one pass: its status, its messages and the turns of its agent.
//!
//! Owns nothing of the three folds; it applies each record to all of them, so that a reader passes
//! over a journal once. `fold(a ++ b) == fold_from(fold(a), b)` holds because it holds for each.

use crate::actor;
use crate::message::MailState;
use crate::record::Record;
use crate::run;

/// Everything that the records of a run's journal add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFold {
    /// The run's status.
    pub run: run::RunState,
    /// Its messages.
    pub mail: MailState,
    /// The turns of the agent that it is; empty for any other run.
    pub actor: actor::ActorState,
}

impl RunFold {
    /// Adds one record to all of them.
    pub fn apply(&mut self, record: &Record) {
        self.run.apply(record);
        self.mail.apply(record);
        self.actor.apply(record);
    }
}
