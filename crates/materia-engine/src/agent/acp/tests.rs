//! What an agent that speaks ACP says, and what it is answered.

use std::path::Path;

use super::*;
use crate::agent::backend::Activity;
use crate::agent::protocol::tests::{play, turn};

fn launched(scope: &Tools, memory: Memory<'_>) -> (Acp, Launch) {
    let mut acp = Acp::default();
    let launch = acp.launch(&Turn { memory, system: Some("Be kind."), ..turn("do it", scope) });
    (acp, launch)
}

fn sent(out: &Out) -> Vec<Value> {
    String::from_utf8_lossy(&out.send).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TOOL: &str = include_str!("transcripts/tool.jsonl");

#[test]
fn a_turn_with_a_tool() {
    let (mut acp, launch) = launched(&Tools::Coding, Memory::None);
    assert_eq!(launch.notices, Vec::<String>::new());
    let out = play(&mut acp, TOOL);
    assert_eq!(acp.said().text, "I will.\n\nTool said hi");
    assert_eq!((acp.said().usage.input, acp.said().usage.output), (200, 40));
    assert_eq!((out.over, &acp.said().failure), (Some(Over::Gently), &None));
    assert!(out.seen.contains(&Activity::ToolEnd { name: "echo hi".to_owned(), ok: true }));
    let sent = sent(&out);
    assert_eq!(sent[1]["params"]["prompt"][0]["text"], "Be kind.\n\ndo it");
    assert_eq!(sent[2]["result"]["outcome"], json!({"outcome": "selected", "optionId": "once"}));
}

#[test]
fn a_scope_answers_for_permission() {
    for (scope, option) in [
        (Tools::None, "no"),
        (Tools::ReadOnly, "no"),
        (Tools::Custom(vec!["bash".to_owned()]), "once"),
        (Tools::Custom(vec!["read".to_owned()]), "no"),
    ] {
        let (mut acp, launch) = launched(&scope, Memory::None);
        assert_eq!(launch.notices.len(), 1, "{scope:?}");
        let out = play(&mut acp, TOOL);
        assert_eq!(sent(&out)[2]["result"]["outcome"]["optionId"], option, "{scope:?}");
    }
}

#[test]
fn a_turn_that_ends_without_a_word_is_empty_and_errors_have_kinds() {
    let (mut acp, _) = launched(&Tools::Coding, Memory::None);
    let quiet: Vec<&str> = TOOL.lines().filter(|line| !line.contains("chunk")).collect();
    play(&mut acp, &quiet.join("\n"));
    assert_eq!(acp.said().failure.as_ref().unwrap().kind, FailureKind::Empty);
    for (error, kind) in [
        (
            json!({"code": -32603, "message": "Internal error", "data": {"details": "401 unauthorized"}}),
            FailureKind::Auth,
        ),
        (json!({"code": 400, "message": "no such field"}), FailureKind::InvalidRequest),
        (json!({"code": -32603, "message": "odd"}), FailureKind::Crash),
    ] {
        let (mut acp, _) = launched(&Tools::Coding, Memory::None);
        play(&mut acp, &json!({"jsonrpc": "2.0", "id": 3, "error": error}).to_string());
        assert_eq!(acp.said().failure.as_ref().unwrap().kind, kind, "{error}");
    }
}

#[test]
fn a_session_is_loaded_where_the_agent_can_and_its_past_is_not_the_answer() {
    let kept = Memory::Kept { folder: Path::new("/s"), from: Some("s-0") };
    let (mut acp, _) = launched(&Tools::Coding, kept);
    let past = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"update":
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old words"}}}});
    let lines: Vec<&str> = TOOL.lines().collect();
    let out = play(&mut acp, &[&[lines[0], &past.to_string()], &lines[1..]].concat().join("\n"));
    assert_eq!(sent(&out)[0]["method"], "session/load");
    assert_eq!(
        (acp.said().text.as_str(), acp.said().session.as_deref()),
        ("I will.\n\nTool said hi", Some("s-1"))
    );
    let (mut acp, _) = launched(&Tools::Coding, kept);
    play(&mut acp, &lines[0].replace("\"loadSession\":true", "\"loadSession\":false"));
    assert_eq!(acp.said().failure.as_ref().unwrap().kind, FailureKind::Config);
}

#[test]
fn an_abort_is_a_cancel_once_there_is_a_prompt() {
    let (mut acp, _) = launched(&Tools::Coding, Memory::None);
    assert!(!acp.abort(&mut Out::default()));
    let lines: Vec<&str> = TOOL.lines().collect();
    play(&mut acp, &lines[..2].join("\n"));
    let mut out = Out::default();
    assert!(acp.abort(&mut out));
    assert_eq!(sent(&out)[0]["method"], "session/cancel");
    play(&mut acp, r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}"#);
    assert_eq!(acp.said().failure.as_ref().unwrap().kind, FailureKind::Aborted);
}
