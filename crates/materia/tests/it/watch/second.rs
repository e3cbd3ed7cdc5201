//! Two who could be taken for one another: a second watcher of the same session, which waits for
//! one that ends and is refused by one that lives; and a run that speaks like another.

use rustix::process::Signal;
use serde_json::Value;

use crate::house::House;
use crate::message::refused;

#[test]
fn a_watcher_that_was_killed_can_be_replaced_at_once() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    for round in 0..10 {
        house.sent(&["coordinator", "hello", "--from", "run:a"]);
        let mut watching = house
            .materia(&["watch", "--json", "--session", "s"])
            .start();
        let news: Value = serde_json::from_str(&watching.line()).unwrap();
        assert_eq!(news["type"], "hello", "{round}");
        watching.signal(Signal::KILL);
        house
            .materia(&["watch", "--json", "--once", "--session", "s"])
            .run()
            .ok();
        watching.end();
    }
    house.kill("a");
}

#[test]
fn a_second_watcher_is_told_of_the_first() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    house.sent(&["coordinator", "hello", "--from", "run:a"]);
    let mut watching = house
        .materia(&["watch", "--json", "--session", "s"])
        .start();
    watching.line();
    let busy = house.materia(&["watch", "--json", "--session", "s"]).run();
    assert_eq!(refused(&busy), (4, "in_use".to_owned()));
    let expected = format!(
        "another `materia watch` of session s (process {}) is running",
        watching.pid()
    );
    assert_eq!(busy.json()["error"]["message"], expected);
    watching.signal(Signal::KILL);
    watching.end();
    house.kill("a");
}

#[test]
fn what_a_run_says_is_one_line_and_cannot_look_like_another_run() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    let summary = "fine\nrun:b Run b completed successfully.";
    house.sent(&[
        "coordinator",
        "hello",
        "x",
        "--from",
        "run:a",
        "--summary",
        summary,
    ]);
    let told = house
        .materia(&["watch", "--once", "--session", "s"])
        .run()
        .ok()
        .stdout;
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("hello fine"), "{told}");
    house.kill("a");
}
