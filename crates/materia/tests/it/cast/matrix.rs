//! The crash matrix (C9, C22, P2): the reference cast is killed at every failpoint, resumed, and
//! compared with an undisturbed cast.
//!
//! The cast has a repair, a loop of three items, a rework and a utility with a side effect. It runs
//! once with a trace that lists every failpoint hit (there is one right after every event), and then
//! once for each hit. The answers of the scripted agent depend only on the prompt, so it does not
//! matter how many processes ask it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use materia_engine::store::journal::{From, Reader};
use materia_model::cast::{CastEvent, CastEventBody, CastState, CastStatus};
use serde_json::{Value, json};

use super::{config, files, run_dir};
use crate::test_env::{TestEnv, TestOutput};

const EFFECTS: &str = "effects";

/// The reference cast: plan (with a repair), then build, record in a file and check each of three
/// items, the second one twice.
fn reference_config() -> Value {
    let mut config = config(
        &json!({
            "a": {"materia": "Plan", "edges": [{"to": "build"}]},
            "build": {"materia": "Build", "assign": {"built": "lastOutput"}, "edges": [{"to": "record"}]},
            "record": {"materia": "Record", "edges": [{"to": "check"}]},
            "check": {"materia": "Check", "parse": "json", "edges":
                [{"when": "not_satisfied", "to": "build", "maxTraversals": 3}, {"to": "build"}]}
        }),
        &json!({
            "Plan": {"tools": "none", "prompt": "plan it", "generator": true, "parse": "json"},
            "Build": {"tools": "none", "prompt": "build it"},
            "Check": {"tools": "none", "prompt": "check: {{ stateJson }}"},
            "Record": {"type": "utility", "assign": {"recorded": "$"}, "command": ["sh", "-c",
                "sed -n 's/.*\"itemKey\":\"\\([^\"]*\\)\".*/\\1/p' >>effects; printf %s \"$1\"", "record", "done"]}
        }),
    );
    config["loadouts"]["T"]["loops"] = json!({"l": {"sockets": ["build", "record", "check"],
        "consumes": {"from": "a", "output": "workItems"}, "exit": {"from": "check", "when": "satisfied", "to": "end"}}});
    config
}

fn replies() -> Value {
    let items: Vec<Value> = ["A", "B", "C"]
        .iter()
        .map(|title| json!({"title": title, "context": format!("Do {title}.")}))
        .collect();
    let usage = json!({"input": 1, "output": 1});
    let reply = |condition: Value, text: Value| {
        let text = text
            .as_str()
            .map_or_else(|| text.to_string(), str::to_owned);
        json!({"match": condition, "text": text, "usage": usage, "times": 1000})
    };
    json!({"replies": [
        reply(json!({"socket": "a", "contains": "cannot be used"}), json!({"workItems": items})),
        reply(json!({"socket": "a"}), json!("a plan that is no JSON")),
        reply(json!({"socket": "build", "contains": "make it blue"}), json!("built in blue")),
        reply(json!({"socket": "build"}), json!("built")),
        reply(json!({"socket": "check", "item": "WI-2", "contains": "built in blue"}), json!({"satisfied": true})),
        reply(json!({"socket": "check", "item": "WI-2"}), json!({"satisfied": false, "context": "make it blue"})),
        reply(json!({"socket": "check"}), json!({"satisfied": true})),
    ]})
}

/// Runs the reference cast from the start.
fn cast(env: &TestEnv, failpoint: &str) -> TestOutput {
    env.write("flow.json", reference_config().to_string());
    env.write("script.json", replies().to_string());
    let args = [
        "cast",
        "--config",
        "flow.json",
        "do the work",
        "--agent-script",
        "script.json",
        "--json",
    ];
    env.materia(&args).env("MATERIA_FAILPOINT", failpoint).run()
}

fn resume(env: &TestEnv, failpoint: &str) -> TestOutput {
    let args = ["resume", "--agent-script", "script.json", "--json"];
    env.materia(&args).env("MATERIA_FAILPOINT", failpoint).run()
}

/// What must be the same however often the cast was killed.
#[derive(Debug, PartialEq)]
struct CastResult {
    state: CastState,
    /// The visits in the order in which they finished.
    finished: Vec<(String, u64)>,
}

fn read_events(env: &TestEnv) -> Vec<CastEvent> {
    let records = Reader::open(&run_dir(env).join("events.jsonl"), From::Beginning)
        .unwrap()
        .map(Result::unwrap);
    let read = |record: materia_model::record::Record| {
        CastEventBody::read(&record.kind, record.data)
            .unwrap()
            .map(|body| CastEvent {
                at: record.at,
                body,
            })
    };
    records.filter_map(read).collect()
}

fn cast_result(env: &TestEnv) -> CastResult {
    let events = read_events(env);
    let mut state = CastState::fold(&events);
    // A turn that ended just before the kill counts as spending, although it runs again.
    let turns = events
        .iter()
        .filter(|event| matches!(event.body, CastEventBody::AgentTurnEnd(_)))
        .count();
    assert_eq!(
        (state.spending.turns, state.usage().total),
        (turns as u64, 2 * turns as u64)
    );
    state.spending = Default::default();
    let finished = events.iter().filter_map(|event| match &event.body {
        CastEventBody::SocketComplete(complete) => {
            Some((complete.place.socket.clone(), complete.place.visit))
        }
        _ => None,
    });
    CastResult {
        state,
        finished: finished.collect(),
    }
}

/// Asserts everything that must hold for an ended cast.
fn check(env: &TestEnv, expected: &CastResult, failpoint: &str) {
    let events = read_events(env);
    assert_eq!(cast_result(env), *expected, "{failpoint}");
    let ends = events
        .iter()
        .filter(|event| matches!(event.body, CastEventBody::CastEnd(_)))
        .count();
    assert_eq!(ends, 1, "{failpoint}");
    let mut runs: BTreeMap<String, usize> = BTreeMap::new();
    let mut visits: BTreeMap<(String, u64), (usize, usize, bool)> = BTreeMap::new();
    for event in &events {
        match &event.body {
            CastEventBody::UtilityInput(dispatch) => {
                *runs
                    .entry(dispatch.place.item_key.clone().unwrap())
                    .or_default() += 1;
                count_dispatch(&mut visits, &dispatch.place, failpoint);
            }
            CastEventBody::AgentTurnStart(dispatch) => {
                count_dispatch(&mut visits, &dispatch.place, failpoint);
            }
            CastEventBody::SocketInterrupted(doubt) => {
                visits
                    .entry((doubt.place.socket.clone(), doubt.place.visit))
                    .or_default()
                    .1 += 1;
            }
            CastEventBody::SocketComplete(complete) => {
                let key = (complete.place.socket.clone(), complete.place.visit);
                visits.entry(key).or_default().2 = true;
            }
            _ => {}
        }
    }
    for ((socket, visit), (dispatches, doubts, _)) in visits {
        let planned = if socket == "a" { 2 } else { 1 };
        assert_eq!(
            dispatches,
            planned + doubts,
            "{failpoint}: visit {visit} of {socket} ran without an interruption"
        );
    }
    check_side_effects(env, &runs, failpoint);
    let files_present = files(&run_dir(env));
    for artifact in manifest_artifacts(env) {
        assert!(
            files_present.contains(&artifact),
            "{failpoint}: {artifact} is gone"
        );
    }
}

fn count_dispatch(
    visits: &mut BTreeMap<(String, u64), (usize, usize, bool)>,
    place: &materia_model::cast::event::VisitId,
    failpoint: &str,
) {
    let visit = visits
        .entry((place.socket.clone(), place.visit))
        .or_default();
    assert!(!visit.2, "{failpoint}: {place:?} ran after it had finished");
    visit.0 += 1;
}

/// Asserts that a side effect happened once per completed run, and at most once more per interrupted
/// run.
fn check_side_effects(env: &TestEnv, runs: &BTreeMap<String, usize>, failpoint: &str) {
    let text = env.read(EFFECTS);
    for (item, planned) in [("WI-1", 1), ("WI-2", 2), ("WI-3", 1)] {
        let seen = text.lines().filter(|line| *line == item).count();
        assert!(
            (planned..=runs[item]).contains(&seen),
            "{failpoint}: {item} {seen} times of {runs:?}\n{text}"
        );
    }
}

/// The paths of the artifacts in the manifest.
fn manifest_artifacts(env: &TestEnv) -> Vec<String> {
    let text = fs::read_to_string(run_dir(env).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let entries = manifest["entries"].as_array().unwrap();
    assert!(entries.len() > 20, "{text}");
    entries
        .iter()
        .map(|entry| entry["artifact"].as_str().unwrap().to_owned())
        .collect()
}

/// Every failpoint hit of an undisturbed cast, and the result of that cast.
fn failpoint_hits() -> (Vec<(String, u64)>, CastResult) {
    let env = TestEnv::new();
    let trace = env.work_dir().join("trace");
    let outcome = cast(&env, &format!("trace:{}", trace.display())).ok();
    assert_eq!(
        outcome.json()["visits"],
        json!({"a": 1, "build": 4, "check": 4, "record": 4}),
        "{}",
        outcome.stdout
    );
    let expected = cast_result(&env);
    assert_eq!(expected.state.status, CastStatus::Complete);
    check(&env, &expected, "nothing");
    assert_eq!(env.read(EFFECTS), "WI-1\nWI-2\nWI-2\nWI-3\n");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut hits = Vec::new();
    for point in fs::read_to_string(trace).unwrap().lines() {
        let nth = counts.entry(point.to_owned()).or_default();
        *nth += 1;
        hits.push((point.to_owned(), *nth));
    }
    (hits, expected)
}

/// Kills the cast at one failpoint, resumes it until it has ended, and checks the result. `again` is
/// a failpoint that kills the first `resume`, too.
fn kill_and_resume(
    point: &str,
    nth: u64,
    action: &str,
    again: Option<&str>,
    expected: &CastResult,
) {
    let failpoint = format!("{point}:{nth}:{action}");
    let env = TestEnv::in_memory();
    let first = cast(&env, &failpoint);
    let code = first.code();
    match action {
        "abort" | "torn" => assert_eq!(code, 128 + 6, "{failpoint}"),
        _ if code == 0 => {}
        _ => {
            let error = &first.json()["error"];
            let is_storage_error = ["log", "storage"].contains(&error["code"].as_str().unwrap())
                && error["hint"].is_string();
            assert!(is_storage_error, "{failpoint}: {}", first.transcript());
        }
    }
    let log_file = || {
        fs::read_dir(env.work_dir().join(".pi/pi-materia"))
            .ok()?
            .next()?
            .ok()
            .map(|dir| dir.path().join("events.jsonl"))
    };
    let began = log_file().is_some_and(|log| {
        fs::read_to_string(log)
            .unwrap_or_default()
            .contains("\"cast_start\"")
    });
    if let Some(again) = again {
        resume(&env, again);
    }
    let resumed = resume(&env, "none:abort");
    match (resumed.code(), resumed.json()["error"]["code"].as_str()) {
        // The cast had ended; only its documents were missing.
        (0, _) | (4, Some("refused")) => {}
        // The cast had not started: nothing was promised and nothing ran.
        (_, Some("cast_not_found" | "bad_cast")) if !began => {
            return assert!(!env.work_dir().join(EFFECTS).exists());
        }
        _ => panic!("{failpoint}: {}", resumed.transcript()),
    }
    check(&env, expected, &failpoint);
}

/// Calls `each` for every item, in four threads.
fn for_each_parallel<T: Sync>(items: &[T], each: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    each(index, item);
                }
            });
        }
    });
}

#[test]
fn c9_a_sample_of_the_crash_matrix() {
    let (hits, expected) = failpoint_hits();
    let sample: Vec<&(String, u64)> = hits.iter().skip(7).step_by(hits.len() / 8).collect();
    for_each_parallel(&sample, |_, (point, nth)| {
        kill_and_resume(point, *nth, "abort", None, &expected);
    });
}

mod slow {
    use super::*;

    #[test]
    fn c9_killed_at_every_point_a_cast_ends_the_same() {
        let (hits, expected) = failpoint_hits();
        let recorded = hits
            .iter()
            .filter(|(point, _)| point == "cast.recorded")
            .count();
        assert!(recorded > 60 && hits.len() > 3 * recorded, "{hits:?}");
        for_each_parallel(&hits, |index, (point, nth)| {
            // Every fourth time the first `resume` is killed, too.
            let again = format!("cast.recorded:{}:abort", 1 + index % 7);
            kill_and_resume(
                point,
                *nth,
                "abort",
                index.is_multiple_of(4).then_some(again.as_str()),
                &expected,
            );
        });
    }

    #[test]
    fn c9_after_torn_writes_and_disk_errors_a_cast_resumes() {
        let (hits, expected) = failpoint_hits();
        let mut cases = Vec::new();
        let mut last: BTreeMap<&String, u64> = BTreeMap::new();
        // A program that cannot start is a failed step, not a failure of the cast engine (C12).
        let own_points = hits
            .iter()
            .filter(|(point, _)| !point.starts_with("process."));
        last.extend(own_points.map(|(point, nth)| (point, *nth)));
        for (point, last) in last {
            for nth in std::collections::BTreeSet::from([1, last.div_ceil(2), last]) {
                let torn = point.ends_with(".write").then_some("torn");
                cases.extend(
                    ["eio", "enospc"]
                        .into_iter()
                        .chain(torn)
                        .map(|action| (point, nth, action)),
                );
            }
        }
        for_each_parallel(&cases, |_, (point, nth, action)| {
            kill_and_resume(point, *nth, action, None, &expected);
        });
    }
}
