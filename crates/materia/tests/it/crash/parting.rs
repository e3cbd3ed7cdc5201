//! Observers that are killed, and runs that go while they are not told: every end is told, and
//! nothing is left to nobody.

use std::path::Path;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::run;
use serde_json::Value;

use super::post::traced;
use crate::test_env::TestEnv;

/// A env in which somebody has watched the session `s`, and one run of it is over.
fn example_env() -> TestEnv {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "true", &["--session", "s"]);
    env.wait("a");
    env
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

fn told(env: &TestEnv) -> Vec<(String, u64)> {
    ends(
        &env.materia(&["watch", "--once", "--json", "--session", "s"])
            .run()
            .ok()
            .stdout,
    )
}

/// Whatever was left is a run, or one that was archived and is where its tombstone says; and asking
/// once more ends it.
fn assert_named(env: &TestEnv, control: &str, after: &str) {
    let place = env.run_dir("a");
    let seen = env.materia(&["inspect", "run:a", "--json"]).run();
    let archived = seen.json()["error"]["code"] == "run_archived";
    if archived {
        let tombstone: Value =
            serde_json::from_str(&env.read_run_file("a", "archive-tombstone.json")).unwrap();
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
    env.send_ok(&["run:a", control]);
    run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    let left = std::fs::read_dir(env.runs_root().archive())
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
            let args = ["message", "run:a", control, "--json"];
            for spec in traced(|spec| {
                example_env()
                    .materia(&args)
                    .env("MATERIA_FAILPOINT", spec)
                    .run()
                    .ok();
            }) {
                for action in ["abort", "enospc"] {
                    let (env, spec) = (example_env(), format!("{spec}:{action}"));
                    env.materia(&args).env("MATERIA_FAILPOINT", &spec).run();
                    let is_there = env.run_dir("a").journal().exists();
                    // A full disk keeps nobody from making room on it, though there is none for
                    // what others were to be told.
                    let full = action == "enospc" && !is_there;
                    let times = told(&env).len();
                    assert!(
                        times == 1 || (full && times == 0),
                        "{control} {spec}: told {times} times"
                    );
                    assert_named(&env, control, &format!("{control} {spec}"));
                    assert!(told(&env).is_empty(), "{control} {spec}: told again");
                }
            }
        }
    }

    #[test]
    fn an_archived_run_whose_removal_is_killed_anywhere_can_be_removed_again() {
        let args = ["message", "run:a", "control.prune", "--json"];
        let archived = || {
            let env = example_env();
            env.send_ok(&["run:a", "control.archive"]);
            env
        };
        for spec in traced(|spec| {
            archived()
                .materia(&args)
                .env("MATERIA_FAILPOINT", spec)
                .run()
                .ok();
        }) {
            for action in ["abort", "enospc"] {
                let (env, spec) = (archived(), format!("{spec}:{action}"));
                env.materia(&args).env("MATERIA_FAILPOINT", &spec).run();
                let code = || {
                    env.materia(&["inspect", "run:a", "--json"]).run().json()["error"]["code"]
                        .clone()
                };
                if code() == "run_archived" {
                    env.materia(&args).run().ok();
                }
                assert_eq!(code(), "run_not_found", "{spec}");
                run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
                let left = std::fs::read_dir(env.runs_root().archive())
                    .unwrap()
                    .flatten();
                assert!(
                    left.into_iter().all(|entry| entry.file_name() == ".lock"),
                    "{spec}"
                );
                assert!(!env.run_dir("a").dir().exists(), "{spec}");
            }
        }
    }

    #[test]
    fn an_observer_that_is_killed_anywhere_is_told_everything_by_the_next() {
        let watch = ["watch", "--once", "--json", "--session", "s"];
        let prepared = || {
            let env = example_env();
            env.send_ok(&["run:a", "control.prune"]);
            for run in ["a", "b"] {
                env.spawn(run, "true", &["--session", "s"]);
                env.wait(run);
            }
            env
        };
        for spec in traced(|spec| {
            prepared()
                .materia(&watch)
                .env("MATERIA_FAILPOINT", spec)
                .run()
                .ok();
        }) {
            for action in ["abort", "enospc"] {
                let (env, spec) = (prepared(), format!("{spec}:{action}"));
                let first = ends(
                    &env.materia(&watch)
                        .env("MATERIA_FAILPOINT", &spec)
                        .run()
                        .stdout,
                );
                let second = told(&env);
                assert!(told(&env).is_empty(), "{spec}: told again");
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
