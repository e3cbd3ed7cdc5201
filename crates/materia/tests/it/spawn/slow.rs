//! The crash suite of runs: kills at every failpoint and at any time, fifty concurrent launchers, and
//! missing file descriptors.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// The variable that arms a failpoint in the launcher or in the supervisor of a run.
const LAUNCHER: &str = "MATERIA_FAILPOINT";
const SUPERVISOR: &str = "MATERIA_SUPERVISOR_FAILPOINT";

/// A template with two commands that end by themselves.
const SHORT: &str = r#"["echo one", "cat"]"#;

/// Spawns with a failpoint and returns the exit code, or nothing if the launcher was killed.
fn spawn_with(env: &TestEnv, variable: &str, failpoint: &str) -> Option<i32> {
    let args = [
        "spawn",
        "--template",
        SHORT,
        "--as",
        "run:a",
        "--session",
        "s1",
        "--json",
    ];
    let spawned = env.materia(&args).env(variable, failpoint).run();
    let code = spawned.status.code();
    assert!(
        code.is_none() || spawned.json()["ok"].is_boolean(),
        "{}",
        spawned.transcript()
    );
    code
}

/// Asserts that the run has ended or never existed, that none of its processes is left, and that the
/// id can be used again.
fn assert_consistent(env: &TestEnv, label: &str) {
    let run_dir = env.run_dir("a");
    if run_dir.exists() {
        let waited = env
            .materia(&["wait", "run:a", "--timeout", "20", "--json"])
            .run()
            .json();
        if waited["ok"].is_boolean() && waited["runs"].is_array() {
            let status = waited["runs"][0]["status"].as_str().unwrap();
            let ended = ["done", "failed", "exited", "cancelled", "killed"].contains(&status);
            assert!(
                ended || (status == "starting" && env.run_state("a").start.is_none()),
                "{label}: {waited}"
            );
            if ended {
                assert_eq!(
                    document(env, "a", "result.json")["status"],
                    *status,
                    "{label}"
                );
            }
        }
    }
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done", "{label}");
    assert_linear(&records(env, "a"), label);
}

/// Asserts that every generation starts once, and ends once before the next one starts.
fn assert_linear(records: &[Value], label: &str) {
    let mut open: Option<&Value> = None;
    for record in records {
        let generation = &record["data"]["generation"];
        match record["type"].as_str().unwrap() {
            "run.start" => assert!(open.replace(generation).is_none(), "{label}: two owners"),
            "run.end" => assert_eq!(
                open.take(),
                Some(generation),
                "{label}: an end without a start"
            ),
            _ => {}
        }
    }
}

/// Asserts that every accepted message is recorded once, with the generation that was active.
fn assert_messages(records: &[Value], accepted: &[usize]) {
    let mut open: Option<&Value> = None;
    let mut found = Vec::new();
    for record in records {
        let data = &record["data"];
        match record["type"].as_str().unwrap() {
            "run.start" => open = Some(&data["generation"]),
            "run.end" => open = None,
            "message" if data["type"] == "task.run" => {
                assert_eq!(
                    Some(&data["generation"]),
                    open,
                    "a message without an active generation: {record}"
                );
                found.push(data["body"].as_u64().unwrap() as usize);
            }
            _ => {}
        }
    }
    found.sort_unstable();
    let mut accepted = accepted.to_vec();
    accepted.sort_unstable();
    assert_eq!(
        found, accepted,
        "accepted messages are exactly the recorded ones"
    );
}

/// The failpoint hits of the launcher or the supervisor during a whole run.
fn failpoint_counts(variable: &str) -> BTreeMap<String, usize> {
    let env = TestEnv::new();
    let trace = env.work_dir().join("trace");
    assert_eq!(
        spawn_with(&env, variable, &format!("trace:{}", trace.display())),
        Some(0)
    );
    assert_eq!(env.wait("a")["status"], "done");
    let mut points: BTreeMap<String, usize> = BTreeMap::new();
    for point in std::fs::read_to_string(&trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    points
}

fn fail_at_every_point(variable: &str, at_least: usize) {
    let points = failpoint_counts(variable);
    assert!(points.len() > at_least, "{points:?}");
    for (point, times) in &points {
        for nth in 1..=*times {
            for action in ["abort", "enospc"] {
                let env = TestEnv::new();
                let failpoint = format!("{point}:{nth}:{action}");
                let code = spawn_with(&env, variable, &failpoint);
                let killed = variable == LAUNCHER && action == "abort";
                assert!(
                    killed == code.is_none() && code.is_none_or(|code| code < 2),
                    "{failpoint}: {code:?}"
                );
                if code == Some(1) {
                    assert!(
                        !env.run_dir("a").dir().exists(),
                        "{failpoint} left an incomplete directory"
                    );
                }
                assert_consistent(&env, &failpoint);
            }
        }
    }
}

#[test]
fn a_launcher_failing_at_every_point_leaves_no_run_stuck() {
    fail_at_every_point(LAUNCHER, 12);
}

#[test]
fn a_supervisor_failing_at_every_point_leaves_no_run_stuck() {
    fail_at_every_point(SUPERVISOR, 10);
}

#[test]
fn a_supervisor_killed_at_any_time_leaves_no_process() {
    let env = TestEnv::new();
    for round in 0..40 {
        env.spawn("a", "materia-fake forks 2 --setsid", &[]);
        // At any time between its answer and its sleep.
        std::thread::sleep(Duration::from_micros(round * 373 % 9000));
        env.kill_supervisor("a");
        let ended = env.wait("a");
        assert_eq!(ended["status"], "exited", "round {round}: {ended}");
        assert!(
            env.live_processes().is_empty(),
            "round {round}: {:?}",
            env.live_processes()
        );
    }
    assert_linear(&records(&env, "a"), "any moment");
}

/// A run is killed while its command starts another run: the other run must end by itself, or must
/// never have started.
#[test]
fn a_launcher_killed_with_its_run_leaves_a_whole_run_or_none() {
    let env = TestEnv::new();
    let mut completed = 0;
    for round in 0..100 {
        let inner = format!("inner-{round}");
        let launch = format!("materia spawn --template true --as run:{inner} --json");
        env.spawn("outer", &launch, &[]);
        std::thread::sleep(Duration::from_micros(round * 373 % 20_000));
        env.kill("outer");
        if !env.run_dir(&inner).exists() {
            continue;
        }
        let waited = env
            .materia(&["wait", &format!("run:{inner}"), "--timeout", "20", "--json"])
            .run()
            .json();
        match waited["runs"][0]["status"].as_str() {
            Some("done") => completed += 1,
            // Nothing was recorded, or the record was undone: the id is free.
            None | Some("starting") => {
                env.spawn(&inner, "true", &[]);
                assert_eq!(env.wait(&inner)["status"], "done", "round {round}");
            }
            Some(_) => panic!("round {round}: {waited}"),
        }
    }
    assert!(completed > 0, "in no round was the inner run started");
}

#[test]
fn fifty_launchers_of_one_id_have_one_owner_at_a_time() {
    let env = TestEnv::new();
    let (started, refused, accepted) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
    );
    std::thread::scope(|scope| {
        for worker in 0..50 {
            let (env, started, refused, accepted) = (&env, &started, &refused, &accepted);
            scope.spawn(move || {
                if worker % 5 == 4 {
                    let run_dir = env.run_dir("a");
                    let _nothing_yet =
                        run::stop(&run_dir, RunControl::Kill, None, &Clock::system());
                    return;
                }
                if worker % 5 == 3 {
                    // There may be no run, or no active one.
                    let sent = env.send(&["run:a", "task.run", &worker.to_string()]);
                    assert!([0, 3, 4].contains(&sent.code()), "{}", sent.transcript());
                    if sent.code() == 0 {
                        accepted.lock().unwrap().push(worker);
                    }
                    return;
                }
                let template = if worker % 2 == 0 {
                    "true"
                } else {
                    "sleep 0.05"
                };
                let args = ["spawn", "--template", template, "--as", "run:a", "--json"];
                let outcome = env.materia(&args).run();
                match outcome.code() {
                    0 => started.fetch_add(1, Ordering::Relaxed),
                    4 => refused.fetch_add(1, Ordering::Relaxed),
                    _ => panic!("{}", outcome.transcript()),
                };
            });
        }
    });
    env.wait("a");
    assert_eq!(
        started.load(Ordering::Relaxed) + refused.load(Ordering::Relaxed),
        30
    );
    let records = records(&env, "a");
    assert_linear(&records, "chaos");
    let starts = records
        .iter()
        .filter(|record| record["type"] == "run.start")
        .count();
    assert_eq!(
        starts,
        started.load(Ordering::Relaxed),
        "acknowledged starts are exactly the recorded ones"
    );
    assert_messages(&records, &accepted.into_inner().unwrap());
    assert!(env.live_processes().is_empty());
}

#[test]
fn without_descriptors_spawn_fails_and_other_runs_continue() {
    let env = TestEnv::new();
    env.spawn("other", "sleep 600", &[]);
    let mut refused = 0;
    for limit in 3..24 {
        let line =
            format!("ulimit -n {limit}; exec materia spawn --template true --as run:a --json");
        let spawned = env.shell(&line).run();
        if spawned.code() == 0 {
            env.wait("a");
            continue;
        }
        refused += 1;
        // With very few descriptors the program cannot even be loaded. If it printed anything, it
        // must be JSON.
        if spawned.stdout.starts_with('{') {
            assert_eq!(spawned.json()["ok"], false, "{}", spawned.transcript());
        }
    }
    assert!(refused > 0);
    assert_consistent(&env, "descriptors");
    assert_eq!(env.run_state("other").status.as_str(), "running");
    env.kill("other");
}

#[test]
fn without_descriptors_every_command_fails_and_the_run_continues() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    let verbs = [
        "message run:a task.run x",
        "receive --address run:a --timeout 0",
        "inspect run:a",
        "inspect session:all",
        "inspect run:a --view mailbox",
        "wait run:a --timeout 0",
        "watch --once --session s",
    ];
    let mut refused = 0;
    for verb in verbs {
        for limit in (3..16).rev() {
            let output = env
                .shell(&format!("ulimit -n {limit}; exec materia {verb} --json"))
                .run();
            // With very few descriptors the program cannot even be loaded. If it printed anything,
            // it must be JSON.
            let documents = output.stdout.lines().map(serde_json::from_str::<Value>);
            for document in documents.map(|document| {
                document.unwrap_or_else(|error| panic!("{error}: {}", output.transcript()))
            }) {
                let failed = document["ok"] == false && document["error"].is_object();
                assert!(
                    output.code() != 70 && (!failed || output.code() != 0),
                    "{}",
                    output.transcript()
                );
                refused += usize::from(failed);
            }
        }
    }
    assert!(refused > 0);
    assert_eq!(env.run_state("a").status.as_str(), "running");
    env.send_ok(&["run:a", "task.run", "and on"]);
    env.kill("a");
    assert_linear(&records(&env, "a"), "descriptors");
}

#[test]
fn a_run_retires_when_a_child_was_killed_with_its_supervisor() {
    let env = TestEnv::new();
    let inside =
        "sh -c 'materia spawn --template \"sleep 600\" --as run:child >/dev/null; sleep 600'";
    env.spawn("parent", inside, &["--retire-when", "children_terminal"]);
    env.wait_for_file_text(env.run_dir("child").journal(), "command.start");
    env.kill_supervisor("child");
    let ended = env.wait("parent");
    assert_has!(ended, {"status": "done", "children": {"child": "exited"}});
    assert!(env.live_processes().is_empty());
}
