//! A cast on a real terminal: the graph as it is walked, drawn over in place, and a clean screen
//! afterwards.

use serde_json::json;

use crate::casts::{loops, replies};
use crate::house::House;
use crate::house::terminal::{Terminal, is_coloured, on_terminal};

/// A house whose agent hesitates over the second item until it is interrupted.
fn slow_house() -> House {
    let house = House::new();
    house.write("flow.json", loops().to_string());
    let mut script = replies();
    let slow =
        json!({"match": {"socket": "work", "item": "WI-2"}, "text": "late", "delayMs": 600_000});
    script["replies"].as_array_mut().unwrap().insert(0, slow);
    house.write("script.json", script.to_string());
    house
}

const CAST: &str = "materia cast --config flow.json --agent-script script.json 'do the work'";

#[test]
fn the_graph_is_walked_before_ones_eyes_and_ctrl_c_leaves_a_clean_screen() {
    let house = slow_house();
    let mut seat = house.seat(100, 30, CAST);
    // A picture may come in pieces, so all of it is waited for.
    let shown = [
        "item 2 of 2 `Second`",
        "✓ Plan → [ ▶ Work → ✓ Check ] 2/2",
        "tokens · $0.01 · 5 turns · Ctrl-C stops, resumable",
        "rework  back to work: not yet",
    ];
    seat.until(|screen| shown.iter().all(|part| screen.contains(part)));
    seat.press("\u{3}");
    let (left, code) = seat.end();
    assert_eq!(code, 130, "{left}");
    assert!(
        left.contains("interrupted: 2") && left.contains("next: materia resume 2"),
        "{left}"
    );
    assert!(!left.contains("▶") && !left.contains("resumable"), "{left}");
}

#[test]
fn what_stays_is_finished_lines_and_an_answer_and_live_lines_fit() {
    let house = crate::casts::house();
    for columns in [50, 120] {
        let drawn = on_terminal(&house, columns, &format!("NO_COLOR=1 {CAST}"));
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
            .ever
            .iter()
            .filter(|line| line.contains('▶') || line.contains("· Ctrl-C"));
        assert!(
            live.all(|line| line.chars().count() < columns),
            "{:#?}",
            terminal.ever
        );
    }
}

#[test]
fn a_dumb_terminal_and_a_file_get_plain_lines() {
    let house = crate::casts::house();
    let drawn = on_terminal(&house, 80, &format!("TERM=dumb {CAST}"));
    assert!(
        !drawn.contains('\u{1b}') && drawn.contains("done: plan (Plan) (30 tokens, $0.01)"),
        "{drawn}"
    );
    let plain = house.shell(CAST).run().ok();
    assert!(
        !plain.stderr.contains('\u{1b}') && plain.stderr.contains("done: work (Work)"),
        "{}",
        plain.stderr
    );
}
