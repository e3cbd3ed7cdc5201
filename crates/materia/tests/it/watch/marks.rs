//! Watchers inside a run: whose mark it is that moves on.

use super::events;
use crate::house::House;

#[test]
fn a_program_inside_a_run_takes_nothing_from_its_host() {
    let house = House::new();
    house.spawn("b", "false", &["--session", "s"]);
    house.wait("b");
    for (run, again) in [("a", 1), ("a2", 2)] {
        house.spawn(
            run,
            "sh -c 'materia watch --once --json; materia watch --once --json'",
            &["--session", "s"],
        );
        house.wait(run);
        let heard = house.run_file(run, "stdout.log");
        let ends = heard
            .lines()
            .filter(|line| line.contains("\"run\":\"b\""))
            .count();
        assert_eq!(ends, 1, "{again}: each run has a mark of its own: {heard}");
    }
    let told = house.told(&["--session", "s"]);
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
    let house = House::new();
    house.spawn("b", "false", &["--session", "s"]);
    house.wait("b");
    house.spawn(
        "a",
        "materia watch --once --json --session s",
        &["--session", "s"],
    );
    house.wait("a");
    assert_eq!(
        events(&house.told(&["--session", "s"])),
        [("terminal", "done")],
        "b was told already"
    );
}

#[test]
fn a_watcher_inside_a_run_is_woken_too() {
    let house = House::new();
    let script = house.write(
        "first.sh",
        "materia watch --json | { read -r news; echo \"$news\"; }; true\n",
    );
    house.spawn(
        "a",
        &format!("timeout 60 sh {}", script.display()),
        &["--session", "s"],
    );
    house.until_file_has(house.run_place("a").dir().join("watch/told.jsonl"), "told");
    house.sent(&["coordinator", "hello", "--from", "run:a"]);
    house.until_file_has(house.run_place("a").dir().join("stdout.log"), "hello");
    house.kill("a");
}
