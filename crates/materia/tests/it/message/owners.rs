//! Who may write to whom (A9, S2): sessions, runs, the operator.

use super::refused;
use crate::house::House;
use crate::spawn::kinds;

#[test]
fn another_session_is_refused_and_the_operator_is_not() {
    let house = House::new();
    house.spawn("owned", "sleep 600", &["--session", "s1"]);
    house.spawn("free", "sleep 600", &[]);
    let before = (kinds(&house, "owned"), kinds(&house, "free"));
    let mismatch = (4, "session_mismatch".to_owned());
    for to in ["run:owned", "branch:owned/w", "run:free"] {
        assert_eq!(
            refused(&house.send(&[to, "x", "--session", "s2"])),
            mismatch,
            "{to}"
        );
    }
    assert_eq!(
        refused(&house.send(&["room:owned", "x", "--from", "run:owned", "--session", "s2"])),
        mismatch
    );
    assert_eq!(
        refused(&house.send(&["run:owned", "control.kill", "--session", "s2"])),
        mismatch
    );
    assert_eq!(
        refused(&house.send(&["coordinator", "x", "--from", "run:owned", "--session", "s2"])),
        mismatch
    );
    let inherited = house
        .materia(&["message", "--json", "run:owned", "x"])
        .env("MATERIA_SESSION", "s2")
        .run();
    assert_eq!(refused(&inherited), mismatch);
    let receives = house
        .materia(&[
            "receive",
            "--json",
            "--address",
            "run:owned",
            "--session",
            "s2",
        ])
        .run();
    assert_eq!(refused(&receives), mismatch);
    // An empty name is no session, and makes nobody the operator.
    for words in [
        &["message", "run:owned", "x", "--session", ""][..],
        &["message", "run:owned", "control.kill", "--session", ""],
        &["inspect", "session:all", "--session", ""],
        &["wait", "run:owned", "--session", ""],
        &["spawn", "--template", "true", "--session", ""],
    ] {
        let nobody = house
            .materia(&[words, &["--json"]].concat())
            .env("MATERIA_SESSION", "s2")
            .run();
        assert_eq!(
            refused(&nobody),
            (2, "invalid_session".to_owned()),
            "{words:?}"
        );
    }
    assert_eq!(
        (kinds(&house, "owned"), kinds(&house, "free")),
        before,
        "nothing was written"
    );
    house.sent(&["run:owned", "x", "--session", "s1"]);
    house.sent(&["run:owned", "x"]);
    house.kill("owned");
    house.kill("free");
}

#[test]
fn a_program_inside_a_run_speaks_for_that_run_only() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.spawn("b", "sleep 600", &[]);
    let inside = |words: &[&str]| {
        house
            .materia(&[&["message", "--json"], words].concat())
            .env("MATERIA_RUN", "a")
            .run()
    };
    assert_eq!(
        refused(&inside(&["room:b", "x", "--from", "run:b"])),
        (4, "not_you".to_owned())
    );
    assert_eq!(
        refused(&inside(&["coordinator", "x", "--from", "branch:b/w"])),
        (4, "not_you".to_owned())
    );
    inside(&["room:a", "x"]).ok();
    inside(&["coordinator", "x", "--from", "branch:a/w"]).ok();
    house.kill("a");
    house.kill("b");
}

#[test]
fn agents_cannot_ask_for_what_only_a_person_may_grant() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    for kind in ["control.approve", "control.trust", "control.budget"] {
        let outcome = house.send(&["run:a", kind, "--session", "s"]);
        assert_eq!(refused(&outcome), (4, "operator_only".to_owned()), "{kind}");
        let within = house
            .materia(&["message", "--json", "run:a", kind])
            .env("MATERIA_RUN", "a")
            .run();
        assert_eq!(refused(&within), (4, "operator_only".to_owned()));
    }
    house.sent(&["run:a", "control.approve"]);
    house.kill("a");
}
