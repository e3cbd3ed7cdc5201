//! The crash suite of runs: killed at every point, at any moment, by fifty at once, and without
//! room.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Who fails: the one that starts a run, or the one that supervises it.
const LAUNCHER: &str = "MATERIA_FAILPOINT";
const SUPERVISOR: &str = "MATERIA_SUPERVISOR_FAILPOINT";

/// A run of two commands that ends by itself.
const SHORT: &str = r#"["echo one", "cat"]"#;

/// What spawning came to: how it exited, or nothing where it was killed.
fn spawn_with(env: &TestEnv, who: &str, failpoint: &str) -> Option<i32> {
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
    let spawned = env.materia(&args).env(who, failpoint).run();
    let code = spawned.status.code();
    assert!(
        code.is_none() || spawned.json()["ok"].is_boolean(),
        "{}",
        spawned.transcript()
    );
    code
}

/// After whatever happened: the run is over or never was, nothing of it runs, and the id can be
/// used again.
fn is_well(env: &TestEnv, what: &str) {
    let place = env.run_dir("a");
    if place.exists() {
        let waited = env
            .materia(&["wait", "run:a", "--timeout", "20", "--json"])
            .run()
            .json();
        if waited["ok"].is_boolean() && waited["runs"].is_array() {
            let status = waited["runs"][0]["status"].as_str().unwrap();
            let over = ["done", "failed", "exited", "cancelled", "killed"].contains(&status);
            assert!(
                over || (status == "starting" && env.run_state("a").start.is_none()),
                "{what}: {waited}"
            );
            if over {
                assert_eq!(
                    document(env, "a", "result.json")["status"],
                    *status,
                    "{what}"
                );
            }
        }
    }
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done", "{what}");
    linear(&records(env, "a"), what);
}

/// Every generation begins once, and ends once before the next begins.
fn linear(records: &[Value], what: &str) {
    let mut open: Option<&Value> = None;
    for record in records {
        let generation = &record["data"]["generation"];
        match record["type"].as_str().unwrap() {
            "run.start" => assert!(open.replace(generation).is_none(), "{what}: two owners"),
            "run.end" => assert_eq!(
                open.take(),
                Some(generation),
                "{what}: an end without a beginning"
            ),
            _ => {}
        }
    }
}

/// Every message that was accepted is there once, and belongs to the generation that was on when it
/// was written.
fn messages_have_their_generation(records: &[Value], accepted: &[usize]) {
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
                    "a message for nobody: {record}"
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

/// The points that somebody passes while a run is started and comes to its end.
fn points(who: &str) -> BTreeMap<String, usize> {
    let env = TestEnv::new();
    let trace = env.work_dir().join("trace");
    assert_eq!(
        spawn_with(&env, who, &format!("trace:{}", trace.display())),
        Some(0)
    );
    assert_eq!(env.wait("a")["status"], "done");
    let mut points: BTreeMap<String, usize> = BTreeMap::new();
    for point in std::fs::read_to_string(&trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    points
}

fn killed_or_refused_at_every_point(who: &str, at_least: usize) {
    let points = points(who);
    assert!(points.len() > at_least, "{points:?}");
    for (point, times) in &points {
        for nth in 1..=*times {
            for action in ["abort", "enospc"] {
                let env = TestEnv::new();
                let failpoint = format!("{point}:{nth}:{action}");
                let code = spawn_with(&env, who, &failpoint);
                let killed = who == LAUNCHER && action == "abort";
                assert!(
                    killed == code.is_none() && code.is_none_or(|code| code < 2),
                    "{failpoint}: {code:?}"
                );
                if code == Some(1) {
                    assert!(
                        !env.run_dir("a").dir().exists(),
                        "{failpoint} left something half-written"
                    );
                }
                is_well(&env, &failpoint);
            }
        }
    }
}

#[test]
fn a_launcher_killed_or_refused_at_every_point_leaves_no_run_stuck() {
    killed_or_refused_at_every_point(LAUNCHER, 12);
}

#[test]
fn a_supervisor_killed_or_refused_at_every_point_leaves_no_run_stuck() {
    killed_or_refused_at_every_point(SUPERVISOR, 10);
}

#[test]
fn killed_at_any_moment_a_supervisor_leaves_nothing() {
    let env = TestEnv::new();
    for round in 0..40 {
        env.spawn("a", "materia-fake forks 2 --setsid", &[]);
        // Anywhere between its answer and its sleep.
        std::thread::sleep(Duration::from_micros(round * 373 % 9000));
        env.kill_supervisor("a");
        let over = env.wait("a");
        assert_eq!(over["status"], "exited", "round {round}: {over}");
        assert!(
            env.live_processes().is_empty(),
            "round {round}: {:?}",
            env.live_processes()
        );
    }
    linear(&records(&env, "a"), "any moment");
}

/// A run kills the tree of its command while that starts another run: the other run comes to its
/// own end, or it was never started.
#[test]
fn a_launcher_killed_with_its_tree_leaves_a_whole_run_or_none() {
    let env = TestEnv::new();
    let mut whole = 0;
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
            Some("done") => whole += 1,
            // Nothing was recorded of it, or that was taken back: its id is free.
            None | Some("starting") => {
                env.spawn(&inner, "true", &[]);
                assert_eq!(env.wait(&inner)["status"], "done", "round {round}");
            }
            Some(_) => panic!("round {round}: {waited}"),
        }
    }
    assert!(whole > 0, "no round was long enough");
}

#[test]
fn fifty_at_once_on_one_id_have_one_owner_at_a_time() {
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
                    let place = env.run_dir("a");
                    let _nothing_yet = run::stop(&place, Control::Kill, None, &Clock::system());
                    return;
                }
                if worker % 5 == 3 {
                    // There may be no run yet, or none that is on.
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
    linear(&records, "chaos");
    let starts = records
        .iter()
        .filter(|record| record["type"] == "run.start")
        .count();
    assert_eq!(
        starts,
        started.load(Ordering::Relaxed),
        "acknowledged starts are exactly the recorded ones"
    );
    messages_have_their_generation(&records, &accepted.into_inner().unwrap());
    assert!(env.live_processes().is_empty());
}

#[test]
fn without_file_descriptors_the_error_is_clear_and_other_runs_go_on() {
    let env = TestEnv::new();
    env.spawn("other", "sleep 600", &[]);
    let mut refused = 0;
    for most in 3..24 {
        let line =
            format!("ulimit -n {most}; exec materia spawn --template true --as run:a --json");
        let spawned = env.shell(&line).run();
        if spawned.code() == 0 {
            env.wait("a");
            continue;
        }
        refused += 1;
        // With hardly any descriptors not even the programs can be loaded; what could speak spoke
        // JSON.
        if spawned.stdout.starts_with('{') {
            assert_eq!(spawned.json()["ok"], false, "{}", spawned.transcript());
        }
    }
    assert!(refused > 0);
    is_well(&env, "descriptors");
    assert_eq!(env.run_state("other").status.as_str(), "running");
    env.kill("other");
}

#[test]
fn without_file_descriptors_every_verb_says_so_and_the_run_goes_on() {
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
        for most in (3..16).rev() {
            let said = env
                .shell(&format!("ulimit -n {most}; exec materia {verb} --json"))
                .run();
            // With hardly any descriptors not even the program can be loaded; what could speak
            // spoke JSON.
            let documents = said.stdout.lines().map(serde_json::from_str::<Value>);
            for document in documents.map(|document| {
                document.unwrap_or_else(|error| panic!("{error}: {}", said.transcript()))
            }) {
                let failed = document["ok"] == false && document["error"].is_object();
                assert!(
                    said.code() != 70 && (!failed || said.code() != 0),
                    "{}",
                    said.transcript()
                );
                refused += usize::from(failed);
            }
        }
    }
    assert!(refused > 0);
    assert_eq!(env.run_state("a").status.as_str(), "running");
    env.send_ok(&["run:a", "task.run", "and on"]);
    env.kill("a");
    linear(&records(&env, "a"), "descriptors");
}

#[test]
fn a_run_retires_also_when_a_child_was_killed_with_its_supervisor() {
    let env = TestEnv::new();
    let inside =
        "sh -c 'materia spawn --template \"sleep 600\" --as run:child >/dev/null; sleep 600'";
    env.spawn("parent", inside, &["--retire-when", "children_terminal"]);
    env.wait_for_file_text(env.run_dir("child").journal(), "command.start");
    env.kill_supervisor("child");
    let over = env.wait("parent");
    assert_has!(over, {"status": "done", "children": {"child": "exited"}});
    assert!(env.live_processes().is_empty());
}
