//! Killed observers, and runs that are removed before their observer has read their end: every end
//! is reported, and no record is left behind.

use std::path::Path;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::run;
use serde_json::Value;

use super::mailbox::trace_failpoints;
use crate::test_env::TestEnv;

/// A test environment with an observer of the session `s` and one ended run.
fn example_env() -> TestEnv {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "true", &["--session", "s"]);
    env.wait("a");
    env
}

/// The ends in the output of a watcher, which may be cut off by a kill.
fn ends(output: &str) -> Vec<(String, u64)> {
    let events = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let terminal = events.filter(|event| event["event"] == "terminal");
    terminal
        .map(|event| {
            (
                event["run"].as_str().unwrap().to_owned(),
                event["seq"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn reported_ends(env: &TestEnv) -> Vec<(String, u64)> {
    ends(
        &env.materia(&["watch", "--once", "--json", "--session", "s"])
            .run()
            .ok()
            .stdout,
    )
}

/// Asserts that the run still exists, or was archived where its tombstone says, or is gone; and that
/// repeating the request completes it.
fn assert_consistent(env: &TestEnv, control: &str, label: &str) {
    let run_dir = env.run_dir("a");
    let seen = env.materia(&["inspect", "run:a", "--json"]).run();
    let archived = seen.json()["error"]["code"] == "run_archived";
    if archived {
        let tombstone: Value =
            serde_json::from_str(&env.read_run_file("a", "archive-tombstone.json")).unwrap();
        let moved = Path::new(tombstone["archive_dir"].as_str().unwrap());
        assert!(moved.join("journal.jsonl").exists(), "{label}: {tombstone}");
    } else if run_dir.journal().exists() {
        assert_eq!(seen.ok().json()["status"], "done", "{label}");
    } else {
        assert_eq!(
            (seen.code(), control, run_dir.dir().exists()),
            (3, "control.prune", false),
            "{label}"
        );
        return;
    }
    env.send_ok(&["run:a", control]);
    run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    let entries = std::fs::read_dir(env.runs_root().archive())
        .into_iter()
        .flatten()
        .flatten();
    let entries = entries.filter(|entry| entry.file_name() != ".lock").count();
    assert_eq!(
        entries,
        usize::from(control == "control.archive"),
        "{label}"
    );
    assert_eq!(
        run_dir.tombstone().exists(),
        control == "control.archive",
        "{label}"
    );
}

mod slow {
    use super::*;

    #[test]
    fn a_run_whose_removal_fails_anywhere_is_reported_once() {
        for control in ["control.prune", "control.archive"] {
            let args = ["message", "run:a", control, "--json"];
            for spec in trace_failpoints(|spec| {
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
                    // A run can be removed on a full disk, although its end cannot be recorded for
                    // the observer.
                    let full = action == "enospc" && !is_there;
                    let times = reported_ends(&env).len();
                    assert!(
                        times == 1 || (full && times == 0),
                        "{control} {spec}: reported {times} times"
                    );
                    assert_consistent(&env, control, &format!("{control} {spec}"));
                    assert!(
                        reported_ends(&env).is_empty(),
                        "{control} {spec}: reported again"
                    );
                }
            }
        }
    }

    #[test]
    fn removing_an_archived_run_can_be_repeated_after_any_failure() {
        let args = ["message", "run:a", "control.prune", "--json"];
        let archived = || {
            let env = example_env();
            env.send_ok(&["run:a", "control.archive"]);
            env
        };
        for spec in trace_failpoints(|spec| {
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
                let entries = std::fs::read_dir(env.runs_root().archive())
                    .unwrap()
                    .flatten();
                assert!(
                    entries
                        .into_iter()
                        .all(|entry| entry.file_name() == ".lock"),
                    "{spec}"
                );
                assert!(!env.run_dir("a").dir().exists(), "{spec}");
            }
        }
    }

    #[test]
    fn after_a_killed_observer_the_next_one_gets_every_end() {
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
        for spec in trace_failpoints(|spec| {
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
                let second = reported_ends(&env);
                assert!(reported_ends(&env).is_empty(), "{spec}: reported again");
                let mut all = [first.clone(), second.clone()].concat();
                all.sort();
                // A watcher killed between its output and its mark repeats the output.
                let repeated = all.len() - 3;
                assert!(
                    repeated == 0 || repeated <= first.len(),
                    "{spec}: {first:?} {second:?}"
                );
                let of_a =
                    |ends: &[(String, u64)]| ends.iter().filter(|(run, _)| run == "a").count();
                assert!(
                    of_a(&first).max(of_a(&second)) >= 1 && of_a(&all) >= 2,
                    "{spec}: {all:?}"
                );
                assert!(all.iter().any(|(run, _)| run == "b"), "{spec}: {all:?}");
            }
        }
    }
}
