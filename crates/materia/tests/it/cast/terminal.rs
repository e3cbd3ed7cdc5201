//! A cast on a real terminal: the live graph is redrawn in place and removed at the end.

use serde_json::json;

use crate::casts::{loop_config, loop_script};
use crate::test_env::TestEnv;
use crate::test_env::terminal::{Terminal, is_coloured, run_on_terminal};

/// A test environment whose agent does not answer for the second item until it is interrupted.
fn slow_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("flow.json", loop_config().to_string());
    let mut script = loop_script();
    let slow =
        json!({"match": {"socket": "work", "item": "WI-2"}, "text": "late", "delayMs": 600_000});
    script["replies"].as_array_mut().unwrap().insert(0, slow);
    env.write("script.json", script.to_string());
    env
}

const CAST: &str = "materia cast --config flow.json --agent-script script.json 'do the work'";

#[test]
fn the_live_graph_is_drawn_and_ctrl_c_removes_it() {
    let env = slow_env();
    let mut session = env.start_on_terminal(100, 30, CAST);
    // A frame may arrive in pieces, so wait for all parts of it.
    let shown = [
        "item 2 of 2 `Second`",
        "✓ Plan → [ ▶ Work → ✓ Check ] 2/2",
        "tokens · $0.01 · 5 turns · Ctrl-C stops, resumable",
        "rework  back to work: not yet",
    ];
    session.wait_until(|screen| shown.iter().all(|part| screen.contains(part)));
    session.send_keys("\u{3}");
    let (screen, code) = session.wait();
    assert_eq!(code, 130, "{screen}");
    assert!(
        screen.contains("interrupted: 2") && screen.contains("next: materia resume 2"),
        "{screen}"
    );
    assert!(
        !screen.contains("▶") && !screen.contains("resumable"),
        "{screen}"
    );
}

#[test]
fn live_lines_fit_the_terminal_and_only_finished_lines_stay() {
    let env = crate::casts::example_env();
    for columns in [50, 120] {
        let drawn = run_on_terminal(&env, columns, &format!("NO_COLOR=1 {CAST}"));
        assert!(
            !is_coloured(&drawn),
            "NO_COLOR must apply to live lines: {drawn:?}"
        );
        let terminal = Terminal::after(&drawn);
        let screen = terminal.lines.join("\n");
        assert_eq!(screen.matches("done    ").count(), 7, "{screen}");
        assert!(
            screen.contains("complete: 2026") && screen.contains("next: materia cast-show 2026"),
            "{screen}"
        );
        assert!(!screen.contains("▶"), "{screen}");
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
fn a_dumb_terminal_and_a_pipe_get_plain_lines() {
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
