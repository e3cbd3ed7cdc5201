//! What the turns of an actor add up to.
//!
//! Owns the fold: records in, state out, one at a time. Bounded: it keeps sums, the turn that runs,
//! the end of the last one, and the last lines of what was said. What a turn used that was never
//! ended counts all the same.

use std::collections::{BTreeMap, VecDeque};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::event::{
    ActorMessageSeen, ActorTurnEnd, ActorTurnStart, ActorTurnUsage, TURN_END, TURN_HEARD,
    TURN_START, TURN_USAGE,
};
use crate::agent::Usage;
use crate::record::Record;
use crate::run::{RUN_END, RUN_START};
use crate::text;
use crate::time::Timestamp;

/// How many lines of what was said are remembered.
pub const MOST_LINES: usize = 200;
/// How much of a line is remembered, in bytes.
const LONGEST_LINE: usize = 16 << 10;
/// How many models are told apart.
const MOST_MODELS: usize = 64;

/// How an actor stands, as its journal says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActorState {
    /// How many turns began.
    pub turns: u64,
    /// What they used, lost ones included.
    pub usage: Usage,
    /// The same by model, as far as turns ended.
    pub models: BTreeMap<String, Usage>,
    /// The session that goes on.
    pub session: Option<ActorSession>,
    /// The turn that runs, and what it used so far.
    pub open: Option<(ActorTurnStart, Usage)>,
    pub last: Option<ActorTurnEnd>,
    /// What was said, the newest last.
    pub lines: VecDeque<TranscriptLine>,
    /// How many older lines are not remembered here.
    pub forgotten: u64,
    /// The number of the last record.
    pub seq: u64,
}

/// A session, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorSession {
    pub agent: String,
    /// What takes the conversation up again.
    pub handle: String,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TranscriptRole {
    /// A message that became a turn.
    Prompt,
    /// A message that was heard while a turn ran.
    Steer,
    /// The agent.
    Answer,
    /// Nobody: the turn failed.
    Error,
}

/// One line of what was said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptLine {
    pub at: Timestamp,
    pub turn: u64,
    pub role: TranscriptRole,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The message, or the first of those that were answered.
    pub message: String,
    /// Bounded.
    pub text: String,
    /// What the turn used, where this is its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl ActorState {
    /// Adds one record. Kinds that do not concern turns change nothing.
    pub fn apply(&mut self, record: &Record) {
        self.seq = record.seq;
        match record.kind.as_str() {
            RUN_START | RUN_END => self.close(),
            TURN_START => {
                let Some(start) = read::<ActorTurnStart>(record) else {
                    return;
                };
                self.close();
                self.turns = self.turns.max(start.turn);
                self.say(
                    record.at,
                    start.turn,
                    TranscriptRole::Prompt,
                    start.from.clone(),
                    &start.message,
                    &start.prompt,
                );
                self.open = Some((start, Usage::default()));
            }
            TURN_HEARD => {
                let Some(heard) = read::<ActorMessageSeen>(record) else {
                    return;
                };
                self.say(
                    record.at,
                    heard.turn,
                    TranscriptRole::Steer,
                    heard.from,
                    &heard.message,
                    &heard.text,
                );
            }
            TURN_USAGE => {
                let Some(told) = read::<ActorTurnUsage>(record) else {
                    return;
                };
                if let Some((start, usage)) = &mut self.open
                    && start.turn == told.turn
                {
                    *usage = told.usage;
                }
            }
            TURN_END => {
                let Some(end) = read::<ActorTurnEnd>(record) else {
                    return;
                };
                self.end(record.at, end);
            }
            _ => {}
        }
    }

    /// Whether a turn runs, as far as the journal says.
    pub fn is_busy(&self) -> bool {
        self.open.is_some()
    }

    fn end(&mut self, at: Timestamp, end: ActorTurnEnd) {
        self.open = None;
        self.usage.add(&end.usage);
        for (model, usage) in &end.models {
            if self.models.len() < MOST_MODELS || self.models.contains_key(model) {
                self.models.entry(model.clone()).or_default().add(usage);
            }
        }
        let (role, said) = match &end.error {
            None => (TranscriptRole::Answer, end.text.as_str()),
            Some(failure) => (TranscriptRole::Error, failure.message.as_str()),
        };
        let message = end.messages.first().cloned().unwrap_or_default();
        self.say(at, end.turn, role, None, &message, said);
        if let Some(line) = self.lines.back_mut() {
            line.usage = Some(end.usage);
        }
        // A turn that failed leaves the conversation where it was.
        if let (Some(agent), Some(handle)) = (&end.agent, &end.session) {
            self.session = Some(ActorSession {
                agent: agent.clone(),
                handle: handle.clone(),
            });
        }
        self.last = Some(end);
    }

    /// A turn that has no end was lost with whoever drove it; what it used was used.
    fn close(&mut self) {
        if let Some((_, used)) = self.open.take() {
            self.usage.add(&used);
        }
    }

    fn say(
        &mut self,
        at: Timestamp,
        turn: u64,
        role: TranscriptRole,
        from: Option<String>,
        message: &str,
        said: &str,
    ) {
        if self.lines.len() >= MOST_LINES {
            self.lines.pop_front();
            self.forgotten += 1;
        }
        let text = text::bounded(said, LONGEST_LINE).into_owned();
        self.lines.push_back(TranscriptLine {
            at,
            turn,
            role,
            from,
            message: message.to_owned(),
            text,
            usage: None,
        });
    }
}

fn read<T: DeserializeOwned>(record: &Record) -> Option<T> {
    serde_json::from_value(record.data.clone()).ok()
}
