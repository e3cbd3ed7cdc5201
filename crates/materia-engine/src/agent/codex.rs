//! Codex, by its app server: JSON-RPC, one message per line, without the version field.
//!
//! Owns its flags and messages. The handshake is `initialize`, a thread (new, or a fork of the
//! previous one), then one turn. `turn/completed` ends it, with a status. Usage is reported per
//! model call. Codex cannot disable single tools: a scope becomes its sandbox mode, and a notice
//! names what the sandbox does not enforce. A refused login ends it at once.

use materia_model::agent::{AgentFailure, AgentFailureKind, Usage};
use materia_model::materia::AgentTools;
use serde_json::{Map, Value, json};

use super::backend::{AgentMemory, AgentTurn};
use super::protocol::{
    AgentLaunch, Out, Over, Protocol, TurnProgress, object, text_at, without_provider,
};

/// Request ids of steering messages are above this one.
const STEERS: u64 = 100;

/// One turn of Codex.
#[derive(Debug, Default)]
pub(super) struct Codex {
    said: TurnProgress,
    prompt: String,
    model: Option<String>,
    effort: Option<String>,
    keeps: bool,
    thread: Value,
    method: &'static str,
    thread_id: Option<String>,
    turn_id: Option<String>,
    /// Steering texts in the order sent; each is taken out when the agent has received it.
    steers: Vec<Option<String>>,
}

impl Codex {
    fn answered(&mut self, id: u64, message: &Value, out: &mut Out) {
        if let Some(error) = message.get("error") {
            // Only a request that the turn needs can fail the turn.
            if id <= 3 {
                self.said.read_failure(
                    None,
                    text_at(error, &["message"]).unwrap_or("it was refused"),
                );
                out.over = Some(Over::Gently);
            }
            return;
        }
        let result = message.get("result").unwrap_or(&Value::Null);
        match id {
            1 => {
                out.send(&json!({"method": "initialized"}));
                out.send(&json!({"id": 2, "method": self.method, "params": self.thread}));
            }
            2 => {
                self.thread_id = text_at(result, &["thread", "id"]).map(str::to_owned);
                self.model = text_at(result, &["thread", "model"])
                    .map(str::to_owned)
                    .or(self.model.take());
                let mut params = Map::new();
                params.insert("threadId".into(), self.thread_id.clone().into());
                params.insert(
                    "input".into(),
                    json!([{"type": "text", "text": self.prompt}]),
                );
                if let Some(effort) = &self.effort {
                    params.insert("effort".into(), effort.as_str().into());
                }
                out.send(&json!({"id": 3, "method": "turn/start", "params": params}));
            }
            3 => self.turn_id = text_at(result, &["turn", "id"]).map(str::to_owned),
            steer if steer > STEERS => {
                let at = usize::try_from(steer - STEERS - 1).unwrap_or(usize::MAX);
                if let Some(text) = self.steers.get_mut(at).and_then(Option::take) {
                    out.heard(text);
                }
            }
            _ => {}
        }
    }

    fn notified(&mut self, method: &str, params: &Value, out: &mut Out) {
        match method {
            "item/agentMessage/delta" => out.text(text_at(params, &["delta"]).unwrap_or_default()),
            "item/started" => started(params.get("item").unwrap_or(&Value::Null), out),
            "item/completed" => self.item(params.get("item").unwrap_or(&Value::Null), out),
            "turn/started" => {
                self.turn_id = text_at(params, &["turn", "id"])
                    .map(str::to_owned)
                    .or(self.turn_id.take());
            }
            "thread/tokenUsage/updated"
                if text_at(params, &["turnId"]) == self.turn_id.as_deref() =>
            {
                let last = params.get("tokenUsage").and_then(|usage| usage.get("last"));
                let model = self.model.clone();
                self.said
                    .add(model.as_deref(), &last.map(call).unwrap_or_default());
                out.usage(self.said.usage);
            }
            "error" => self.error(params, out),
            "turn/completed" => self.completed(params.get("turn").unwrap_or(&Value::Null), out),
            _ => {}
        }
    }

    fn item(&mut self, item: &Value, out: &mut Out) {
        match text_at(item, &["type"]) {
            Some("agentMessage") => self
                .said
                .answer(text_at(item, &["text"]).unwrap_or_default()),
            Some(kind) if is_tool(kind) => {
                out.tool_done(
                    tool_name(item),
                    text_at(item, &["status"]) == Some("completed"),
                );
            }
            _ => {}
        }
    }

    fn error(&mut self, params: &Value, out: &mut Out) {
        let error = params.get("error").unwrap_or(&Value::Null);
        if params.get("willRetry") != Some(&Value::Bool(true)) {
            return;
        }
        let failure = failure(error);
        if failure.kind == AgentFailureKind::Auth {
            self.said.failure = Some(failure);
            out.over = Some(Over::Now);
            return;
        }
        out.notice(format!(
            "the agent asks its model again: {}",
            failure.message
        ));
    }

    fn completed(&mut self, turn: &Value, out: &mut Out) {
        match text_at(turn, &["status"]) {
            Some("completed") => {
                let kept = self.thread_id.clone().filter(|_| self.keeps);
                self.said.session = kept;
            }
            Some("interrupted") => self
                .said
                .fail(AgentFailureKind::Aborted, "the turn was aborted"),
            _ => self.said.failure = Some(failure(turn.get("error").unwrap_or(&Value::Null))),
        }
        out.over = Some(Over::Gently);
    }
}

impl Protocol for Codex {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        self.prompt = turn.prompt.to_owned();
        let mut thread = Map::new();
        thread.insert("cwd".into(), turn.cwd.to_string_lossy().into());
        thread.insert("approvalPolicy".into(), "never".into());
        let (sandbox, notice) = sandbox(turn.tools);
        thread.insert("sandbox".into(), sandbox.into());
        if let Some(model) = turn.model {
            let model = without_provider(model, &["openai"]).to_owned();
            thread.insert("model".into(), model.as_str().into());
            self.model = Some(model);
        }
        if let Some(system) = turn.system {
            thread.insert("developerInstructions".into(), system.into());
        }
        self.effort = turn
            .thinking
            .map(|level| if level == "off" { "minimal" } else { level }.to_owned());
        self.method = "thread/start";
        match turn.memory {
            AgentMemory::None => {
                thread.insert("ephemeral".into(), true.into());
            }
            AgentMemory::Kept { from, .. } => {
                self.keeps = true;
                if let Some(from) = from {
                    self.method = "thread/fork";
                    thread.insert("threadId".into(), from.into());
                    thread.insert("excludeTurns".into(), true.into());
                }
            }
        }
        self.thread = Value::Object(thread);
        let mut first = Out::default();
        let client =
            json!({"name": "materia", "title": null, "version": env!("CARGO_PKG_VERSION")});
        first.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}));
        let notices = notice.map(str::to_owned).into_iter().collect();
        AgentLaunch {
            args: vec!["app-server".into()],
            stdin: first.send,
            notices,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        let Some(message) = object(line) else { return };
        let params = message.get("params").unwrap_or(&Value::Null);
        match (message.get("id"), text_at(&message, &["method"])) {
            // There is no user to answer its requests.
            (Some(id), Some(_)) => {
                let error = json!({"code": -32601, "message": "nobody can be asked"});
                out.send(&json!({"id": id, "error": error}));
            }
            (Some(id), None) => self.answered(id.as_u64().unwrap_or(u64::MAX), &message, out),
            (None, Some(method)) => self.notified(method, params, out),
            (None, None) => {}
        }
    }

    fn steer(&mut self, text: &str, out: &mut Out) -> bool {
        let (Some(thread), Some(turn)) = (&self.thread_id, &self.turn_id) else {
            return false;
        };
        self.steers.push(Some(text.to_owned()));
        let input = json!([{"type": "text", "text": text}]);
        let params = json!({"threadId": thread, "expectedTurnId": turn, "input": input});
        out.send(&json!({"id": STEERS + self.steers.len() as u64, "method": "turn/steer", "params": params}));
        true
    }

    fn abort(&mut self, out: &mut Out) -> bool {
        let (Some(thread), Some(turn)) = (&self.thread_id, &self.turn_id) else {
            return false;
        };
        let params = json!({"threadId": thread, "turnId": turn});
        out.send(&json!({"id": 10, "method": "turn/interrupt", "params": params}));
        true
    }

    fn said(&self) -> &TurnProgress {
        &self.said
    }
}

/// The closest sandbox mode to a scope, and what it does not enforce.
fn sandbox(scope: &AgentTools) -> (&'static str, Option<&'static str>) {
    const WRITING: [&str; 3] = ["bash", "edit", "write"];
    match scope {
        AgentTools::Coding => ("danger-full-access", None),
        AgentTools::ReadOnly => ("read-only", None),
        AgentTools::None => (
            "read-only",
            Some("this agent cannot work without tools: it gets those that only read"),
        ),
        AgentTools::Custom(names) if names.iter().any(|name| WRITING.contains(&name.as_str())) => (
            "danger-full-access",
            Some("this agent cannot choose single tools: it gets all of them"),
        ),
        AgentTools::Custom(_) => (
            "read-only",
            Some("this agent cannot choose single tools: it gets those that only read"),
        ),
    }
}

/// The usage of one model call. Cached tokens are included in the input tokens.
fn call(last: &Value) -> Usage {
    let count = |name: &str| last.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cached = count("cachedInputTokens");
    let input = count("inputTokens").saturating_sub(cached);
    let (output, cache_write) = (count("outputTokens"), count("cacheWriteInputTokens"));
    Usage {
        input,
        output,
        cache_read: cached,
        cache_write,
        total: input + output + cached,
        cost: 0.0,
    }
}

fn failure(error: &Value) -> AgentFailure {
    let info = error.get("codexErrorInfo").unwrap_or(&Value::Null);
    let nested = info.as_object().and_then(|info| info.values().next());
    let status = nested
        .and_then(|nested| nested.get("httpStatusCode"))
        .and_then(Value::as_u64);
    let details = text_at(error, &["additionalDetails"]);
    let message = details
        .or(text_at(error, &["message"]))
        .unwrap_or("it says no more");
    let read = AgentFailure::read(status.and_then(|status| status.try_into().ok()), message);
    let kind = match info.as_str() {
        Some("contextWindowExceeded") => AgentFailureKind::ContextWindow,
        Some("usageLimitExceeded" | "rateLimitExceeded") => AgentFailureKind::RateLimit,
        Some("serverOverloaded" | "internalServerError" | "flexUnavailable") => {
            AgentFailureKind::Overload
        }
        Some("modelNotFound") => AgentFailureKind::Config,
        Some("unauthorized") => AgentFailureKind::Auth,
        Some("badRequest") => AgentFailureKind::InvalidRequest,
        _ => read.kind,
    };
    AgentFailure { kind, ..read }
}

fn is_tool(kind: &str) -> bool {
    matches!(
        kind,
        "commandExecution" | "fileChange" | "mcpToolCall" | "dynamicToolCall" | "webSearch"
    )
}

fn tool_name(item: &Value) -> &str {
    match text_at(item, &["type"]) {
        Some("commandExecution") => "command",
        Some("fileChange") => "edit",
        Some("webSearch") => "search",
        _ => text_at(item, &["tool"]).unwrap_or("tool"),
    }
}

fn started(item: &Value, out: &mut Out) {
    if text_at(item, &["type"]).is_some_and(is_tool) {
        let input = item
            .get("command")
            .or(item.get("arguments"))
            .or(item.get("query"));
        out.tool(tool_name(item), input.unwrap_or(&Value::Null));
    }
}

#[cfg(test)]
mod tests;
