//! The protocol of an agent, without I/O: lines in, their meaning out.
//!
//! Owns the trait that each agent's file implements and its types. A protocol is a pure state
//! machine: it receives the lines of a process and returns what to send, the activity and whether
//! the turn is over, so that a recorded transcript tests it completely. It skips garbage, truncated
//! JSON and unknown events. Never starts a process, never waits and never reads a clock.

use std::collections::BTreeMap;
use std::time::Duration;

use materia_model::agent::{AgentFailure, AgentFailureKind, Usage};
use materia_model::text;
use serde_json::Value;

use super::backend::{Activity, AgentTurn};

/// Maximum size of a tool's input in an activity, in bytes.
const MAX_INPUT: usize = 200;
/// Maximum size of an answer, in bytes.
pub(super) const MAX_ANSWER: usize = 8 << 20;

/// How a program is started for a turn.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct AgentLaunch {
    /// Arguments added to its command.
    pub(super) args: Vec<String>,
    /// Variables added to its environment.
    pub(super) env: Vec<(&'static str, String)>,
    /// Its first input.
    pub(super) stdin: Vec<u8>,
    /// Whether its stdin ends after that.
    pub(super) ends_stdin: bool,
    /// Parts of the request that it cannot satisfy.
    pub(super) notices: Vec<String>,
    /// Why it cannot be started at all.
    pub(super) refusal: Option<AgentFailure>,
}

/// What a protocol wants its driver to do.
#[derive(Debug, Default)]
pub(super) struct Out {
    /// Bytes for the program's stdin.
    pub(super) send: Vec<u8>,
    /// Observed activity.
    pub(super) seen: Vec<Activity>,
    /// Whether to close the program's stdin before the turn is over.
    pub(super) close: bool,
    /// When to wake the protocol; the last value counts.
    pub(super) wake: Option<Wake>,
    /// Whether the turn is over, and how to end the program.
    pub(super) over: Option<Over>,
}

/// When to wake a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// After this delay.
    In(Duration),
    /// No longer.
    Never,
}

/// How to end the program after its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Close its stdin and let it exit by itself.
    Gently,
    /// At once: it would continue with hopeless work.
    Now,
}

/// The progress of a turn.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct TurnProgress {
    /// The text of the last message.
    pub(super) text: String,
    /// What all model calls used.
    pub(super) usage: Usage,
    /// The same by model.
    pub(super) models: BTreeMap<String, Usage>,
    /// Why there is no answer.
    pub(super) failure: Option<AgentFailure>,
    /// What continues the conversation.
    pub(super) session: Option<String>,
}

/// The protocol of one agent, during one turn.
pub(super) trait Protocol {
    /// How its program is started for this turn.
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch;

    /// Handles a line of its output.
    fn line(&mut self, line: &[u8], out: &mut Out);

    /// The requested delay has passed.
    fn woken(&mut self, _out: &mut Out) {}

    /// Sends a text to the agent while it works; false if it cannot. Once the agent is known to
    /// have received it, the protocol calls [`Out::heard`]. An agent about to end may not receive
    /// it.
    fn steer(&mut self, _text: &str, _out: &mut Out) -> bool {
        false
    }

    /// Asks the agent to stop; false if its process has to be ended instead.
    fn abort(&mut self, _out: &mut Out) -> bool {
        false
    }

    /// Its program exited with success before the turn was over; true if its turns end like that.
    fn exited(&mut self, _code: i32) -> bool {
        false
    }

    /// The progress so far.
    fn said(&self) -> &TurnProgress;
}

impl Out {
    /// Sends one JSON document as a line.
    pub(super) fn send(&mut self, document: &Value) {
        self.send.extend(document.to_string().into_bytes());
        self.send.push(b'\n');
    }

    /// Reports a piece of text.
    pub(super) fn text(&mut self, piece: &str) {
        match self.seen.last_mut() {
            _ if piece.is_empty() => {}
            Some(Activity::Text { text }) => text.push_str(piece),
            _ => self.seen.push(Activity::Text {
                text: piece.to_owned(),
            }),
        }
    }

    /// Reports the start of a tool.
    pub(super) fn tool(&mut self, name: &str, input: &Value) {
        let input = match input {
            Value::Object(fields) => ["command", "cmd", "path", "file_path", "pattern"]
                .iter()
                .find_map(|name| fields.get(*name).and_then(Value::as_str))
                .map_or_else(|| Value::Object(fields.clone()).to_string(), str::to_owned),
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let (name, input) = (shown(name), text::bounded(&input, MAX_INPUT).into_owned());
        self.seen.push(Activity::ToolStart { name, input });
    }

    /// Reports the end of a tool.
    pub(super) fn tool_done(&mut self, name: &str, ok: bool) {
        self.seen.push(Activity::ToolEnd {
            name: shown(name),
            ok,
        });
    }

    /// Reports the usage so far.
    pub(super) fn usage(&mut self, usage: Usage) {
        self.seen.push(Activity::Usage { usage });
    }

    /// Reports that a steering text has reached the agent.
    pub(super) fn heard(&mut self, text: String) {
        self.seen.push(Activity::Heard { text });
    }

    /// Reports a notice for the user.
    pub(super) fn notice(&mut self, text: impl Into<String>) {
        self.seen.push(Activity::Notice {
            text: text::bounded(&text.into(), 400).into_owned(),
        });
    }
}

impl TurnProgress {
    /// Counts one model call.
    pub(super) fn add(&mut self, model: Option<&str>, usage: &Usage) {
        self.usage.add(usage);
        if let Some(model) = model {
            self.models.entry(shown(model)).or_default().add(usage);
        }
    }

    /// Sets the answer, truncated to the maximum.
    pub(super) fn answer(&mut self, text: &str) {
        self.text = text::bounded(text, MAX_ANSWER).into_owned();
    }

    /// Sets the reason why there is no answer.
    pub(super) fn fail(&mut self, kind: AgentFailureKind, message: impl Into<String>) {
        self.failure = Some(AgentFailure::new(
            kind,
            text::bounded(&message.into(), 4000).into_owned(),
        ));
    }

    /// Sets the failure that an error text describes.
    pub(super) fn read_failure(&mut self, status: Option<u16>, message: &str) {
        self.failure = Some(AgentFailure::read(status, &text::bounded(message, 4000)));
    }
}

/// Parses a line as a JSON object.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line)
        .ok()
        .filter(Value::is_object)
}

/// The string at a path of member names.
pub(super) fn text_at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    path.iter()
        .try_fold(value, |value, name| value.get(*name))
        .and_then(Value::as_str)
}

/// The concatenated texts of the content blocks of type `text`.
pub(super) fn block_texts(content: Option<&Value>) -> String {
    let blocks = content.and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter(|block| text_at(block, &["type"]) == Some("text"));
    texts
        .filter_map(|block| text_at(block, &["text"]))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The model id without the prefix of one of these providers.
pub(super) fn without_provider<'a>(model: &'a str, providers: &[&str]) -> &'a str {
    match model.split_once(['/', ':']) {
        Some((provider, id)) if providers.contains(&provider) => id,
        _ => model,
    }
}

fn shown(name: &str) -> String {
    text::bounded(name, 120).into_owned()
}

#[cfg(test)]
pub(super) mod tests;
