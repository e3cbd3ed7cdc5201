//! Who may send to whom (A9, S2): sessions, runs, the operator.

use super::{assert_refused, refused};
use crate::spawn::kinds;
use crate::test_env::TestEnv;

#[test]
fn another_session_is_refused_but_the_operator_is_not() {
    let env = TestEnv::new();
    env.spawn("owned", "sleep 600", &["--session", "s1"]);
    env.spawn("free", "sleep 600", &[]);
    let before = (kinds(&env, "owned"), kinds(&env, "free"));
    let mismatch = (4, "session_mismatch".to_owned());
    for to in ["run:owned", "branch:owned/w", "run:free"] {
        assert_eq!(
            refused(&env.send(&[to, "x", "--session", "s2"])),
            mismatch,
            "{to}"
        );
    }
    assert_eq!(
        refused(&env.send(&["room:owned", "x", "--from", "run:owned", "--session", "s2"])),
        mismatch
    );
    assert_eq!(
        refused(&env.send(&["run:owned", "control.kill", "--session", "s2"])),
        mismatch
    );
    assert_eq!(
        refused(&env.send(&["coordinator", "x", "--from", "run:owned", "--session", "s2"])),
        mismatch
    );
    let inherited = env
        .materia(&["message", "--json", "run:owned", "x"])
        .env("MATERIA_SESSION", "s2")
        .run();
    assert_eq!(refused(&inherited), mismatch);
    let receives = env
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
    // An empty session name is an error; it does not make the caller the operator.
    for args in [
        &["message", "run:owned", "x", "--session", ""][..],
        &["message", "run:owned", "control.kill", "--session", ""],
        &["inspect", "session:all", "--session", ""],
        &["wait", "run:owned", "--session", ""],
        &["spawn", "--template", "true", "--session", ""],
    ] {
        let empty = env
            .materia(&[args, &["--json"]].concat())
            .env("MATERIA_SESSION", "s2")
            .run();
        assert_refused(&empty, 2, "invalid_session");
    }
    assert_eq!(
        (kinds(&env, "owned"), kinds(&env, "free")),
        before,
        "a refused request must write nothing"
    );
    env.send_ok(&["run:owned", "x", "--session", "s1"]);
    env.send_ok(&["run:owned", "x"]);
    env.kill("owned");
    env.kill("free");
}

#[test]
fn a_program_inside_a_run_can_only_send_as_that_run() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.spawn("b", "sleep 600", &[]);
    let inside = |args: &[&str]| {
        env.materia(&[&["message", "--json"], args].concat())
            .env("MATERIA_RUN", "a")
            .run()
    };
    assert_refused(&inside(&["room:b", "x", "--from", "run:b"]), 4, "not_you");
    assert_refused(
        &inside(&["coordinator", "x", "--from", "branch:b/w"]),
        4,
        "not_you",
    );
    inside(&["room:a", "x"]).ok();
    inside(&["coordinator", "x", "--from", "branch:a/w"]).ok();
    env.kill("a");
    env.kill("b");
}

#[test]
fn agents_cannot_send_operator_only_controls() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    for kind in ["control.approve", "control.trust", "control.budget"] {
        let outcome = env.send(&["run:a", kind, "--session", "s"]);
        assert_refused(&outcome, 4, "operator_only");
        let within = env
            .materia(&["message", "--json", "run:a", kind])
            .env("MATERIA_RUN", "a")
            .run();
        assert_refused(&within, 4, "operator_only");
    }
    env.send_ok(&["run:a", "control.approve"]);
    env.kill("a");
}
