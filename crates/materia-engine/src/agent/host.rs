//! The host session that started the cast, as an agent: it plays the turns in its own conversation.
//!
//! Owns the messages of a turn that is sent to a host, and reads the replies: the events of the
//! conversation in the format of the host's program, and two messages of ours for a host that is
//! missing or went away. The started program is this one, which relays lines between here and the
//! host. It exits when either end closes.

use std::path::PathBuf;

use materia_model::agent::{AgentFailure, AgentFailureKind};
use materia_model::materia::AgentTools;
use serde_json::{Value, json};

use super::backend::{AgentMemory, AgentTurn};
use super::pi::Pi;
use super::protocol::{AgentLaunch, Out, Over, Protocol, TurnProgress, object, text_at};

/// The agent's name in documents.
pub(super) const NAME: &str = "session";
/// This program, even if its file was replaced meanwhile.
const SELF: &str = "/proc/self/exe";

/// The program that relays the lines, and its arguments.
pub(super) fn program() -> (PathBuf, [&'static str; 1]) {
    (PathBuf::from(SELF), ["turn"])
}

/// One turn in a host's session.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// The host reports events in Pi's format.
    events: Pi,
    failure: Option<TurnProgress>,
}

impl Host {
    fn fail(&mut self, failure: AgentFailure, out: &mut Out) {
        self.failure = Some(TurnProgress {
            failure: Some(failure),
            ..self.events.said().clone()
        });
        out.over = Some(Over::Gently);
    }
}

impl Protocol for Host {
    fn launch(&mut self, turn: &AgentTurn<'_>) -> AgentLaunch {
        let tools: Option<Vec<&str>> = match turn.tools {
            AgentTools::Coding => None,
            AgentTools::None => Some(Vec::new()),
            AgentTools::ReadOnly => Some(vec!["read", "grep", "find", "ls"]),
            AgentTools::Custom(names) => Some(names.iter().map(String::as_str).collect()),
        };
        let (keeps, from) = match turn.memory {
            AgentMemory::None => (false, None),
            AgentMemory::Kept { from, .. } => (true, from),
        };
        let mut first = Out::default();
        first.send(&json!({
            "type": "prompt", "message": turn.prompt, "system": turn.system, "tools": tools, "model": turn.model,
            "thinking": turn.thinking, "keeps": keeps, "from": from, "socket": turn.socket,
            "materia": turn.materia, "item": turn.item,
        }));
        AgentLaunch {
            stdin: first.send,
            ..AgentLaunch::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Out) {
        let event = object(line).unwrap_or_default();
        let said = || {
            text_at(&event, &["error"])
                .unwrap_or("it says no more")
                .to_owned()
        };
        match text_at(&event, &["type"]) {
            Some("unavailable") => {
                let failure = AgentFailure::new(AgentFailureKind::Unavailable, said());
                let hint = text_at(&event, &["hint"]).map(str::to_owned);
                self.fail(hint.into_iter().fold(failure, AgentFailure::hint), out);
            }
            Some("gone") => self.fail(AgentFailure::new(AgentFailureKind::Crash, said()), out),
            Some("agent_settled") => {
                let session = event
                    .get("session")
                    .and_then(Value::as_str)
                    .map(str::to_owned);
                self.events.kept(session);
                self.events.line(line, out);
            }
            _ => self.events.line(line, out),
        }
    }

    fn steer(&mut self, text: &str, out: &mut Out) -> bool {
        self.events.steer(text, out)
    }

    fn abort(&mut self, out: &mut Out) -> bool {
        self.events.abort(out)
    }

    fn said(&self) -> &TurnProgress {
        self.failure.as_ref().unwrap_or(self.events.said())
    }
}

#[cfg(test)]
mod tests {
    use super::super::backend::DEFAULT_TIMEOUT;
    use super::*;
    use materia_model::agent::TurnKind;
    use std::path::Path;

    fn turn(tools: &AgentTools) -> AgentTurn<'_> {
        AgentTurn {
            socket: "Socket-1",
            materia: "Build",
            item: None,
            kind: TurnKind::Work,
            prompt: "do it",
            system: None,
            tools,
            model: None,
            thinking: None,
            agent: None,
            memory: AgentMemory::Kept {
                folder: Path::new("/x"),
                from: Some("t1"),
            },
            timeout: DEFAULT_TIMEOUT,
            cwd: Path::new("/"),
        }
    }

    #[test]
    fn a_turn_goes_out_with_its_scope_and_comes_back_as_events() {
        let mut host = Host::default();
        let launch = host.launch(&turn(&AgentTools::ReadOnly));
        let asked: Value = serde_json::from_slice(&launch.stdin).unwrap();
        assert_eq!(
            (&asked["tools"], &asked["from"]),
            (&json!(["read", "grep", "find", "ls"]), &json!("t1"))
        );
        let message = json!({"role": "assistant", "content": [{"type": "text", "text": "done"}], "usage": {"input": 3, "output": 4, "totalTokens": 7}});
        let mut out = Out::default();
        host.line(
            json!({"type": "message_end", "message": message})
                .to_string()
                .as_bytes(),
            &mut out,
        );
        assert!(out.over.is_none());
        host.line(
            json!({"type": "agent_settled", "session": "t2"})
                .to_string()
                .as_bytes(),
            &mut out,
        );
        assert_eq!(out.over, Some(Over::Gently));
        let said = host.said();
        assert_eq!((said.text.as_str(), said.usage.total), ("done", 7));
        assert_eq!(
            (said.session.as_deref(), &said.failure),
            (Some("t2"), &None)
        );
    }

    #[test]
    fn a_host_that_is_not_there_and_one_that_goes_are_told_apart() {
        for (word, kind) in [
            ("unavailable", AgentFailureKind::Unavailable),
            ("gone", AgentFailureKind::Crash),
        ] {
            let (mut host, mut out) = (Host::default(), Out::default());
            host.line(
                json!({"type": word, "error": "no host"})
                    .to_string()
                    .as_bytes(),
                &mut out,
            );
            assert_eq!(out.over, Some(Over::Gently));
            assert_eq!(
                host.said().failure.as_ref().map(|failure| failure.kind),
                Some(kind)
            );
        }
    }
}
