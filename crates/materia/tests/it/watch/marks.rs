//! Watchers inside a run: which mark they advance.

use super::event_kinds;
use crate::test_env::TestEnv;

#[test]
fn a_watcher_inside_a_run_does_not_advance_the_mark_of_the_host() {
    let env = TestEnv::new();
    env.spawn("b", "false", &["--session", "s"]);
    env.wait("b");
    for (run, again) in [("a", 1), ("a2", 2)] {
        env.spawn(
            run,
            "sh -c 'materia watch --once --json; materia watch --once --json'",
            &["--session", "s"],
        );
        env.wait(run);
        let output = env.read_run_file(run, "stdout.log");
        let ends = output
            .lines()
            .filter(|line| line.contains("\"run\":\"b\""))
            .count();
        assert_eq!(ends, 1, "{again}: each run has its own mark: {output}");
    }
    let events = env.watch_once(&["--session", "s"]);
    assert_eq!(
        event_kinds(&events),
        [
            ("terminal", "done"),
            ("terminal", "done"),
            ("terminal", "failed")
        ]
    );
}

#[test]
fn a_watcher_inside_a_run_can_watch_for_the_session() {
    let env = TestEnv::new();
    env.spawn("b", "false", &["--session", "s"]);
    env.wait("b");
    env.spawn(
        "a",
        "materia watch --once --json --session s",
        &["--session", "s"],
    );
    env.wait("a");
    assert_eq!(
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("terminal", "done")],
        "the end of b was reported already"
    );
}

#[test]
fn a_message_wakes_a_watcher_inside_a_run() {
    let env = TestEnv::new();
    let script = env.write(
        "first.sh",
        "materia watch --json | { read -r news; echo \"$news\"; }; true\n",
    );
    env.spawn(
        "a",
        &format!("timeout 60 sh {}", script.display()),
        &["--session", "s"],
    );
    env.wait_for_file_text(env.run_dir("a").dir().join("watch/told.jsonl"), "told");
    env.send_ok(&["coordinator", "hello", "--from", "run:a"]);
    env.wait_for_file_text(env.run_dir("a").dir().join("stdout.log"), "hello");
    env.kill("a");
}
