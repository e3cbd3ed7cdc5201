//! Any command that reads a prompt and prints an answer.
//!
//! Owns filling in its placeholders (`{model}`, `{thinking}`, `{tools}`, `{cwd}`, `{system}`) and
//! reading its output: all of it as text, or one JSON document with paths to the answer and the
//! usage. Such a command has no tools that we could restrict, no session and no steering, and
//! reports so where that matters.

use materia_model::agent::{AgentFailureKind, Usage};
use materia_model::handoff::path::below;
use materia_model::materia::AgentTools;
use serde_json::Value;

use super::backend::{AgentMemory, AgentTurn};
use super::protocol::{AgentLaunch, MAX_ANSWER, Out, Protocol, TurnProgress};

/// One turn of a command.
#[derive(Debug, Default)]
pub(super) struct Plain {
    said: TurnProgress,
    output: Vec<u8>,
    words: Vec<String>,
    text: Option<String>,
    usage: Option<String>,
    model: Option<String>,
}

impl Plain {
    /// A command with these arguments, and the paths of the answer and usage in its output.
    pub(super) fn new(words: &[String], text: Option<&str>, usage: Option<&str>) -> Self {
        let path =
            |path: Option<&str>| path.map(|path| path.trim_start_matches(['$', '.']).to_owned());
        Self {
            words: words.to_vec(),
            text: path(text),
            usage: path(usage),
            ..Self::default()
        }
    }

    fn read(&mut self) {
        let printed = String::from_utf8_lossy(&self.output).into_owned();
        if self.text.is_none() && self.usage.is_none() {
            return self.said.answer(printed.trim_end_matches('\n'));
        }
        let Ok(document) = serde_json::from_str::<Value>(&printed) else {
            return self.said.fail(
                AgentFailureKind::Crash,
                "what the command printed is not one JSON document",
            );
        };
        if let Some(usage) = self.usage.as_ref().and_then(|path| below(&document, path)) {
            let model = self.model.clone();
            self.said.add(model.as_deref(), &Usage::read(usage));
        }
        match self.text.as_ref().map(|path| below(&document, path)) {
            Some(Some(Value::String(text))) => self.said.answer(text),
            Some(Some(other)) => self.said.answer(&other.to_string()),
            Some(None) => self.said.fail(
                AgentFailureKind::Empty,
                "what the command printed has no answer in it",
            ),
            None => self.said.answer(&printed),
        }
    }
}

impl Protocol for Plain {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        let tools = match turn.tools {
            AgentTools::None => "none".to_owned(),
            AgentTools::ReadOnly => "readOnly".to_owned(),
            AgentTools::Coding => "coding".to_owned(),
            AgentTools::Custom(names) => names.join(","),
        };
        let cwd = turn.cwd.to_string_lossy();
        let values = [
            ("{model}", turn.model.unwrap_or_default()),
            ("{thinking}", turn.thinking.unwrap_or_default()),
            ("{tools}", &tools),
            ("{cwd}", &cwd),
            ("{system}", turn.system.unwrap_or_default()),
        ];
        self.model = turn.model.map(str::to_owned);
        let told = |name: &str| self.words.iter().any(|word| word.contains(name));
        let mut prompt = turn.prompt.to_owned();
        let mut notices = Vec::new();
        if let Some(system) = turn.system.filter(|_| !told("{system}")) {
            prompt = format!("{system}\n\n{prompt}");
        }
        if !matches!(turn.tools, AgentTools::Coding) && !told("{tools}") {
            notices
                .push("this agent is a command: which tools it uses is its own choice".to_owned());
        }
        let refusal = matches!(turn.memory, AgentMemory::Kept { from: Some(_), .. }).then(|| {
            materia_model::agent::AgentFailure::new(
                AgentFailureKind::Config,
                "a command cannot take up a session again",
            )
        });
        let args = self
            .words
            .iter()
            .filter_map(|word| filled(word, &values))
            .collect();
        let stdin = prompt.into_bytes();
        AgentLaunch {
            args,
            stdin,
            ends_stdin: true,
            notices,
            refusal,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        if self.output.len() + line.len() < MAX_ANSWER {
            self.output.extend_from_slice(line);
            self.output.push(b'\n');
        }
        if self.text.is_none() {
            out.text(&format!("{}\n", String::from_utf8_lossy(line)));
        }
    }

    fn exited(&mut self, code: i32) -> bool {
        if code == 0 {
            self.read();
        }
        code == 0
    }

    fn said(&self) -> &TurnProgress {
        &self.said
    }
}

/// A word with its placeholders filled in; `None` if it is only an empty placeholder.
fn filled(word: &str, values: &[(&str, &str)]) -> Option<String> {
    if values
        .iter()
        .any(|(name, value)| word == *name && value.is_empty())
    {
        return None;
    }
    // Do not expand placeholders inside inserted values.
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        let found = values.iter().find(|(name, _)| rest[at..].starts_with(name));
        out.push_str(&rest[..at]);
        match found {
            Some((name, value)) => {
                out.push_str(value);
                rest = &rest[at + name.len()..];
            }
            None => {
                out.push('{');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests;
