//! Claude Code, by its streamed JSON in print mode.
//!
//! Owns its flags and messages. `result` ends a turn. Whether it succeeded is in `is_error` and
//! `api_error_status`, not in its `subtype`. Usage is counted by model from `modelUsage`, because
//! `usage` misses retried calls. The program retries a refused login for minutes, so it is ended at
//! once.

use materia_model::agent::{AgentFailureKind, Usage};
use materia_model::materia::AgentTools;
use serde_json::{Value, json};

use super::backend::{AgentMemory, AgentTurn};
use super::protocol::{
    AgentLaunch, Out, Over, Protocol, TurnProgress, object, text_at, without_provider,
};

const ALL: &str = "Bash,Edit,Glob,Grep,NotebookEdit,Read,Task,TodoWrite,WebFetch,WebSearch,Write";
const READING: &str = "Glob,Grep,Read";
const MAX_ARGUMENT: usize = 64 << 10;

/// One turn of Claude Code.
#[derive(Debug, Default)]
pub(super) struct Claude {
    said: TurnProgress,
    keeps: bool,
    steered: bool,
    /// Steering texts that are not in the conversation yet.
    steers: Vec<String>,
    answered: bool,
    tools: Vec<(String, String)>,
    call: Usage,
}

impl Claude {
    fn assistant(&mut self, message: &Value, out: &mut Out) {
        let blocks = message
            .get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for block in blocks.filter(|block| text_at(block, &["type"]) == Some("tool_use")) {
            let name = text_at(block, &["name"]).unwrap_or("tool");
            if self.tools.len() < 1000 {
                self.tools.push((
                    text_at(block, &["id"]).unwrap_or_default().to_owned(),
                    name.to_owned(),
                ));
            }
            out.tool(name, block.get("input").unwrap_or(&Value::Null));
        }
    }

    /// Handles echoed user messages: steering texts that joined the conversation, and tool results.
    fn results(&mut self, message: &Value, out: &mut Out) {
        if let Some(said) = message.get("content").and_then(Value::as_str)
            && let Some(at) = self.steers.iter().position(|steer| steer == said)
        {
            return out.heard(self.steers.remove(at));
        }
        let blocks = message
            .get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for block in blocks.filter(|block| text_at(block, &["type"]) == Some("tool_result")) {
            let id = text_at(block, &["tool_use_id"]).unwrap_or_default();
            let Some(at) = self.tools.iter().position(|(known, _)| known == id) else {
                continue;
            };
            let (_, name) = self.tools.swap_remove(at);
            out.tool_done(&name, block.get("is_error") != Some(&Value::Bool(true)));
        }
    }

    fn stream(&mut self, event: &Value, out: &mut Out) {
        match text_at(event, &["type"]) {
            Some("content_block_delta") => {
                out.text(text_at(event, &["delta", "text"]).unwrap_or_default());
            }
            Some("message_start") => {
                let used = event
                    .get("message")
                    .and_then(|message| message.get("usage"));
                self.call = used.map(Usage::read).unwrap_or_default();
            }
            // Counts only the output of the call; its input was reported at its start.
            Some("message_delta") => {
                let wrote = event.get("usage").map(Usage::read).unwrap_or_default();
                self.call.total = self.call.total.saturating_sub(self.call.output) + wrote.output;
                self.call.output = wrote.output;
                self.said.usage.add(&std::mem::take(&mut self.call));
                out.usage(self.said.usage);
            }
            _ => {}
        }
    }

    fn retry(&mut self, event: &Value, out: &mut Out) {
        let status = event
            .get("error_status")
            .and_then(Value::as_u64)
            .and_then(|status| status.try_into().ok());
        let error = text_at(event, &["error"]).unwrap_or("an error");
        if let Some(401 | 403) = status {
            self.said.fail(
                AgentFailureKind::Auth,
                format!("the login was refused: {error}"),
            );
            out.over = Some(Over::Now);
            return;
        }
        out.notice(format!("the agent asks its model again: {error}"));
    }

    fn result(&mut self, event: &Value, out: &mut Out) {
        let text = text_at(event, &["result"]).unwrap_or_default();
        let subtype = text_at(event, &["subtype"]).unwrap_or_default();
        let status = event
            .get("api_error_status")
            .and_then(Value::as_u64)
            .and_then(|code| code.try_into().ok());
        self.count(event);
        out.usage(self.said.usage);
        self.said.failure = None;
        if event.get("is_error") == Some(&Value::Bool(true)) {
            let interrupted = subtype == "error_during_execution";
            match (interrupted, text.is_empty()) {
                (true, _) => self
                    .said
                    .fail(AgentFailureKind::Aborted, "the turn was aborted"),
                (false, true) => self.said.read_failure(status, subtype),
                (false, false) => self.said.read_failure(status, text),
            }
        } else {
            // The text before a steering message is part of the answer.
            let before = std::mem::take(&mut self.said.text);
            let whole = if self.answered && !before.is_empty() {
                format!("{before}\n\n{text}")
            } else {
                text.to_owned()
            };
            self.said.answer(&whole);
            self.said.session = text_at(event, &["session_id"])
                .filter(|_| self.keeps)
                .map(str::to_owned);
        }
        // The steering text may cause one more answer. Closing stdin then ends the program.
        if self.steered {
            self.answered = true;
            out.close = true;
        } else {
            out.over = Some(Over::Gently);
        }
    }

    /// Usage counts from the start of the program, and each turn has a program of its own.
    fn count(&mut self, event: &Value) {
        let models = event.get("modelUsage").and_then(Value::as_object);
        let counted = models.into_iter().flatten().map(|(model, used)| {
            let field = |name: &str| used.get(name).cloned().unwrap_or_default();
            let usage = json!({
                "input": field("inputTokens"), "output": field("outputTokens"), "cost": field("costUSD"),
                "cacheRead": field("cacheReadInputTokens"), "cacheWrite": field("cacheCreationInputTokens"),
            });
            (model.clone(), Usage::read(&usage))
        });
        self.said.models = counted.take(64).collect();
        let mut sum = Usage::default();
        self.said.models.values().for_each(|usage| sum.add(usage));
        if sum.total == 0 {
            sum = event.get("usage").map(Usage::read).unwrap_or_default();
            sum.cost = event
                .get("total_cost_usd")
                .and_then(Value::as_f64)
                .unwrap_or_default();
        }
        // Calls that the program does not count were paid for all the same.
        if sum.total >= self.said.usage.total {
            self.said.usage = sum;
        }
    }
}

impl Protocol for Claude {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        let fixed = "-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --replay-user-messages";
        let mut args: Vec<String> = fixed.split(' ').map(str::to_owned).collect();
        let mut notices = Vec::new();
        match turn.memory {
            AgentMemory::None => args.push("--no-session-persistence".into()),
            AgentMemory::Kept { from, .. } => {
                self.keeps = true;
                if let Some(from) = from {
                    args.extend(["--resume".into(), from.to_owned(), "--fork-session".into()]);
                }
            }
        }
        args.extend(tools(turn.tools));
        if let Some(model) = turn.model {
            args.extend([
                "--model".into(),
                without_provider(model, &["anthropic"]).to_owned(),
            ]);
        }
        match turn.thinking {
            None | Some("off") => {}
            Some("minimal") => args.extend(["--effort".into(), "low".into()]),
            Some(level) => args.extend(["--effort".into(), level.to_owned()]),
        }
        let mut prompt = turn.prompt.to_owned();
        match turn.system {
            Some(system) if system.len() <= MAX_ARGUMENT => {
                args.extend(["--append-system-prompt".into(), system.to_owned()]);
            }
            Some(system) => prompt = format!("{system}\n\n{prompt}"),
            None => {}
        }
        if let AgentTools::Custom(names) = turn.tools
            && names.is_empty()
        {
            notices.push("an empty choice of tools is none".to_owned());
        }
        let mut first = Out::default();
        first.send(&user(&prompt));
        AgentLaunch {
            args,
            stdin: first.send,
            notices,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        let Some(event) = object(line) else { return };
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        match (
            text_at(&event, &["type"]).unwrap_or_default(),
            text_at(&event, &["subtype"]),
        ) {
            ("system", Some("api_retry")) => self.retry(&event, out),
            ("stream_event", _) => self.stream(part("event"), out),
            ("assistant", _) => self.assistant(part("message"), out),
            ("user", _) => self.results(part("message"), out),
            ("result", _) => self.result(&event, out),
            _ => {}
        }
    }

    fn steer(&mut self, text: &str, out: &mut Out) -> bool {
        self.steered = true;
        self.steers.push(text.to_owned());
        out.send(&user(text));
        true
    }

    fn abort(&mut self, out: &mut Out) -> bool {
        self.steered = false;
        let request = json!({"subtype": "interrupt"});
        out.send(&json!({"type": "control_request", "request_id": "abort", "request": request}));
        true
    }

    fn exited(&mut self, _code: i32) -> bool {
        self.answered
    }

    fn said(&self) -> &TurnProgress {
        &self.said
    }
}

fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

/// The flags of a scope: the available tools, and permission to use them without asking.
fn tools(scope: &AgentTools) -> Vec<String> {
    let (given, allowed) = match scope {
        AgentTools::Coding => ("default".to_owned(), ALL.to_owned()),
        AgentTools::ReadOnly => (READING.to_owned(), READING.to_owned()),
        AgentTools::None => (String::new(), String::new()),
        AgentTools::Custom(names) => {
            let names: Vec<&str> = names.iter().map(|name| called(name)).collect();
            (names.join(","), names.join(","))
        }
    };
    let mut args = vec!["--tools".to_owned(), given];
    if !allowed.is_empty() {
        args.extend(["--allowedTools".to_owned(), allowed]);
    }
    // Exclude the tools of MCP servers from a scope that does not name them.
    if !matches!(scope, AgentTools::Coding) {
        args.push("--strict-mcp-config".to_owned());
    }
    args
}

/// Claude Code's name of a tool. Names that loadouts share are translated.
fn called(name: &str) -> &str {
    match name {
        "read" => "Read",
        "grep" => "Grep",
        "find" | "ls" | "glob" => "Glob",
        "bash" => "Bash",
        "edit" => "Edit",
        "write" => "Write",
        other => other,
    }
}

#[cfg(test)]
mod tests;
