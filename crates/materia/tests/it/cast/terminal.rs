//! A cast on a real terminal: the graph as it is walked, drawn over in place, and a clean screen
//! afterwards.

use serde_json::json;

use crate::casts::{loops, replies};
use crate::test_env::TestEnv;
use crate::test_env::terminal::{Terminal, is_coloured, run_on_terminal};

/// A env whose agent hesitates over the second item until it is interrupted.
fn slow_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("flow.json", loops().to_string());
    let mut script = replies();
    let slow =
        json!({"match": {"socket": "work", "item": "WI-2"}, "text": "late", "delayMs": 600_000});
    script["replies"].as_array_mut().unwrap().insert(0, slow);
    env.write("script.json", script.to_string());
    env
}

const CAST: &str = "materia cast --config flow.json --agent-script script.json 'do the work'";

#[test]
fn the_graph_is_walked_before_ones_eyes_and_ctrl_c_leaves_a_clean_screen() {
    let env = slow_env();
    let mut session = env.start_on_terminal(100, 30, CAST);
    // A picture may come in pieces, so all of it is waited for.
    let shown = [
        "item 2 of 2 `Second`",
        "✓ Plan → [ ▶ Work → ✓ Check ] 2/2",
        "tokens · $0.01 · 5 turns · Ctrl-C stops, resumable",
        "rework  back to work: not yet",
    ];
    session.wait_until(|screen| shown.iter().all(|part| screen.contains(part)));
    session.send_keys("\u{3}");
    let (left, code) = session.wait();
    assert_eq!(code, 130, "{left}");
    assert!(
        left.contains("interrupted: 2") && left.contains("next: materia resume 2"),
        "{left}"
    );
    assert!(!left.contains("▶") && !left.contains("resumable"), "{left}");
}

#[test]
fn what_stays_is_finished_lines_and_an_answer_and_live_lines_fit() {
    let env = crate::casts::example_env();
    for columns in [50, 120] {
        let drawn = run_on_terminal(&env, columns, &format!("NO_COLOR=1 {CAST}"));
        assert!(
            !is_coloured(&drawn),
            "NO_COLOR holds for live lines: {drawn:?}"
        );
        let terminal = Terminal::after(&drawn);
        let left = terminal.lines.join("\n");
        assert_eq!(left.matches("done    ").count(), 7, "{left}");
        assert!(
            left.contains("complete: 2026") && left.contains("next: materia cast-show 2026"),
            "{left}"
        );
        assert!(!left.contains("▶"), "{left}");
        let mut live = terminal
            .completed
            .iter()
            .filter(|line| line.contains('▶') || line.contains("· Ctrl-C"));
        assert!(
            live.all(|line| line.chars().count() < columns),
            "{:#?}",
            terminal.completed
        );
    }
}

#[test]
fn a_dumb_terminal_and_a_file_get_plain_lines() {
    let env = crate::casts::example_env();
    let drawn = run_on_terminal(&env, 80, &format!("TERM=dumb {CAST}"));
    assert!(
        !drawn.contains('\u{1b}') && drawn.contains("done: plan (Plan) (30 tokens, $0.01)"),
        "{drawn}"
    );
    let plain = env.shell(CAST).run().ok();
    assert!(
        !plain.stderr.contains('\u{1b}') && plain.stderr.contains("done: work (Work)"),
        "{}",
        plain.stderr
    );
}
