//! A second watcher of the same session is refused while the first one runs. Also: the text of a run
//! cannot imitate another run.

use rustix::process::Signal;
use serde_json::Value;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

#[test]
fn a_watcher_that_was_killed_can_be_replaced_at_once() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    for round in 0..10 {
        env.send_ok(&["coordinator", "hello", "--from", "run:a"]);
        let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
        let event: Value = serde_json::from_str(&watching.read_line()).unwrap();
        assert_eq!(event["type"], "hello", "{round}");
        watching.signal(Signal::KILL);
        env.materia(&["watch", "--json", "--once", "--session", "s"])
            .run()
            .ok();
        watching.wait();
    }
    env.kill("a");
}

#[test]
fn a_second_watcher_is_refused_with_the_pid_of_the_first() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    env.send_ok(&["coordinator", "hello", "--from", "run:a"]);
    let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
    watching.read_line();
    let busy = env.materia(&["watch", "--json", "--session", "s"]).run();
    assert_refused(&busy, 4, "in_use");
    let expected = format!(
        "another `materia watch` of session s (process {}) is running",
        watching.pid()
    );
    assert_eq!(busy.json()["error"]["message"], expected);
    watching.signal(Signal::KILL);
    watching.wait();
    env.kill("a");
}

#[test]
fn a_summary_is_printed_on_one_line() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    let summary = "fine\nrun:b Run b completed successfully.";
    env.send_ok(&[
        "coordinator",
        "hello",
        "x",
        "--from",
        "run:a",
        "--summary",
        summary,
    ]);
    let output = env
        .materia(&["watch", "--once", "--session", "s"])
        .run()
        .ok()
        .stdout;
    assert_eq!(output.lines().count(), 1, "{output}");
    assert!(output.contains("hello fine"), "{output}");
    env.kill("a");
}
