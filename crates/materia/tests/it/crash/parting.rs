//! Observers that are killed, and runs that go while they are not told: every end is told, and
//! nothing is left to nobody.

use std::path::Path;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::run;
use serde_json::Value;

use super::post::traced;
use crate::house::House;

/// A house in which somebody has watched the session `s`, and one run of it is over.
fn house() -> House {
    let house = House::new();
    assert!(house.told(&["--session", "s"]).is_empty());
    house.spawn("a", "true", &["--session", "s"]);
    house.wait("a");
    house
}

/// The ends that a watcher printed, whether or not it lived to print the next.
fn ends(said: &str) -> Vec<(String, u64)> {
    let whole = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let terminal = whole.filter(|news| news["event"] == "terminal");
    terminal
        .map(|news| {
            (
                news["run"].as_str().unwrap().to_owned(),
                news["seq"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn told(house: &House) -> Vec<(String, u64)> {
    ends(
        &house
            .materia(&["watch", "--once", "--json", "--session", "s"])
            .run()
            .ok()
            .stdout,
    )
}

/// Whatever was left is a run, or one that was archived and is where its tombstone says; and asking
/// once more ends it.
fn assert_named(house: &House, control: &str, after: &str) {
    let place = house.run_place("a");
    let seen = house.materia(&["inspect", "run:a", "--json"]).run();
    let archived = seen.json()["error"]["code"] == "run_archived";
    if archived {
        let tombstone: Value =
            serde_json::from_str(&house.run_file("a", "archive-tombstone.json")).unwrap();
        let moved = Path::new(tombstone["archive_dir"].as_str().unwrap());
        assert!(moved.join("journal.jsonl").exists(), "{after}: {tombstone}");
    } else if place.journal().exists() {
        assert_eq!(seen.ok().json()["status"], "done", "{after}");
    } else {
        assert_eq!(
            (seen.code(), control, place.dir().exists()),
            (3, "control.prune", false),
            "{after}"
        );
        return;
    }
    house.sent(&["run:a", control]);
    run::sweep(&house.runs(), Duration::MAX, &Clock::system()).unwrap();
    let left = std::fs::read_dir(house.runs().archive())
        .into_iter()
        .flatten()
        .flatten();
    let left = left.filter(|entry| entry.file_name() != ".lock").count();
    assert_eq!(left, usize::from(control == "control.archive"), "{after}");
    assert_eq!(
        place.tombstone().exists(),
        control == "control.archive",
        "{after}"
    );
}

mod slow {
    use super::*;

    #[test]
    fn a_run_whose_removal_is_killed_anywhere_is_told_once() {
        for control in ["control.prune", "control.archive"] {
            let words = ["message", "run:a", control, "--json"];
            for spec in traced(|spec| {
                house()
                    .materia(&words)
                    .env("MATERIA_FAILPOINT", spec)
                    .run()
                    .ok();
            }) {
                for action in ["abort", "enospc"] {
                    let (house, spec) = (house(), format!("{spec}:{action}"));
                    house.materia(&words).env("MATERIA_FAILPOINT", &spec).run();
                    let is_there = house.run_place("a").journal().exists();
                    // A full disk keeps nobody from making room on it, though there is none for
                    // what others were to be told.
                    let full = action == "enospc" && !is_there;
                    let times = told(&house).len();
                    assert!(
                        times == 1 || (full && times == 0),
                        "{control} {spec}: told {times} times"
                    );
                    assert_named(&house, control, &format!("{control} {spec}"));
                    assert!(told(&house).is_empty(), "{control} {spec}: told again");
                }
            }
        }
    }

    #[test]
    fn an_archived_run_whose_removal_is_killed_anywhere_can_be_removed_again() {
        let words = ["message", "run:a", "control.prune", "--json"];
        let archived = || {
            let house = house();
            house.sent(&["run:a", "control.archive"]);
            house
        };
        for spec in traced(|spec| {
            archived()
                .materia(&words)
                .env("MATERIA_FAILPOINT", spec)
                .run()
                .ok();
        }) {
            for action in ["abort", "enospc"] {
                let (house, spec) = (archived(), format!("{spec}:{action}"));
                house.materia(&words).env("MATERIA_FAILPOINT", &spec).run();
                let code = || {
                    house.materia(&["inspect", "run:a", "--json"]).run().json()["error"]["code"]
                        .clone()
                };
                if code() == "run_archived" {
                    house.materia(&words).run().ok();
                }
                assert_eq!(code(), "run_not_found", "{spec}");
                run::sweep(&house.runs(), Duration::MAX, &Clock::system()).unwrap();
                let left = std::fs::read_dir(house.runs().archive()).unwrap().flatten();
                assert!(
                    left.into_iter().all(|entry| entry.file_name() == ".lock"),
                    "{spec}"
                );
                assert!(!house.run_place("a").dir().exists(), "{spec}");
            }
        }
    }

    #[test]
    fn an_observer_that_is_killed_anywhere_is_told_everything_by_the_next() {
        let watch = ["watch", "--once", "--json", "--session", "s"];
        let prepared = || {
            let house = house();
            house.sent(&["run:a", "control.prune"]);
            for run in ["a", "b"] {
                house.spawn(run, "true", &["--session", "s"]);
                house.wait(run);
            }
            house
        };
        for spec in traced(|spec| {
            prepared()
                .materia(&watch)
                .env("MATERIA_FAILPOINT", spec)
                .run()
                .ok();
        }) {
            for action in ["abort", "enospc"] {
                let (house, spec) = (prepared(), format!("{spec}:{action}"));
                let first = ends(
                    &house
                        .materia(&watch)
                        .env("MATERIA_FAILPOINT", &spec)
                        .run()
                        .stdout,
                );
                let second = told(&house);
                assert!(told(&house).is_empty(), "{spec}: told again");
                let mut all = [first.clone(), second.clone()].concat();
                all.sort();
                // Killed between the telling and the mark, it tells the same once more.
                let repeated = all.len() - 3;
                assert!(
                    repeated == 0 || repeated <= first.len(),
                    "{spec}: {first:?} {second:?}"
                );
                let of_a =
                    |told: &[(String, u64)]| told.iter().filter(|(run, _)| run == "a").count();
                assert!(
                    of_a(&first).max(of_a(&second)) >= 1 && of_a(&all) >= 2,
                    "{spec}: {all:?}"
                );
                assert!(all.iter().any(|(run, _)| run == "b"), "{spec}: {all:?}");
            }
        }
    }
}
