//! The state that an actor's turns fold into.
//!
//! Owns the fold: one record at a time. Bounded: it keeps sums, the running turn, the end of the
//! last one, and the last lines of the conversation. Usage of a turn that never ended counts, too.

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

/// The number of transcript lines to keep.
pub const MOST_LINES: usize = 200;
/// The maximum size of a kept line, in bytes.
const LONGEST_LINE: usize = 16 << 10;
/// The number of models with a usage entry of their own.
const MOST_MODELS: usize = 64;

/// The state of an actor according to its journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActorState {
    /// The number of turns that started.
    pub turns: u64,
    /// Their usage, including turns that never ended.
    pub usage: Usage,
    /// The usage by model, of turns that ended.
    pub models: BTreeMap<String, Usage>,
    /// The session to continue.
    pub session: Option<ActorSession>,
    /// The running turn and its usage so far.
    pub open: Option<(ActorTurnStart, Usage)>,
    pub last: Option<ActorTurnEnd>,
    /// The transcript, newest last.
    pub lines: VecDeque<TranscriptLine>,
    /// The number of older lines that were dropped.
    pub forgotten: u64,
    /// The number of the last record.
    pub seq: u64,
}

/// A session and the agent it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorSession {
    pub agent: String,
    /// The handle to resume the conversation with.
    pub handle: String,
}

/// The source of a transcript line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TranscriptRole {
    /// A message that started a turn.
    Prompt,
    /// A message that was read during a turn.
    Steer,
    /// The agent.
    Answer,
    /// The turn failed; the line is the error.
    Error,
}

/// One line of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptLine {
    pub at: Timestamp,
    pub turn: u64,
    pub role: TranscriptRole,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The message, or the first of the answered ones.
    pub message: String,
    /// The text, truncated.
    pub text: String,
    /// The usage of the turn, if the line is its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl ActorState {
    /// Applies one record. Ignores records that do not concern turns.
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

    /// Whether a turn is running, according to the journal.
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
        // After a failed turn, the conversation continues from the session before it.
        if let (Some(agent), Some(handle)) = (&end.agent, &end.session) {
            self.session = Some(ActorSession {
                agent: agent.clone(),
                handle: handle.clone(),
            });
        }
        self.last = Some(end);
    }

    /// A turn without an end was lost when its driver died. Its usage still counts.
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
