//! The messages of an ACP agent, and our replies.

use std::path::Path;

use super::*;
use crate::agent::backend::Activity;
use crate::agent::protocol::tests::{play, turn};

fn launched(scope: &AgentTools, memory: AgentMemory<'_>) -> (Acp, AgentLaunch) {
    let mut acp = Acp::default();
    let launch = acp.launch(&AgentTurn {
        memory,
        system: Some("Be kind."),
        ..turn("do it", scope)
    });
    (acp, launch)
}

fn sent(out: &Out) -> Vec<Value> {
    String::from_utf8_lossy(&out.send)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const TOOL: &str = include_str!("transcripts/tool.jsonl");

#[test]
fn a_turn_with_a_tool() {
    let (mut acp, launch) = launched(&AgentTools::Coding, AgentMemory::None);
    assert_eq!(launch.notices, Vec::<String>::new());
    let out = play(&mut acp, TOOL);
    assert_eq!(acp.said().text, "I will.\n\nTool said hi");
    assert_eq!((acp.said().usage.input, acp.said().usage.output), (200, 40));
    assert_eq!((out.over, &acp.said().failure), (Some(Over::Gently), &None));
    assert!(out.seen.contains(&Activity::ToolEnd {
        name: "echo hi".to_owned(),
        ok: true
    }));
    let sent = sent(&out);
    assert_eq!(sent[1]["params"]["prompt"][0]["text"], "Be kind.\n\ndo it");
    assert_eq!(
        sent[2]["result"]["outcome"],
        json!({"outcome": "selected", "optionId": "once"})
    );
}

#[test]
fn a_scope_answers_for_permission() {
    for (scope, option) in [
        (AgentTools::None, "no"),
        (AgentTools::ReadOnly, "no"),
        (AgentTools::Custom(vec!["bash".to_owned()]), "once"),
        (AgentTools::Custom(vec!["read".to_owned()]), "no"),
    ] {
        let (mut acp, launch) = launched(&scope, AgentMemory::None);
        assert_eq!(launch.notices.len(), 1, "{scope:?}");
        let out = play(&mut acp, TOOL);
        assert_eq!(
            sent(&out)[2]["result"]["outcome"]["optionId"],
            option,
            "{scope:?}"
        );
    }
}

#[test]
fn a_turn_that_ends_without_a_word_is_empty_and_errors_have_kinds() {
    let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
    let quiet: Vec<&str> = TOOL
        .lines()
        .filter(|line| !line.contains("chunk"))
        .collect();
    play(&mut acp, &quiet.join("\n"));
    assert_eq!(
        acp.said().failure.as_ref().unwrap().kind,
        AgentFailureKind::Empty
    );
    for (error, kind) in [
        (
            json!({"code": -32603, "message": "Internal error", "data": {"details": "401 unauthorized"}}),
            AgentFailureKind::Auth,
        ),
        (
            json!({"code": 400, "message": "no such field"}),
            AgentFailureKind::InvalidRequest,
        ),
        (
            json!({"code": -32603, "message": "odd"}),
            AgentFailureKind::Crash,
        ),
    ] {
        let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
        play(
            &mut acp,
            &json!({"jsonrpc": "2.0", "id": 3, "error": error}).to_string(),
        );
        assert_eq!(acp.said().failure.as_ref().unwrap().kind, kind, "{error}");
    }
}

#[test]
fn a_session_is_loaded_where_the_agent_can_and_its_past_is_not_the_answer() {
    let kept = AgentMemory::Kept {
        folder: Path::new("/s"),
        from: Some("s-0"),
    };
    let (mut acp, _) = launched(&AgentTools::Coding, kept);
    let past = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"update":
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old words"}}}});
    let lines: Vec<&str> = TOOL.lines().collect();
    let out = play(
        &mut acp,
        &[&[lines[0], &past.to_string()], &lines[1..]]
            .concat()
            .join("\n"),
    );
    assert_eq!(sent(&out)[0]["method"], "session/load");
    assert_eq!(
        (acp.said().text.as_str(), acp.said().session.as_deref()),
        ("I will.\n\nTool said hi", Some("s-1"))
    );
    let (mut acp, _) = launched(&AgentTools::Coding, kept);
    play(
        &mut acp,
        &lines[0].replace("\"loadSession\":true", "\"loadSession\":false"),
    );
    assert_eq!(
        acp.said().failure.as_ref().unwrap().kind,
        AgentFailureKind::Config
    );
}

#[test]
fn an_abort_is_a_cancel_once_there_is_a_prompt() {
    let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
    assert!(!acp.abort(&mut Out::default()));
    let lines: Vec<&str> = TOOL.lines().collect();
    play(&mut acp, &lines[..2].join("\n"));
    let mut out = Out::default();
    assert!(acp.abort(&mut out));
    assert_eq!(sent(&out)[0]["method"], "session/cancel");
    play(
        &mut acp,
        r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}"#,
    );
    assert_eq!(
        acp.said().failure.as_ref().unwrap().kind,
        AgentFailureKind::Aborted
    );
}

#[test]
fn a_session_goes_on_in_a_copy_where_the_agent_can_make_one() {
    let kept = AgentMemory::Kept {
        folder: Path::new("/s"),
        from: Some("s-0"),
    };
    let (mut acp, _) = launched(&AgentTools::Coding, kept);
    let can = json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1,
        "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"fork": {}}}}});
    let out = play(&mut acp, &can.to_string());
    assert_eq!(
        (
            &sent(&out)[0]["method"],
            &sent(&out)[0]["params"]["sessionId"]
        ),
        (&json!("session/fork"), &json!("s-0"))
    );
    let out = play(
        &mut acp,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-2"}}"#,
    );
    assert_eq!(sent(&out)[0]["params"]["sessionId"], "s-2");
}

#[test]
fn what_is_said_meanwhile_is_heard_by_those_that_say_so() {
    let lines: Vec<&str> = TOOL.lines().collect();
    let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
    play(&mut acp, &lines[..2].join("\n"));
    assert!(
        !acp.steer("faster", &mut Out::default()),
        "this one does not say so"
    );
    let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
    let mut can: Value = serde_json::from_str(lines[0]).unwrap();
    can["result"]["_meta"] = json!({"steering": {"supported": true}});
    play(&mut acp, &[&can.to_string(), lines[1]].join("\n"));
    let mut out = Out::default();
    assert!(acp.steer("faster", &mut out) && acp.steer("and louder", &mut out));
    assert_eq!(sent(&out)[1]["method"], "_session/steering");
    let heard = play(
        &mut acp,
        "{\"id\":102,\"result\":{\"outcome\":\"injected\"}}\n{\"id\":101,\"result\":{\"outcome\":\"promptRequired\"}}",
    );
    assert_eq!(
        heard.seen,
        [Activity::Heard {
            text: "and louder".to_owned()
        }]
    );
    assert_eq!(heard.over, None);
}

#[test]
fn the_larger_count_is_believed() {
    let (mut acp, _) = launched(&AgentTools::Coding, AgentMemory::None);
    let count = json!({"inputTokens": 300, "outputTokens": 60});
    let ended = json!({"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn",
        "usage": {"inputTokens": 100, "outputTokens": 20},
        "_meta": {"quota": {"model_usage": [{"model": "m", "token_count": count}]}}}});
    play(&mut acp, &ended.to_string());
    assert_eq!(
        (acp.said().usage.total, acp.said().models["m"].input),
        (360, 300)
    );
}
