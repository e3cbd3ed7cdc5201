//! A second watcher of the same session: it waits for one that ends, and is refused by one that lives.

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
        let mut watching = house.materia(&["watch", "--json", "--session", "s"]).start();
        let news: Value = serde_json::from_str(&watching.line()).unwrap();
        assert_eq!(news["type"], "hello", "{round}");
        watching.signal(Signal::KILL);
        house.materia(&["watch", "--json", "--once", "--session", "s"]).run().ok();
        watching.end();
    }
    house.kill("a");
}

#[test]
fn a_second_watcher_is_told_of_the_first() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    house.sent(&["coordinator", "hello", "--from", "run:a"]);
    let mut watching = house.materia(&["watch", "--json", "--session", "s"]).start();
    watching.line();
    let busy = house.materia(&["watch", "--json", "--session", "s"]).run();
    assert_eq!(refused(&busy), (4, "in_use".to_owned()));
    let expected = format!("another `materia watch` of session s (process {}) is running", watching.pid());
    assert_eq!(busy.json()["error"]["message"], expected);
    watching.signal(Signal::KILL);
    watching.end();
    house.kill("a");
}
