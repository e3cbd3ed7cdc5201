//! Any agent that speaks the Agent Client Protocol, version 1: JSON-RPC 2.0, one message per line.
//!
//! Owns the few messages that a turn needs. The protocol cannot express a failed model call, so an
//! `end_turn` without any text counts as empty and is retried. Tools are restricted by answering
//! the agent's permission requests. An agent that does not ask cannot be restricted, and a notice
//! says so. The texts before and after a tool call are kept apart. A session continues in a copy if
//! the agent can fork one, else in place. Only agents that announce steering receive messages
//! during a turn.

use materia_model::agent::{AgentFailureKind, Usage};
use materia_model::materia::AgentTools;
use serde_json::{Value, json};

use super::backend::{AgentMemory, AgentTurn};
use super::protocol::{AgentLaunch, Out, Over, Protocol, TurnProgress, object, text_at};

/// One turn of an agent that speaks ACP.
#[derive(Debug, Default)]
pub(super) struct Acp {
    said: TurnProgress,
    prompt: String,
    cwd: String,
    scope: Option<AgentTools>,
    from: Option<String>,
    keeps: bool,
    session: Option<String>,
    prompting: bool,
    parted: bool,
    tools: Vec<(String, String)>,
    /// Whether it announced that it accepts steering.
    hears: bool,
    /// Steering texts in the order sent; each is taken out when the agent has received it.
    steers: Vec<Option<String>>,
}

const INITIALIZE: u64 = 1;
const OPEN: u64 = 2;
const PROMPT: u64 = 3;
/// Request ids of steering messages are above this one.
const STEERS: u64 = 100;

impl Acp {
    fn answered(&mut self, id: u64, message: &Value, out: &mut Out) {
        if let Some(error) = message.get("error") {
            // Only a request that the turn needs can fail the turn.
            if id > PROMPT {
                return;
            }
            let code = error
                .get("code")
                .and_then(Value::as_u64)
                .and_then(|code| code.try_into().ok());
            let said =
                text_at(error, &["data", "message"]).or(text_at(error, &["data", "details"]));
            let said = said
                .or(text_at(error, &["message"]))
                .unwrap_or("it says no more");
            self.said
                .read_failure(code.filter(|code| (400..600).contains(code)), said);
            out.over = Some(Over::Gently);
            return;
        }
        let result = message.get("result").unwrap_or(&Value::Null);
        match id {
            INITIALIZE => self.open(result, out),
            OPEN => {
                self.session = text_at(result, &["sessionId"])
                    .map(str::to_owned)
                    .or(self.session.take());
                self.prompting = true;
                let prompt = json!([{"type": "text", "text": self.prompt}]);
                request(
                    out,
                    PROMPT,
                    "session/prompt",
                    &json!({"sessionId": self.session, "prompt": prompt}),
                );
            }
            PROMPT => self.ended(result, out),
            steer if steer > STEERS && text_at(result, &["outcome"]) == Some("injected") => {
                let at = usize::try_from(steer - STEERS - 1).unwrap_or(usize::MAX);
                if let Some(text) = self.steers.get_mut(at).and_then(Option::take) {
                    out.heard(text);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, result: &Value, out: &mut Out) {
        let can = result.get("agentCapabilities").unwrap_or(&Value::Null);
        let copies = can
            .get("sessionCapabilities")
            .and_then(|can| can.get("fork"))
            .is_some_and(|can| !can.is_null());
        let loads = can.get("loadSession") == Some(&Value::Bool(true));
        self.hears = result.pointer("/_meta/steering/supported") == Some(&Value::Bool(true));
        let Some(from) = self.from.take() else {
            return request(
                out,
                OPEN,
                "session/new",
                &json!({"cwd": self.cwd, "mcpServers": []}),
            );
        };
        if !copies && !loads {
            self.said.fail(
                AgentFailureKind::Config,
                "this agent cannot take up a session again",
            );
            out.over = Some(Over::Gently);
            return;
        }
        let params = json!({"sessionId": from, "cwd": self.cwd, "mcpServers": []});
        self.session = Some(from);
        request(
            out,
            OPEN,
            if copies {
                "session/fork"
            } else {
                "session/load"
            },
            &params,
        );
    }

    fn ended(&mut self, result: &Value, out: &mut Out) {
        self.count(result);
        out.usage(self.said.usage);
        match text_at(result, &["stopReason"]).unwrap_or_default() {
            "cancelled" => self.said.fail(AgentFailureKind::Aborted, "the turn was aborted"),
            "refusal" => self.said.fail(AgentFailureKind::Crash, "the agent refused to go on"),
            _ if self.said.text.trim().is_empty() => self.said.fail(
                AgentFailureKind::Empty,
                "the agent ended its turn without a word, which is also how a failed model call looks",
            ),
            _ => self.said.session = self.session.clone().filter(|_| self.keeps),
        }
        out.over = Some(Over::Gently);
    }

    /// Takes the larger of the turn's usage and the usage by model: some agents count only their
    /// last call.
    fn count(&mut self, result: &Value) {
        let turn = result.get("usage").map(Usage::read).unwrap_or_default();
        let by_model = result
            .pointer("/_meta/quota/model_usage")
            .and_then(Value::as_array);
        let counted = by_model.into_iter().flatten().filter_map(|used| {
            Some((
                text_at(used, &["model"])?.to_owned(),
                Usage::read(used.get("token_count")?),
            ))
        });
        self.said.models = counted.take(64).collect();
        let mut sum = Usage::default();
        self.said.models.values().for_each(|usage| sum.add(usage));
        self.said.usage = if sum.total > turn.total { sum } else { turn };
    }

    fn update(&mut self, update: &Value, out: &mut Out) {
        // A loaded session replays its past first.
        if !self.prompting {
            return;
        }
        match text_at(update, &["sessionUpdate"]).unwrap_or_default() {
            "agent_message_chunk" => {
                let piece = text_at(update, &["content", "text"]).unwrap_or_default();
                if std::mem::take(&mut self.parted) && !self.said.text.is_empty() {
                    self.said.text.push_str("\n\n");
                }
                let text = format!("{}{piece}", self.said.text);
                self.said.answer(&text);
                out.text(piece);
            }
            "tool_call" => {
                self.parted = true;
                let name = text_at(update, &["title"])
                    .or(text_at(update, &["kind"]))
                    .unwrap_or("tool");
                let id = text_at(update, &["toolCallId"]).unwrap_or_default();
                if self.tools.len() < 1000 {
                    self.tools.push((id.to_owned(), name.to_owned()));
                }
                out.tool(name, update.get("rawInput").unwrap_or(&Value::Null));
            }
            "tool_call_update" => {
                let status = text_at(update, &["status"]).unwrap_or_default();
                let id = text_at(update, &["toolCallId"]).unwrap_or_default();
                let known = self.tools.iter().position(|(known, _)| known == id);
                if let (Some(at), "completed" | "failed") = (known, status) {
                    let (_, name) = self.tools.swap_remove(at);
                    out.tool_done(&name, status == "completed");
                }
            }
            _ => {}
        }
    }

    fn asked(&self, id: &Value, method: &str, params: &Value, out: &mut Out) {
        if method != "session/request_permission" {
            let error = json!({"code": -32601, "message": "not supported"});
            return out.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
        let kind = text_at(params, &["toolCall", "kind"]).unwrap_or("other");
        // Never allow "always": the agent would write that into the project's own settings.
        let wanted = if self.allows(kind) {
            "allow_once"
        } else {
            "reject_once"
        };
        let mut options = params
            .get("options")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let chosen = options.find(|option| text_at(option, &["kind"]) == Some(wanted));
        let outcome = match chosen.and_then(|option| option.get("optionId")) {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        };
        out.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}));
    }

    fn allows(&self, kind: &str) -> bool {
        let reads = matches!(kind, "read" | "search" | "think" | "fetch");
        match &self.scope {
            Some(AgentTools::Coding) => true,
            Some(AgentTools::ReadOnly) => reads,
            Some(AgentTools::Custom(names)) => {
                let has = |words: &[&str]| names.iter().any(|name| words.contains(&name.as_str()));
                match kind {
                    "edit" | "delete" | "move" => has(&["edit", "write"]),
                    "execute" => has(&["bash"]),
                    _ => reads && has(&["read", "grep", "find", "ls", "glob"]),
                }
            }
            Some(AgentTools::None) | None => false,
        }
    }
}

impl Protocol for Acp {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        self.prompt = match turn.system {
            Some(system) => format!("{system}\n\n{}", turn.prompt),
            None => turn.prompt.to_owned(),
        };
        self.cwd = turn.cwd.to_string_lossy().into_owned();
        self.scope = Some(turn.tools.clone());
        if let AgentMemory::Kept { from, .. } = turn.memory {
            self.keeps = true;
            self.from = from.map(str::to_owned);
        }
        let mut notices = Vec::new();
        if !matches!(turn.tools, AgentTools::Coding) {
            notices
                .push("this agent keeps to its tools only where it asks for permission".to_owned());
        }
        if turn.model.is_some() || turn.thinking.is_some() {
            notices.push("this agent chooses its model and its thinking itself".to_owned());
        }
        let mut first = Out::default();
        let can = json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        request(
            &mut first,
            INITIALIZE,
            "initialize",
            &json!({"protocolVersion": 1, "clientCapabilities": can}),
        );
        AgentLaunch {
            stdin: first.send,
            notices,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        let Some(message) = object(line) else { return };
        let params = message.get("params").unwrap_or(&Value::Null);
        match (message.get("id"), text_at(&message, &["method"])) {
            (Some(id), Some(method)) => self.asked(id, method, params, out),
            (Some(id), None) => self.answered(id.as_u64().unwrap_or(u64::MAX), &message, out),
            (None, Some("session/update")) => {
                self.update(params.get("update").unwrap_or(&Value::Null), out);
            }
            (None, _) => {}
        }
    }

    fn steer(&mut self, text: &str, out: &mut Out) -> bool {
        let Some(session) = self
            .session
            .as_ref()
            .filter(|_| self.prompting && self.hears)
        else {
            return false;
        };
        self.steers.push(Some(text.to_owned()));
        // After the end of the turn, steering must not start another turn: no caller would wait for
        // it.
        let idle = json!({"steering": {"idleBehavior": "promptRequired"}});
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}], "_meta": idle});
        request(
            out,
            STEERS + self.steers.len() as u64,
            "_session/steering",
            &params,
        );
        true
    }

    fn abort(&mut self, out: &mut Out) -> bool {
        let Some(session) = self.session.as_ref().filter(|_| self.prompting) else {
            return false;
        };
        out.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
        true
    }

    fn said(&self) -> &TurnProgress {
        &self.said
    }
}

fn request(out: &mut Out, id: u64, method: &str, params: &Value) {
    out.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
}

#[cfg(test)]
mod tests;
