//! Replays recorded output of Codex.

use std::path::Path;

use super::*;
use crate::agent::backend::Activity;
use crate::agent::protocol::tests::{play, turn};

const TOOL: &str = include_str!("transcripts/tool.jsonl");

fn launched(memory: AgentMemory<'_>, scope: &AgentTools) -> (Codex, AgentLaunch) {
    let mut codex = Codex::default();
    let launch = codex.launch(&AgentTurn {
        memory,
        model: Some("openai/m"),
        thinking: Some("off"),
        ..turn("do it", scope)
    });
    (codex, launch)
}

fn sent(out: &Out) -> Vec<Value> {
    String::from_utf8_lossy(&out.send)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_turn_with_a_tool() {
    let (mut codex, _) = launched(AgentMemory::None, &AgentTools::Coding);
    let out = play(&mut codex, TOOL);
    assert_eq!(
        (out.over, &codex.said().failure),
        (Some(Over::Gently), &None)
    );
    assert!(codex.said().text.contains("real-42"));
    assert_eq!(
        (codex.said().usage.input, codex.said().usage.output),
        (300, 50)
    );
    assert_eq!(codex.said().models["scripted-1"].total, 350);
    assert!(out.seen.contains(&Activity::ToolEnd {
        name: "command".to_owned(),
        ok: true
    }));
    let sent = sent(&out);
    assert_eq!(sent[1]["params"]["ephemeral"], true);
    assert_eq!(
        (&sent[1]["params"]["sandbox"], &sent[1]["params"]["model"]),
        (&json!("danger-full-access"), &json!("m"))
    );
    assert_eq!(
        (&sent[2]["method"], &sent[2]["params"]["effort"]),
        (&json!("turn/start"), &json!("minimal"))
    );
}

#[test]
fn what_a_provider_refused_is_told_as_it_was() {
    let cases = [
        (
            include_str!("transcripts/bad.jsonl"),
            AgentFailureKind::InvalidRequest,
            Over::Gently,
        ),
        (
            include_str!("transcripts/login.jsonl"),
            AgentFailureKind::Auth,
            Over::Now,
        ),
        (
            include_str!("transcripts/window.jsonl"),
            AgentFailureKind::ContextWindow,
            Over::Gently,
        ),
    ];
    for (transcript, kind, over) in cases {
        let (mut codex, _) = launched(AgentMemory::None, &AgentTools::None);
        let out = play(&mut codex, transcript);
        assert_eq!(
            (codex.said().failure.as_ref().unwrap().kind, out.over),
            (kind, Some(over))
        );
    }
    let (mut codex, _) = launched(AgentMemory::None, &AgentTools::None);
    let out = play(&mut codex, include_str!("transcripts/hang-up.jsonl"));
    assert_eq!(codex.said().text, "recovered");
    assert!(
        out.seen
            .iter()
            .any(|seen| matches!(seen, Activity::Notice { .. }))
    );
}

#[test]
fn a_session_is_forked_and_a_scope_that_is_not_kept_is_told() {
    let (mut codex, launch) = launched(
        AgentMemory::Kept {
            folder: Path::new("/s"),
            from: Some("t0"),
        },
        &AgentTools::None,
    );
    assert_eq!(launch.notices.len(), 1);
    let out = play(&mut codex, TOOL);
    assert_eq!(
        (
            &sent(&out)[1]["method"],
            &sent(&out)[1]["params"]["threadId"]
        ),
        (&json!("thread/fork"), &json!("t0"))
    );
    assert!(codex.said().session.is_some());
    assert_eq!(
        launched(AgentMemory::None, &AgentTools::ReadOnly)
            .1
            .notices
            .len(),
        0
    );
}

#[test]
fn questions_are_declined_and_an_abort_names_the_turn() {
    let (mut codex, _) = launched(AgentMemory::None, &AgentTools::Coding);
    assert!(!codex.abort(&mut Out::default()) && !codex.steer("x", &mut Out::default()));
    let until = TOOL
        .lines()
        .position(|line| line.contains("turn/started"))
        .unwrap();
    play(
        &mut codex,
        &TOOL.lines().take(until + 1).collect::<Vec<_>>().join("\n"),
    );
    let mut out = Out::default();
    assert!(codex.abort(&mut out) && codex.steer("x", &mut out));
    assert_eq!(
        (&sent(&out)[0]["method"], &sent(&out)[1]["method"]),
        (&json!("turn/interrupt"), &json!("turn/steer"))
    );
    let asked = play(
        &mut codex,
        r#"{"id":5,"method":"item/commandExecution/requestApproval","params":{}}"#,
    );
    assert_eq!(sent(&asked)[0]["error"]["code"], -32601);
    let cached =
        json!({"inputTokens": 10, "cachedInputTokens": 4, "outputTokens": 1, "totalTokens": 11});
    let used = call(&cached);
    assert_eq!((used.input, used.cache_read, used.total), (6, 4, 11));
}

#[test]
fn what_is_said_meanwhile_counts_as_heard_when_it_was_taken() {
    let mut codex = Codex {
        thread_id: Some("t".to_owned()),
        turn_id: Some("u".to_owned()),
        ..Codex::default()
    };
    let mut out = Out::default();
    assert!(codex.steer("one", &mut out) && codex.steer("two", &mut out));
    let heard = play(
        &mut codex,
        "{\"id\":101,\"error\":{\"message\":\"no active turn to steer\"}}\n{\"id\":102,\"result\":{\"turnId\":\"u\"}}",
    );
    assert_eq!(
        heard.seen,
        [Activity::Heard {
            text: "two".to_owned()
        }]
    );
    assert_eq!((heard.over, &codex.said().failure), (None, &None));
}
