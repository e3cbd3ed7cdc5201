//! A finished socket in the fold: its writes, its note, its cursor.
//!
//! Owns these state changes and nothing else.

use serde_json::Value;

use crate::cast::event::{CursorAdvance, SocketComplete};
use crate::cast::rework;
use crate::cast::state::{CastPhase, CastState, Conversation, CursorStep, LastOutput, SocketNote};
use crate::handoff::path::PathSources;
use crate::handoff::{OutputAuthor, OutputContract, assign, merge};
use crate::text;

/// The number of notes to keep, and the size of one.
const MAX_NOTES: usize = 40;
const MAX_NOTE: usize = 2 << 10;

impl CastState {
    pub(super) fn complete(&mut self, complete: &SocketComplete) {
        let Some(visit) = self.visit().cloned() else {
            return;
        };
        let speaker = format!("{} {}", complete.place.socket, complete.materia_label);
        let item = self
            .item
            .as_ref()
            .map(|item| item.token.clone())
            .unwrap_or_default();
        let outcome = self.take_output(complete, &speaker);
        for cursor in &complete.restarted {
            self.restart(cursor);
        }
        if outcome != Some(false) {
            rework::satisfied(&mut self.rework, &complete.place.socket, &item);
            self.note(complete, &speaker, &item);
        }
        let text = complete.output.clone();
        self.last = Some(LastOutput {
            speaker,
            item,
            text,
        });
        self.repair = None;
        self.conversation = Conversation::default();
        self.step = CastPhase::Done {
            visit,
            outcome,
            advanced: None,
        };
    }

    /// Applies the writes of an output. Reads all sources before the first write (C8).
    fn take_output(&mut self, complete: &SocketComplete, speaker: &str) -> Option<bool> {
        let output = match (&complete.payload, &complete.output) {
            (Some(payload), _) => Value::Object(payload.clone()),
            (None, text) => Value::String(text.clone().unwrap_or_default()),
        };
        let author = if complete.utility {
            OutputAuthor::Utility
        } else {
            OutputAuthor::Agent
        };
        let contract = OutputContract {
            author,
            generator: complete.generator,
            needs_satisfied: false,
            assign: Vec::new(),
        };
        if let Some(payload) = &complete.payload {
            for write in merge::writes(&contract, payload, &self.data, speaker) {
                assign::write(&mut self.data, &write);
            }
        }
        let as_text = match &complete.output {
            None if complete
                .assign
                .iter()
                .any(|assign| assign.source.trim() == "lastOutput") =>
            {
                Some(output.to_string())
            }
            other => other.clone(),
        };
        let last_json = if complete.payload.is_some() {
            Some(&output)
        } else {
            self.last_json.as_ref()
        };
        let sources = PathSources {
            output: Some(&output),
            state: &self.data,
            item: self.item.as_ref().map(|item| &item.bound.value),
            last_json,
            last_output: as_text.as_deref(),
        };
        let writes = assign::writes(&complete.assign, &sources).unwrap_or_default();
        for write in &writes {
            assign::write(&mut self.data, write);
        }
        let outcome = output.get("satisfied").and_then(Value::as_bool);
        if complete.payload.is_some() {
            self.last_json = Some(output);
        }
        outcome
    }

    fn note(&mut self, complete: &SocketComplete, speaker: &str, item: &str) {
        let context = complete
            .payload
            .as_ref()
            .and_then(|payload| payload.get("context"))
            .and_then(Value::as_str);
        let Some(context) = context.map(str::trim).filter(|context| !context.is_empty()) else {
            return;
        };
        if self.notes.len() >= MAX_NOTES {
            self.notes.remove(0);
        }
        self.notes.push(SocketNote {
            speaker: speaker.to_owned(),
            item: item.to_owned(),
            text: text::bounded(context, MAX_NOTE).into_owned(),
        });
    }

    pub(super) fn advance(&mut self, advance: &CursorAdvance) {
        let cursor = self.cursors.entry(advance.cursor.key.clone()).or_default();
        cursor.name.clone_from(&advance.cursor.name);
        cursor.index = advance.index;
        rework::moved(&mut self.rework, &advance.cursor.key);
        self.since_advance.clear();
        self.unbind();
        if let CastPhase::Done { advanced, .. } = &mut self.step {
            *advanced = Some(CursorStep {
                cursor: advance.cursor.key.clone(),
                exhausted: advance.exhausted,
            });
        }
    }
}
