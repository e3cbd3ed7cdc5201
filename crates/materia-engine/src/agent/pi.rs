//! Pi, by its RPC mode: commands and events as JSON lines.
//!
//! Owns Pi's flags and messages. A turn ends with `agent_settled`. Versions without it send
//! `agent_end`, which a retry may follow at once, so they are asked for their state a moment later.
//! The result is the last assistant message and its stop reason. An accepted prompt and the exit
//! code mean nothing.

use std::path::Path;
use std::time::Duration;

use materia_model::agent::{AgentFailureKind, Usage};
use materia_model::materia::{AgentTools, THINKING};
use serde_json::{Value, json};

use super::backend::{AgentMemory, AgentTurn};
use super::protocol::{
    AgentLaunch, Out, Over, Protocol, TurnProgress, Wake, block_texts, object, text_at,
};
use crate::clock::Clock;

/// The delay after `agent_end` before a version without `agent_settled` is asked for its state.
const SETTLING: Duration = Duration::from_millis(300);
/// Maximum length of an argument, in bytes. Longer texts are put before the prompt.
const MAX_ARGUMENT: usize = 64 << 10;

/// One turn of Pi.
#[derive(Debug, Default)]
pub(super) struct Pi {
    said: TurnProgress,
    /// Usage of the message in progress.
    writing: Usage,
    session: Option<String>,
    asked: u64,
    /// Steering texts that are not in the conversation yet.
    steers: Vec<String>,
}

impl Pi {
    fn prompt(turn: &AgentTurn<'_>, args: &mut Vec<String>) -> String {
        match turn.system {
            Some(system) if system.len() <= MAX_ARGUMENT => {
                args.extend(["--append-system-prompt".to_owned(), system.to_owned()]);
                turn.prompt.to_owned()
            }
            Some(system) => format!("{system}\n\n{}", turn.prompt),
            None => turn.prompt.to_owned(),
        }
    }

    /// Sets what continues the conversation, if another program keeps the session.
    pub(super) fn kept(&mut self, session: Option<String>) {
        self.session = session;
    }

    fn message(&mut self, message: &Value, out: &mut Out) {
        if text_at(message, &["role"]) == Some("user") {
            return self.hears(message, out);
        }
        if text_at(message, &["role"]) != Some("assistant") {
            return;
        }
        // An interrupted message reports no usage.
        let told = message.get("usage").map(Usage::read).unwrap_or_default();
        let before = std::mem::take(&mut self.writing);
        let usage = if told.total < before.total {
            before
        } else {
            told
        };
        self.said.add(text_at(message, &["model"]), &usage);
        out.usage(self.said.usage);
        self.said.answer(&block_texts(message.get("content")));
        self.said.failure = None;
        match text_at(message, &["stopReason"]) {
            Some("error") => {
                self.said.read_failure(
                    None,
                    text_at(message, &["errorMessage"]).unwrap_or("it says no more"),
                );
            }
            Some("aborted") => self
                .said
                .fail(AgentFailureKind::Aborted, "the turn was aborted"),
            _ => {}
        }
    }

    /// Notes that a steering text has become part of the conversation.
    fn hears(&mut self, message: &Value, out: &mut Out) {
        let said = message
            .get("content")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let said = said.unwrap_or_else(|| block_texts(message.get("content")));
        if let Some(at) = self.steers.iter().position(|steer| *steer == said) {
            out.heard(self.steers.remove(at));
        }
    }

    fn update(&mut self, event: &Value, out: &mut Out) {
        let piece = event.get("assistantMessageEvent");
        if piece.and_then(|piece| text_at(piece, &["type"])) == Some("text_delta") {
            out.text(
                piece
                    .and_then(|piece| text_at(piece, &["delta"]))
                    .unwrap_or_default(),
            );
        }
        // Newer versions report the usage of the message in progress, which the budget needs.
        if let Some(usage) = event
            .get("usage")
            .map(Usage::read)
            .filter(|usage| usage.total > 0)
        {
            self.writing = usage;
            let mut so_far = self.said.usage;
            so_far.add(&usage);
            out.usage(so_far);
        }
    }

    fn response(&mut self, response: &Value, out: &mut Out) {
        let accepted = response
            .get("success")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        match text_at(response, &["command"]) {
            Some("prompt") if !accepted => {
                self.said.read_failure(
                    None,
                    text_at(response, &["error"]).unwrap_or("the prompt was refused"),
                );
                out.over = Some(Over::Gently);
            }
            // Pi handled one of its own commands without the model.
            Some("prompt") if text_at(response, &["data", "disposition"]) == Some("handled") => {
                out.over = Some(Over::Gently);
            }
            Some("get_state") => match response
                .get("data")
                .and_then(|data| data.get("isStreaming"))
            {
                Some(Value::Bool(true)) => out.wake = Some(Wake::In(SETTLING)),
                _ => out.over = Some(Over::Gently),
            },
            _ => {}
        }
    }
}

impl Protocol for Pi {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        let mut args: Vec<String> = vec!["--mode".into(), "rpc".into()];
        let prompt = Self::prompt(turn, &mut args);
        let mut refusal = None;
        match turn.memory {
            AgentMemory::None => args.push("--no-session".into()),
            AgentMemory::Kept { folder, from } => match session(folder, from) {
                Ok(file) => {
                    args.extend(["--session".into(), file.clone()]);
                    self.session = Some(file);
                }
                Err(why) => {
                    refusal = Some(materia_model::agent::AgentFailure::new(
                        AgentFailureKind::Config,
                        why,
                    ));
                }
            },
        }
        match turn.tools {
            AgentTools::None => args.push("--no-tools".into()),
            AgentTools::ReadOnly => args.extend(["--tools".into(), "read,grep,find,ls".into()]),
            AgentTools::Coding => {}
            AgentTools::Custom(names) if names.is_empty() => args.push("--no-tools".into()),
            AgentTools::Custom(names) => args.extend(["--tools".into(), names.join(",")]),
        }
        if let Some(model) = turn.model {
            args.extend(["--model".into(), spelled(model)]);
        }
        if let Some(level) = turn.thinking {
            args.extend(["--thinking".into(), level.to_owned()]);
        }
        let mut first = Out::default();
        first.send(&json!({"id": "turn", "type": "prompt", "message": prompt}));
        let env = vec![("PI_SKIP_VERSION_CHECK", "1".to_owned())];
        AgentLaunch {
            args,
            env,
            stdin: first.send,
            refusal,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        let Some(event) = object(line) else { return };
        let tool = || text_at(&event, &["toolName"]).unwrap_or("tool");
        match text_at(&event, &["type"]).unwrap_or_default() {
            "response" => self.response(&event, out),
            "agent_start" => out.wake = Some(Wake::Never),
            "message_update" => self.update(&event, out),
            "message_end" => self.message(event.get("message").unwrap_or(&Value::Null), out),
            "tool_execution_start" => out.tool(tool(), event.get("args").unwrap_or(&Value::Null)),
            "tool_execution_end" => {
                out.tool_done(tool(), event.get("isError") != Some(&Value::Bool(true)));
            }
            "auto_retry_start" => {
                out.wake = Some(Wake::Never);
                let why = text_at(&event, &["errorMessage"]).unwrap_or("an error");
                out.notice(format!("the agent asks its model again: {why}"));
            }
            "agent_end" if event.get("willRetry") != Some(&Value::Bool(true)) => {
                out.wake = Some(Wake::In(SETTLING));
            }
            "agent_settled" => out.over = Some(Over::Gently),
            "extension_ui_request" => dismiss(&event, out),
            _ => {}
        }
        if out.over.is_some() && self.said.failure.is_none() {
            self.said.session.clone_from(&self.session);
        }
    }

    fn woken(&mut self, out: &mut Out) {
        self.asked += 1;
        out.send(&json!({"id": format!("state-{}", self.asked), "type": "get_state"}));
    }

    fn steer(&mut self, text: &str, out: &mut Out) -> bool {
        out.send(&json!({"id": "steer", "type": "steer", "message": text}));
        self.steers.push(text.to_owned());
        true
    }

    fn abort(&mut self, out: &mut Out) -> bool {
        out.send(&json!({"id": "abort", "type": "abort"}));
        true
    }

    fn said(&self) -> &TurnProgress {
        &self.said
    }
}

/// Dismisses a dialog of an extension: there is no user to answer it.
fn dismiss(event: &Value, out: &mut Out) {
    let asks = matches!(
        text_at(event, &["method"]),
        Some("select" | "confirm" | "input" | "editor")
    );
    if let (true, Some(id)) = (asks, event.get("id")) {
        out.send(&json!({"type": "extension_ui_response", "id": id, "cancelled": true}));
    }
}

/// The session file of a turn: a new one, or a copy of the previous one, so that a turn can be
/// repeated.
fn session(folder: &Path, from: Option<&str>) -> Result<String, String> {
    let file = folder.join(format!("{}.jsonl", Clock::system().fresh_id()));
    if let Some(from) = from {
        let text = std::fs::read(from)
            .map_err(|error| format!("the session {from} cannot be read: {error}"))?;
        crate::store::atomic::write(&file, &text)
            .map_err(|error| format!("the session {from} cannot be copied: {error}"))?;
    }
    Ok(file.to_string_lossy().into_owned())
}

/// A model as Pi expects it: `provider/id`, followed by a colon and a thinking level.
fn spelled(model: &str) -> String {
    match model.split_once(':') {
        Some((provider, id)) if !model.contains('/') && !THINKING.contains(&id) => {
            format!("{provider}/{id}")
        }
        _ => model.to_owned(),
    }
}

#[cfg(test)]
mod tests;
