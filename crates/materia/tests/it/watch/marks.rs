//! Watchers inside a run: whose mark it is that moves on.

use super::events;
use crate::test_env::TestEnv;

#[test]
fn a_program_inside_a_run_takes_nothing_from_its_host() {
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
        let heard = env.read_run_file(run, "stdout.log");
        let ends = heard
            .lines()
            .filter(|line| line.contains("\"run\":\"b\""))
            .count();
        assert_eq!(ends, 1, "{again}: each run has a mark of its own: {heard}");
    }
    let told = env.watch_once(&["--session", "s"]);
    assert_eq!(
        events(&told),
        [
            ("terminal", "done"),
            ("terminal", "done"),
            ("terminal", "failed")
        ]
    );
}

#[test]
fn a_program_inside_a_run_can_watch_in_the_place_of_its_host() {
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
        events(&env.watch_once(&["--session", "s"])),
        [("terminal", "done")],
        "b was told already"
    );
}

#[test]
fn a_watcher_inside_a_run_is_woken_too() {
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
