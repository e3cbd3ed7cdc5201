//! `materia top` on a real terminal: what it shows is what there is, and what is pressed is done.

use serde_json::json;

use crate::house::House;

#[test]
fn a_run_is_seen_told_something_and_killed() {
    let house = House::new();
    house.spawn("worker", "sh -c 'echo ready to work; sleep 600'", &[]);
    house.until_file_has(house.run_place("worker").stdout(), "ready to work");
    let mut seat = house.seat(100, 24, "materia top");
    seat.until_shown("ready to work");
    assert!(seat.is_full() && seat.screen().contains("running     run:worker"), "{}", seat.screen());
    seat.press("5");
    seat.until_shown("sleep 600");
    seat.press("2m");
    seat.until_shown("to run:worker:");
    seat.press("task.run fast\r");
    seat.until_shown("task.run to run:worker: ");
    seat.until_shown("→ task.run");
    // Something that others do is seen without a key.
    house.spawn("other", "true", &[]);
    seat.until_shown("run:other");
    seat.press("xy");
    seat.until_shown("killed      run:worker");
    seat.press("q");
    let (left, code) = seat.end();
    assert_eq!(code, 0, "{left}");
    assert!(!left.contains("run:worker"), "the screen is as it was: {left}");
    house.wait("other");
}

#[test]
fn a_paused_cast_is_answered_and_goes_on() {
    let house = House::new();
    let config = json!({"activeLoadout": "T",
        "loadouts": {"T": {"entry": "talk", "sockets": {"talk": {"materia": "Talk"}}}},
        "materia": {"Talk": {"tools": "none", "prompt": "talk", "multiTurn": true}}});
    house.write("flow.json", config.to_string());
    house.write("script.json", json!({"replies": [{"text": "what shall it be?"}]}).to_string());
    house.materia(&["cast", "--config", "flow.json", "--agent-script", "script.json", "a door"]).run().ok();
    let mut seat = house.seat(80, 24, "materia top");
    seat.until_shown("1 waiting for you");
    seat.press("x");
    seat.until_shown("abort cast 2026");
    seat.press("n");
    seat.until_shown("left as it is");
    seat.press("xy");
    seat.until_shown("aborted     cast 2026");
    seat.press("\u{3}");
    assert_eq!(seat.end().1, 0);
}

#[test]
fn without_a_terminal_it_is_one_look() {
    let house = House::new();
    let nothing = house.materia(&["top"]).run().ok();
    assert!(nothing.stdout.starts_with("nothing runs here"), "{}", nothing.stdout);
    house.spawn("a", "true", &[]);
    house.wait("a");
    let list = house.materia(&["top", "--once"]).run().ok().stdout;
    assert!(list.starts_with("done  run:a"), "{list}");
    let json = house.materia(&["top", "--json"]).run().ok().json();
    assert_eq!((&json["ok"], &json["runs"][0]["run"]), (&json!(true), &json!("a")));
}
