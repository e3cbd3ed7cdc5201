//! The scripted agent: answers from a file, so that a cast needs no model.
//!
//! Owns the format of the script (a contract, see `--agent-script`), reading it and choosing the
//! reply: the first one that matches and is not used up. `files` are the agent's changes to the
//! project, so that a rehearsed cast leaves real work behind. Never starts a process. A delay waits
//! on the process set, and a long one shows the activity of a real agent.

mod play;

use std::collections::BTreeMap;
use std::path::{Component, Path};

use materia_model::agent::{AgentFailure, AgentFailureKind, TurnOutcome, Usage};
use materia_model::document::{self, MAX_BYTES};
use materia_model::finding::{Finding, Source};
use materia_model::text;
use serde::Deserialize;
use serde_json::Value;

use super::backend::{AgentTurn, Answer, Backend, Watch};
use crate::process::ProcessSet;
use crate::store::file::{self, WriteMode};
use play::ReplyResult;

/// An agent that plays a script.
#[derive(Debug)]
pub struct Scripted {
    replies: Vec<Reply>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    replies: Vec<Reply>,
}

/// One reply, and the turns it is for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reply {
    #[serde(default, rename = "match")]
    wanted: Wanted,
    text: Option<String>,
    json: Option<Value>,
    /// The files it writes to the project first, by path.
    #[serde(default)]
    files: BTreeMap<String, String>,
    usage: Option<Value>,
    error: Option<AgentFailureKind>,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default = "once")]
    times: u64,
}

/// A tool that is shown as running before the reply.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    #[serde(default)]
    input: String,
    #[serde(default = "well")]
    ok: bool,
}

fn well() -> bool {
    true
}

/// The conditions on a turn; an absent one matches every turn.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    socket: Option<String>,
    materia: Option<String>,
    item: Option<String>,
    contains: Option<String>,
}

fn once() -> u64 {
    1
}

impl Scripted {
    /// Reads a script.
    pub fn read(source: &Source) -> Result<Self, Vec<Finding>> {
        let hint =
            "write {\"replies\": [{\"match\": {\"socket\": \"Socket-1\"}, \"text\": \"…\"}]}";
        if source.text().len() > MAX_BYTES {
            let message = format!("the script has more than {MAX_BYTES} bytes");
            return Err(vec![
                Finding::error("too-large", message).hint("use a shorter script"),
            ]);
        }
        let document = document::parse(source)?;
        let script: Script = serde_json::from_value(document.to_value()).map_err(|error| {
            let message = format!(
                "the agent script is not one: {}",
                text::printable(&error.to_string())
            );
            vec![
                Finding::error("invalid-agent-script", message)
                    .at(source, &document.span)
                    .hint(hint),
            ]
        })?;
        let outside = script
            .replies
            .iter()
            .flat_map(|reply| reply.files.keys())
            .find(|path| !is_inside(path));
        if let Some(path) = outside {
            let message = format!(
                "the script would write {}, outside of the project",
                text::quoted(path)
            );
            let finding =
                Finding::error("invalid-agent-script", message).at(source, &document.span);
            return Err(vec![finding.hint("write a relative path without `..`")]);
        }
        Ok(Self {
            replies: script.replies,
        })
    }
}

impl Backend for Scripted {
    fn ask(
        &mut self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
        watch: &mut dyn Watch,
    ) -> Answer {
        let found = self
            .replies
            .iter_mut()
            .find(|reply| reply.times > 0 && reply.wanted.fits(turn));
        let Some(reply) = found else {
            return Answer::Ended(unanswered(turn));
        };
        reply.times -= 1;
        let end = reply.end();
        match play::play(reply, &end, processes, watch) {
            ReplyResult::Done => match reply.write(turn.cwd) {
                Ok(()) => Answer::Ended(end),
                Err(why) => {
                    let failed = failure(
                        AgentFailureKind::Config,
                        format!("the scripted agent cannot write: {why}"),
                    );
                    Answer::Ended(TurnOutcome::new(Err(failed), Usage::default()))
                }
            },
            ReplyResult::Interrupted => Answer::Interrupted,
            ReplyResult::Stopped(why) => Answer::Ended(TurnOutcome::new(
                Err(failure(AgentFailureKind::Aborted, why)),
                Usage::default(),
            )),
        }
    }
}

/// Whether a relative path stays below its base directory.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

impl Wanted {
    fn fits(&self, turn: &AgentTurn<'_>) -> bool {
        let same = |wanted: &Option<String>, given: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == given)
        };
        same(&self.socket, Some(turn.socket))
            && same(&self.materia, Some(turn.materia))
            && same(&self.item, turn.item)
            && self
                .contains
                .as_deref()
                .is_none_or(|part| turn.prompt.contains(part))
    }
}

impl Reply {
    /// Writes the agent's changes to the project.
    fn write(&self, project: &Path) -> Result<(), String> {
        for (path, content) in &self.files {
            file::write(
                &project.join(path),
                content.as_bytes(),
                WriteMode::Overwrite,
            )
            .map_err(|error| format!("{}: {error}", text::quoted(path)))?;
        }
        Ok(())
    }

    fn end(&self) -> TurnOutcome {
        let usage = self.usage.as_ref().map(Usage::read).unwrap_or_default();
        let reply = match (self.error, &self.text, &self.json) {
            (Some(kind), ..) => Err(failure(
                kind,
                format!("the script plays an error: {}", kind.as_str()),
            )),
            (None, Some(text), _) => Ok(text.clone()),
            (None, None, Some(json)) => Ok(json.to_string()),
            (None, None, None) => Ok(String::new()),
        };
        TurnOutcome::new(reply, usage)
    }
}

fn failure(kind: AgentFailureKind, message: String) -> AgentFailure {
    AgentFailure::new(kind, message)
}

/// The failure of a turn without a reply. A retry would not help.
fn unanswered(turn: &AgentTurn<'_>) -> TurnOutcome {
    let item = turn
        .item
        .map(|item| format!(", item {}", text::quoted(item)))
        .unwrap_or_default();
    let message = format!(
        "the agent script has no reply left for socket {} ({}{item})",
        text::quoted(turn.socket),
        text::quoted(turn.materia)
    );
    let hint = Some("add a reply that matches, or raise its `times`".to_owned());
    let reply = Err(AgentFailure {
        hint,
        ..failure(AgentFailureKind::Config, message)
    });
    TurnOutcome::new(reply, Usage::default())
}

#[cfg(test)]
mod tests;
