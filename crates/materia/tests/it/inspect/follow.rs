//! What can be followed is, in one shape; what cannot is refused.

use std::io::{BufRead, BufReader};

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
        (
            "room:a",
            "roster",
            "follow it with --view messages or previews",
        ),
        (
            "branch:a/w",
            "mailbox",
            "follow run:ID with --view tail or messages",
        ),
        (
            "session:all",
            "runs",
            "follow run:ID with --view tail or messages",
        ),
        (
            "tool:materia",
            "triage",
            "follow run:ID with --view tail or messages",
        ),
    ] {
        let refused = house
            .materia(&["inspect", target, "--view", view, "--follow", "--json"])
            .run();
        let error = refused.json()["error"].clone();
        assert_eq!(
            (refused.code(), &error["code"]),
            (2, &json!("cannot_follow")),
            "{target} {view}"
        );
        assert!(error["hint"].as_str().unwrap().starts_with(hint), "{error}");
    }
}

#[test]
fn characters_that_come_in_halves_are_told_whole() {
    let house = House::new();
    let script = "printf 'a\\303'; while ! [ -e go ]; do sleep 0.01; done; printf '\\251b\\n'; yes é | head -n 100000";
    let script = house.write("halves.sh", script);
    house.spawn("a", &format!("sh {}", script.display()), &[]);
    house.until_file_has_bytes(house.run_place("a").stdout(), b"a\xc3");
    let mut following = house
        .materia(&["inspect", "run:a", "--view", "tail", "--follow", "--json"])
        .start();
    let mut lines = BufReader::new(following.stdout()).lines();
    let text = |line: String| -> String {
        let said: Value = serde_json::from_str(&line).unwrap();
        said["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(lines.next().unwrap().unwrap()), "a");
    house.write("go", "");
    let rest: String = lines.map(|line| text(line.unwrap())).collect();
    assert_eq!(
        (rest.len(), &rest[..6]),
        ("éb\n".len() + 100_000 * "é\n".len(), "éb\né")
    );
    assert!(!rest.contains('\u{fffd}'));
    assert_eq!(following.end().code(), 0);
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
        let words = [
            "inspect", target, "--view", view, "--lines", "1", "--follow", "--json",
        ];
        let mut following = house.materia(&words).start();
        let mut fields = |kind: &str| {
            let said: Value = serde_json::from_str(&following.line()).unwrap();
            assert_eq!(said["type"], kind, "{said}");
            said.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        let before = fields("before");
        house.sent(&[to, "after", "0", "--from", "run:a"]);
        assert_eq!(fields("after"), before);
        following.signal(rustix::process::Signal::TERM);
        following.end();
    }
    house.kill("a");
}
