//! Replays recorded output of Pi.

use super::*;
use crate::agent::backend::Activity;
use crate::agent::protocol::tests::{play, turn};

const NEW: &str = include_str!("transcripts/new-tool.jsonl");
const OLD: &str = include_str!("transcripts/old-tool.jsonl");

fn sent(out: &Out) -> Vec<Value> {
    String::from_utf8_lossy(&out.send)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_turn_of_a_version_that_settles() {
    let mut pi = Pi::default();
    let out = play(&mut pi, NEW);
    assert_eq!(out.over, Some(Over::Gently));
    assert_eq!(pi.said().text.trim(), "It said: real-42");
    assert_eq!((pi.said().usage.input, pi.said().usage.output), (300, 50));
    assert!((pi.said().usage.cost - 0.0004).abs() < 1e-9);
    assert_eq!(pi.said().models["scripted-1"].total, 350);
    let tools = out
        .seen
        .iter()
        .filter(|seen| matches!(seen, Activity::ToolStart { name, .. } if name == "bash"));
    assert_eq!(tools.count(), 1);
    assert!(out.seen.contains(&Activity::ToolEnd {
        name: "bash".to_owned(),
        ok: true
    }));
}

#[test]
fn a_version_that_does_not_settle_is_asked_for_its_state() {
    let mut pi = Pi::default();
    let end = OLD
        .lines()
        .position(|line| line.contains("\"agent_end\""))
        .unwrap();
    let lines: Vec<&str> = OLD.lines().collect();
    let out = play(&mut pi, &lines[..=end].join("\n"));
    assert_eq!((out.over, out.wake), (None, Some(Wake::In(SETTLING))));
    let mut out = Out::default();
    pi.woken(&mut out);
    assert_eq!(sent(&out)[0]["type"], "get_state");
    let state = |busy: bool| json!({"type": "response", "command": "get_state", "success": true, "data": {"isStreaming": busy}});
    assert_eq!(
        play(&mut pi, &state(true).to_string()).wake,
        Some(Wake::In(SETTLING))
    );
    assert_eq!(
        play(&mut pi, &state(false).to_string()).over,
        Some(Over::Gently)
    );
    assert_eq!(
        (pi.said().text.trim(), pi.said().usage.total),
        ("It said: real-42", 350)
    );
}

#[test]
fn a_message_that_was_cut_off_was_paid_for() {
    let mut pi = Pi::default();
    let update = json!({"type": "message_update", "usage": {"input": 100, "output": 7}});
    let end = json!({"type": "message_end", "message": {"role": "assistant", "content": [], "stopReason": "aborted",
        "usage": {"input": 0, "output": 0}}});
    play(&mut pi, &format!("{update}\n{end}"));
    assert_eq!(
        (
            pi.said().usage.total,
            pi.said().failure.as_ref().unwrap().kind
        ),
        (107, AgentFailureKind::Aborted)
    );
}

#[test]
fn a_retry_after_the_end_is_waited_for() {
    let mut pi = Pi::default();
    let out = play(
        &mut pi,
        "{\"type\":\"agent_end\",\"messages\":[]}\n{\"type\":\"auto_retry_start\",\"attempt\":1}",
    );
    assert_eq!(out.wake, Some(Wake::Never));
    assert_eq!(
        play(&mut pi, "{\"type\":\"agent_end\",\"willRetry\":true}").wake,
        None
    );
}

#[test]
fn what_a_provider_refused_is_told_as_it_was() {
    let cases = [
        (
            include_str!("transcripts/new-bad.jsonl"),
            AgentFailureKind::InvalidRequest,
        ),
        (
            include_str!("transcripts/old-bad.jsonl"),
            AgentFailureKind::InvalidRequest,
        ),
        (
            include_str!("transcripts/new-login.jsonl"),
            AgentFailureKind::Auth,
        ),
        (
            include_str!("transcripts/old-login.jsonl"),
            AgentFailureKind::Auth,
        ),
        (
            include_str!("transcripts/new-window.jsonl"),
            AgentFailureKind::ContextWindow,
        ),
    ];
    for (transcript, kind) in cases {
        let mut pi = Pi::default();
        play(&mut pi, transcript);
        assert_eq!(
            pi.said().failure.as_ref().map(|failure| failure.kind),
            Some(kind)
        );
    }
    for transcript in [
        include_str!("transcripts/new-hang-up.jsonl"),
        include_str!("transcripts/old-hang-up.jsonl"),
    ] {
        let mut pi = Pi::default();
        play(&mut pi, transcript);
        assert_eq!(
            (pi.said().text.as_str(), &pi.said().failure),
            ("recovered", &None)
        );
    }
}

#[test]
fn a_prompt_that_is_refused_is_a_failure_and_dialogs_are_dismissed() {
    let mut pi = Pi::default();
    let refused = r#"{"id":"turn","type":"response","command":"prompt","success":false,"error":"No API key found"}"#;
    assert_eq!(play(&mut pi, refused).over, Some(Over::Gently));
    assert_eq!(
        pi.said().failure.as_ref().unwrap().kind,
        AgentFailureKind::Auth
    );
    let dialog = r#"{"type":"extension_ui_request","id":"d1","method":"confirm","title":"Sure?"}"#;
    let out = play(&mut pi, dialog);
    assert_eq!(
        sent(&out)[0],
        json!({"type": "extension_ui_response", "id": "d1", "cancelled": true})
    );
    let status = r#"{"type":"extension_ui_request","id":"d2","method":"setStatus"}"#;
    assert!(play(&mut pi, status).send.is_empty());
}

#[test]
fn flags_say_what_the_turn_wants() {
    let args = |turn: &AgentTurn<'_>| Pi::default().launch(turn).args.join(" ");
    let plain = turn("x", &AgentTools::Coding);
    assert_eq!(args(&plain), "--mode rpc --no-session");
    let custom = AgentTools::Custom(vec!["read".to_owned(), "spawn".to_owned()]);
    let full = AgentTurn {
        model: Some("loop:m"),
        thinking: Some("high"),
        system: Some("S"),
        tools: &custom,
        ..plain
    };
    assert_eq!(
        args(&full),
        "--mode rpc --append-system-prompt S --no-session --tools read,spawn --model loop/m --thinking high"
    );
    assert_eq!(
        (spelled("a/b:high"), spelled("m:high"), spelled("m")),
        ("a/b:high".into(), "m:high".into(), "m".into())
    );
    let long = "x".repeat(MAX_ARGUMENT + 1);
    let launch = Pi::default().launch(&AgentTurn {
        system: Some(&long),
        ..plain
    });
    assert!(!launch.args.iter().any(|arg| arg.len() > 100) && launch.stdin.len() > long.len());
}

#[test]
fn a_session_is_continued_in_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let first = session(folder.path(), None).unwrap();
    assert!(!Path::new(&first).exists(), "the program makes it");
    crate::store::atomic::write(Path::new(&first), b"{}\n").unwrap();
    let second = session(folder.path(), Some(&first)).unwrap();
    assert_eq!(std::fs::read(&second).unwrap(), b"{}\n");
    assert!(
        session(folder.path(), Some("/nowhere.jsonl"))
            .unwrap_err()
            .contains("/nowhere.jsonl")
    );
}

#[test]
fn what_is_said_meanwhile_counts_as_heard_when_it_stands_in_the_conversation() {
    let mut pi = Pi::default();
    let mut out = Out::default();
    assert!(pi.steer("faster", &mut out) && pi.steer("louder", &mut out));
    let said = |text: &str| {
        json!({"type": "message_end", "message": {"role": "user", "content": [{"type": "text", "text": text}]}}).to_string()
    };
    let heard = play(&mut pi, &[said("the prompt"), said("louder")].join("\n"));
    assert_eq!(
        heard.seen,
        [Activity::Heard {
            text: "louder".to_owned()
        }]
    );
    assert_eq!(pi.steers, ["faster"]);
}
