//! How an agent is spoken to, without doing any of it: lines in, what they mean out.
//!
//! Owns the trait that each agent's file implements and the values it speaks with. A protocol is a
//! pure state machine: it is handed the lines of a process and says what to send, what was seen and
//! when the turn is over, so that a recorded transcript tests it completely. Garbage, truncated
//! JSON and unknown events are passed over. Never starts a process, never waits and never reads a
//! clock.

use std::collections::BTreeMap;
use std::time::Duration;

use materia_model::agent::{AgentFailure, AgentFailureKind, Usage};
use materia_model::text;
use serde_json::Value;

use super::backend::{Activity, AgentTurn};

/// How much of a tool's input is shown, in bytes.
const MAX_INPUT: usize = 200;
/// How long an answer may be, in bytes.
pub(super) const MAX_ANSWER: usize = 8 << 20;

/// How a program is started for a turn.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct AgentLaunch {
    /// What is added to its command.
    pub(super) args: Vec<String>,
    /// What is added to its environment.
    pub(super) env: Vec<(&'static str, String)>,
    /// What it reads first.
    pub(super) stdin: Vec<u8>,
    /// Whether that is all it ever reads.
    pub(super) ends_stdin: bool,
    /// What it cannot do as it was asked to.
    pub(super) notices: Vec<String>,
    /// Why it cannot be started at all.
    pub(super) refusal: Option<AgentFailure>,
}

/// What a protocol wants done.
#[derive(Debug, Default)]
pub(super) struct Out {
    /// Bytes for the program's stdin.
    pub(super) send: Vec<u8>,
    /// What was seen.
    pub(super) seen: Vec<Activity>,
    /// Whether the program's stdin ends, although the turn is not over.
    pub(super) close: bool,
    /// When to be told that time has passed; the last wish counts.
    pub(super) wake: Option<Wake>,
    /// Whether the turn is over, and how the program goes.
    pub(super) over: Option<Over>,
}

/// When to wake a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// After so long.
    In(Duration),
    /// Not any more.
    Never,
}

/// How the program of a turn that is over goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// By itself, when its stdin ends.
    Gently,
    /// At once: it would go on with something hopeless.
    Now,
}

/// What is known of a turn so far.
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
    /// What takes the conversation up again.
    pub(super) session: Option<String>,
}

/// One agent's way of speaking, during one turn.
pub(super) trait Protocol {
    /// How its program is started for this turn.
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch;

    /// A line that it printed.
    fn line(&mut self, line: &[u8], out: &mut Out);

    /// The time it asked for has passed.
    fn woken(&mut self, _out: &mut Out) {}

    /// Lets it hear something while it works; false when it cannot. That it was heard is told by
    /// [`Out::heard`], once it is known: an agent that is about to end may not hear any more.
    fn steer(&mut self, _text: &str, _out: &mut Out) -> bool {
        false
    }

    /// Asks it to stop; false when it only can be ended.
    fn abort(&mut self, _out: &mut Out) -> bool {
        false
    }

    /// Its program ended well before the turn was over; true when that is how its turns end.
    fn exited(&mut self, _code: i32) -> bool {
        false
    }

    /// What is known so far.
    fn said(&self) -> &TurnProgress;
}

impl Out {
    /// Sends one JSON document as a line.
    pub(super) fn send(&mut self, document: &Value) {
        self.send.extend(document.to_string().into_bytes());
        self.send.push(b'\n');
    }

    /// Tells a piece of text.
    pub(super) fn text(&mut self, piece: &str) {
        match self.seen.last_mut() {
            _ if piece.is_empty() => {}
            Some(Activity::Text { text }) => text.push_str(piece),
            _ => self.seen.push(Activity::Text {
                text: piece.to_owned(),
            }),
        }
    }

    /// Tells that a tool begins.
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

    /// Tells that a tool is done.
    pub(super) fn tool_done(&mut self, name: &str, ok: bool) {
        self.seen.push(Activity::ToolEnd {
            name: shown(name),
            ok,
        });
    }

    /// Tells what was used so far.
    pub(super) fn usage(&mut self, usage: Usage) {
        self.seen.push(Activity::Usage { usage });
    }

    /// Tells that what was said to it has reached it.
    pub(super) fn heard(&mut self, text: String) {
        self.seen.push(Activity::Heard { text });
    }

    /// Tells a person something.
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

    /// Takes a text as the answer, bounded.
    pub(super) fn answer(&mut self, text: &str) {
        self.text = text::bounded(text, MAX_ANSWER).into_owned();
    }

    /// Notes why there is no answer.
    pub(super) fn fail(&mut self, kind: AgentFailureKind, message: impl Into<String>) {
        self.failure = Some(AgentFailure::new(
            kind,
            text::bounded(&message.into(), 4000).into_owned(),
        ));
    }

    /// Notes the failure that an error text tells.
    pub(super) fn read_failure(&mut self, status: Option<u16>, message: &str) {
        self.failure = Some(AgentFailure::read(status, &text::bounded(message, 4000)));
    }
}

/// A line as JSON, where it is an object.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line)
        .ok()
        .filter(Value::is_object)
}

/// The text at a path of member names.
pub(super) fn text_at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    path.iter()
        .try_fold(value, |value, name| value.get(*name))
        .and_then(Value::as_str)
}

/// The texts of content blocks of the kind `text`, one after the other.
pub(super) fn block_texts(content: Option<&Value>) -> String {
    let blocks = content.and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter(|block| text_at(block, &["type"]) == Some("text"));
    texts
        .filter_map(|block| text_at(block, &["text"]))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The model's id without the name of one of these providers before it.
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
