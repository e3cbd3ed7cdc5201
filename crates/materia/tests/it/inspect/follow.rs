//! What can be followed is, in one shape; what cannot is refused.

use serde_json::{Value, json};

use crate::house::House;

#[test]
fn views_that_cannot_be_followed_say_which_can() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    for (target, view, hint) in [
        ("run:a", "mailbox", "follow it with --view tail or messages"),
        ("run:a", "status", "follow it with --view tail or messages"),
        ("room:a", "roster", "follow it with --view messages or previews"),
        ("branch:a/w", "mailbox", "follow run:ID with --view tail or messages"),
        ("session:all", "runs", "follow run:ID with --view tail or messages"),
        ("tool:materia", "triage", "follow run:ID with --view tail or messages"),
    ] {
        let refused = house.materia(&["inspect", target, "--view", view, "--follow", "--json"]).run();
        let error = refused.json()["error"].clone();
        assert_eq!((refused.code(), &error["code"]), (2, &json!("cannot_follow")), "{target} {view}");
        assert!(error["hint"].as_str().unwrap().starts_with(hint), "{error}");
    }
}

#[test]
fn every_line_of_a_followed_stream_is_one_message() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    for (target, view, to) in [
        ("run:a", "messages", "coordinator"),
        ("room:a", "messages", "room:a"),
        ("room:a", "previews", "room:a"),
    ] {
        house.sent(&[to, "before", "0", "--from", "run:a"]);
        let words = ["inspect", target, "--view", view, "--lines", "1", "--follow", "--json"];
        let mut following = house.materia(&words).start();
        let mut fields = |kind: &str| {
            let said: Value = serde_json::from_str(&following.line()).unwrap();
            assert_eq!(said["type"], kind, "{said}");
            said.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        let before = fields("before");
        house.sent(&[to, "after", "0", "--from", "run:a"]);
        assert_eq!(fields("after"), before);
        following.signal(rustix::process::Signal::TERM);
        following.end();
    }
    house.kill("a");
}
