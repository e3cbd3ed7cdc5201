//! Replays recorded output of Claude Code.

use std::path::Path;

use super::*;
use crate::agent::backend::Activity;
use crate::agent::protocol::tests::{play, turn};

const TOOL: &str = include_str!("transcripts/tool.jsonl");

fn args(turn: &AgentTurn<'_>) -> String {
    Claude::default().launch(turn).args.join(" ")
}

#[test]
fn a_turn_with_a_tool() {
    let mut claude = Claude::default();
    let out = play(&mut claude, TOOL);
    assert_eq!(
        (out.over, &claude.said().failure),
        (Some(Over::Gently), &None)
    );
    assert_eq!(claude.said().text, "It said: real-42");
    assert_eq!(
        (claude.said().usage.input, claude.said().usage.output),
        (300, 50)
    );
    assert_eq!(claude.said().models["scripted-1"].total, 350);
    assert!(claude.said().usage.cost > 0.0 && claude.said().session.is_none());
    assert!(out.seen.contains(&Activity::ToolEnd {
        name: "Bash".to_owned(),
        ok: true
    }));
}

#[test]
fn what_was_used_is_known_before_the_turn_is_over() {
    let mut claude = Claude::default();
    let until = TOOL
        .lines()
        .position(|line| line.contains("tool_result"))
        .unwrap();
    play(
        &mut claude,
        &TOOL.lines().take(until).collect::<Vec<_>>().join("\n"),
    );
    assert_eq!(
        (claude.said().usage.input, claude.said().usage.output),
        (200, 30)
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
        let mut claude = Claude::default();
        let out = play(&mut claude, transcript);
        assert_eq!(
            (claude.said().failure.as_ref().unwrap().kind, out.over),
            (kind, Some(over))
        );
    }
    // `usage` of the result misses the retried call; `modelUsage` has it.
    let mut claude = Claude::default();
    play(&mut claude, include_str!("transcripts/hang-up.jsonl"));
    assert_eq!(
        (
            claude.said().text.as_str(),
            claude.said().models["scripted-1"].total
        ),
        ("recovered", 120)
    );
}

#[test]
fn an_interrupted_turn_is_aborted_and_one_that_was_steered_ends_with_its_program() {
    let aborted =
        r#"{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s"}"#;
    let mut claude = Claude::default();
    play(&mut claude, aborted);
    assert_eq!(
        claude.said().failure.as_ref().unwrap().kind,
        AgentFailureKind::Aborted
    );
    let mut claude = Claude::default();
    assert!(claude.steer("and tests", &mut Out::default()) && !claude.exited(0));
    let out = play(
        &mut claude,
        r#"{"type":"result","subtype":"success","is_error":false,"result":"one"}"#,
    );
    assert!(out.over.is_none() && out.close && claude.exited(1));
}

#[test]
fn flags_say_what_the_turn_wants() {
    let plain = turn("x", &AgentTools::None);
    assert!(
        args(&plain).ends_with("--no-session-persistence --tools  --strict-mcp-config"),
        "{}",
        args(&plain)
    );
    let kept = AgentMemory::Kept {
        folder: Path::new("/s"),
        from: Some("abc"),
    };
    let custom = AgentTools::Custom(vec!["read".to_owned(), "mcp__x__y".to_owned()]);
    let full = AgentTurn {
        memory: kept,
        tools: &custom,
        model: Some("anthropic/m"),
        thinking: Some("minimal"),
        system: Some("S"),
        ..plain
    };
    assert!(args(&full).contains(
        "--resume abc --fork-session --tools Read,mcp__x__y --allowedTools Read,mcp__x__y"
    ));
    assert!(
        args(&full).ends_with("--model m --effort low --append-system-prompt S"),
        "{}",
        args(&full)
    );
    assert!(args(&turn("x", &AgentTools::Coding)).contains("--tools default --allowedTools Bash,"));
}

#[test]
fn what_is_said_meanwhile_comes_back_and_both_answers_count() {
    let mut claude = Claude::default();
    assert!(claude.steer("and briefly", &mut Out::default()));
    let lines = [
        r#"{"type":"user","message":{"role":"user","content":"the prompt"},"isReplay":true}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"result":"At length."}"#,
        r#"{"type":"user","message":{"role":"user","content":"and briefly"},"isReplay":true}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"result":"Short."}"#,
    ];
    let out = play(&mut claude, &lines.join("\n"));
    assert!(out.seen.contains(&Activity::Heard {
        text: "and briefly".to_owned()
    }));
    assert_eq!(
        (claude.said().text.as_str(), out.close),
        ("At length.\n\nShort.", true)
    );
}
