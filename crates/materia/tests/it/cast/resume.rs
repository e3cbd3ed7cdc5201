//! Continuing a cast: after a kill at any point, after Ctrl-C, after a failure, after a pause.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{cast, config, event_types, events, files, run_dir, write_script};
use crate::test_env::TestEnv;

/// Two items, each counted in a file by a utility with a side effect.
fn counting_config() -> Value {
    let list = json!({"type": "utility", "generator": true, "parse": "json", "command":
        ["sh", "-c", "cat >/dev/null; echo '{\"workItems\": [{\"title\": \"A\", \"context\": \"a\"}, {\"title\": \"B\", \"context\": \"b\"}]}'"]});
    let work = json!({"type": "utility", "parse": "json", "command":
        ["sh", "-c", "cat >/dev/null; echo x >>done.txt; echo '{\"satisfied\": true}'"]});
    json!({"activeLoadout": "T", "materia": {"List": list, "Work": work}, "loadouts": {"T": {"entry": "a",
        "sockets": {
            "a": {"materia": "List", "edges": [{"to": "b"}]},
            "b": {"materia": "Work", "edges": [{"to": "b"}]}},
        "loops": {"l": {"sockets": ["b"], "consumes": {"from": "a", "output": "workItems"},
            "exit": {"from": "b", "when": "satisfied", "to": "end"}}}}}})
}

/// The report of a cast without the fields that differ from cast to cast.
fn comparable(mut document: Value) -> Value {
    let fields = document.as_object_mut().unwrap();
    fields.remove("castId");
    fields.remove("runDir");
    document
}

#[test]
fn c9_a_cast_killed_at_any_write_resumes_to_the_same_result() {
    let undisturbed = TestEnv::new();
    let expected = comparable(
        cast(&undisturbed, &counting_config(), &["--json"])
            .ok()
            .json(),
    );
    let events_of_whole_cast = event_types(&undisturbed).len();
    let failures = [
        ("journal.write", "torn"),
        ("journal.sync", "abort"),
        ("artifact.create", "abort"),
    ];
    for (point, action) in failures {
        let (mut resumed, mut ended) = (0, false);
        for hit in 1.. {
            let env = TestEnv::new();
            let failpoint = format!("{point}:{hit}:{action}");
            if cast_with_failpoint(&env, &failpoint) == 0 {
                break;
            }
            let outcome = env.materia(&["resume", "--json"]).run();
            match outcome.json()["error"]["code"].as_str() {
                // The cast had not started, so nothing was promised.
                Some("cast_not_found" | "bad_cast") if resumed == 0 => continue,
                // The cast had ended; only its snapshots were missing.
                Some("refused") => ended = true,
                _ => {
                    assert!(
                        !ended && outcome.code() == 0,
                        "{failpoint}\n{}",
                        outcome.transcript()
                    );
                    assert_eq!(comparable(outcome.json()), expected, "{failpoint}");
                    resumed += 1;
                }
            }
            assert_eq!(
                event_types(&env)
                    .iter()
                    .filter(|kind| *kind == "cast_end")
                    .count(),
                1,
                "{failpoint}"
            );
            finished_visits_ran_once(&env);
        }
        // The result of a step is one write of two or more events.
        let min_resumed = if point == "journal.write" {
            events_of_whole_cast * 3 / 4
        } else {
            3
        };
        assert!(
            resumed >= min_resumed,
            "{point}: {resumed} of {min_resumed}"
        );
    }
}

/// Casts with an active failpoint and returns the exit code.
fn cast_with_failpoint(env: &TestEnv, failpoint: &str) -> i32 {
    env.write("flow.json", counting_config().to_string());
    let args = ["cast", "--config", "flow.json", "do the work", "--json"];
    env.materia(&args)
        .env("MATERIA_FAILPOINT", failpoint)
        .run()
        .code()
}

/// Asserts that no visit was dispatched again after it had completed.
fn finished_visits_ran_once(env: &TestEnv) {
    let mut finished = Vec::new();
    for event in events(env) {
        let visit = (
            event["data"]["socket"].clone(),
            event["data"]["visit"].clone(),
        );
        match event["type"].as_str().unwrap() {
            "utility_input" => assert!(
                !finished.contains(&visit),
                "{visit:?} ran after it had finished"
            ),
            "socket_complete" => finished.push(visit),
            _ => {}
        }
    }
    assert_eq!(finished.len(), 3);
}

#[test]
fn c22_ctrl_c_stops_the_step_and_leaves_the_cast_resumable() {
    let env = TestEnv::new();
    let slow = json!({"type": "utility", "command":
        ["sh", "-c", "cat >/dev/null; if [ -e go ]; then exit 0; fi; echo started >&2; sleep 600"]});
    env.write(
        "flow.json",
        config(&json!({"a": {"materia": "Slow"}}), &json!({"Slow": slow})).to_string(),
    );
    let mut running = env.materia(&["cast", "--config", "flow.json", "x"]).start();
    running.wait_for_stderr("cast:");
    while !run_dir(&env).join("sockets/a/1.input.json").exists() {
        std::thread::yield_now();
    }
    running.signal(Signal::INT);
    let stopped = running.wait();
    assert_eq!(stopped.code(), 130, "{}", stopped.transcript());
    assert!(
        stopped.stderr.contains("materia resume "),
        "{}",
        stopped.stderr
    );
    assert!(env.live_processes().is_empty());
    env.write("go", "");
    let resumed = env.materia(&["resume"]).run().ok();
    assert_snapshot!(resumed.transcript(), @r"
    $ materia resume
    complete: 2026-01-01T00-00-00-000Z, 1 step
    artifacts: [ROOT]/project/.pi/pi-materia/2026-01-01T00-00-00-000Z
    next: materia cast-show 2026-01-01T00-00-00-000Z
    --- stderr
    cast: 2026-01-01T00-00-00-000Z at a (Slow), which was interrupted, by the definition it began with
    interrupted: a (Slow), in doubt: rerun
    done: a (Slow)
    ");
    assert!(files(&run_dir(&env)).contains(&"sockets/a/1.a2.input.json".to_owned()));
}

#[test]
fn recast_continues_at_the_failed_step_and_refuses_a_complete_cast() {
    let env = TestEnv::new();
    let needs = json!({"type": "utility", "command": ["sh", "-c", "cat >/dev/null; cat needed"], "assign": {"text": "$"}});
    let first = cast(
        &env,
        &config(&json!({"a": {"materia": "N"}}), &json!({"N": needs})),
        &["--json"],
    );
    assert_eq!(first.code(), 1);
    env.write("needed", "here");
    let id = first.json()["castId"].as_str().unwrap().to_owned();
    let again = env.materia(&["recast", &id[..12], "--json"]).run().ok();
    assert_eq!(again.json()["state"]["text"], "here");
    for verb in ["recast", "resume", "continue", "abort"] {
        let refused = env.materia(&[verb, &id, "--json"]).run();
        refused.assert_error(4, "refused");
    }
    assert_eq!(env.materia(&["resume", "nope", "--json"]).run().code(), 3);
}

#[test]
fn a_conversation_pauses_continues_with_text_and_completes() {
    let env = TestEnv::new();
    write_script(
        &env,
        &json!([{"text": "what first?"}, {"match": {"contains": "the tests"}, "text": "fine"}, {"text": "the plan"}]),
    );
    let talk = json!({"tools": "none", "prompt": "plan", "multiTurn": true});
    let config = config(
        &json!({"a": {"materia": "Talk", "assign": {"plan": "lastOutput"}}}),
        &json!({"Talk": talk}),
    );
    let paused = cast(&env, &config, &["--agent-script", "script.json", "--json"]).ok();
    assert_eq!(paused.json()["status"], "paused");
    write_script(
        &env,
        &json!([{"match": {"contains": "the tests"}, "text": "fine"}]),
    );
    let id = paused.json()["castId"].as_str().unwrap().to_owned();
    let no_agent = env.materia(&["continue", &id, "--json"]).run();
    no_agent.assert_error(6, "no_agent");
    let continued = env
        .materia(&[
            "continue",
            &id,
            "the tests",
            "--agent-script",
            "script.json",
            "--json",
        ])
        .run()
        .ok();
    assert_eq!(continued.json()["status"], "paused");
    write_script(&env, &json!([{"text": "the plan"}]));
    let done = env
        .materia(&["continue", &id, "--agent-script", "script.json", "--json"])
        .run()
        .ok();
    assert_eq!(done.json()["status"], "complete");
    let other = cast(&env, &config, &["--agent-script", "script.json", "--json"]).ok();
    let id = other.json()["castId"].as_str().unwrap().to_owned();
    let aborted = env.materia(&["abort", &id, "--json"]).run().ok();
    assert_eq!(aborted.json()["status"], "aborted");
}

#[test]
fn c14_abort_ends_a_cast_driven_by_another_process() {
    let env = TestEnv::new();
    let slow = json!({"type": "utility", "timeoutMs": 600_000, "command":
        ["sh", "-c", "cat >/dev/null; sleep 600 & echo started >new; mv new started; wait"]});
    let config = config(
        &json!({"a": {"materia": "Slow", "edges": [{"to": "b"}]}, "b": {"materia": "Slow"}}),
        &json!({"Slow": slow}),
    );
    let detached = cast(&env, &config, &["--detach", "--json"]).ok().json();
    assert_has!(detached, {"status": "running", "run": detached["castId"]});
    while !env.work_dir().join("started").exists() {
        std::thread::yield_now();
    }
    let id = detached["castId"].as_str().unwrap();
    let held = env.materia(&["resume", id, "--json"]).run();
    held.assert_error(4, "cast_in_use");
    let aborted = env.materia(&["abort", id, "--json"]).run().ok().json();
    assert_eq!(aborted["status"], "aborted");
    assert_eq!(aborted["visits"], json!({"a": 1}));
    assert_eq!(
        event_types(&env)
            .iter()
            .filter(|kind| *kind == "cast_end")
            .count(),
        1
    );
    let again = env.materia(&["abort", id, "--json"]).run();
    assert_eq!(again.code(), 4);
    assert_eq!(env.wait(id)["cast"]["id"], id);
}
