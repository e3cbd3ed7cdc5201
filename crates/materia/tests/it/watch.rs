//! `watch`: a host gets each event of its runs once.

mod marks;
mod requested_ends;
mod second_watcher;

use std::io::{BufRead, BufReader};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

impl TestEnv {
    /// The events that `watch --once` prints.
    pub fn watch_once(&self, more: &[&str]) -> Vec<Value> {
        let outcome = self
            .materia(&[&["watch", "--json", "--once"], more].concat())
            .run()
            .ok();
        outcome
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn event_kinds(events: &[Value]) -> Vec<(&str, &str)> {
    events
        .iter()
        .map(|event| {
            (
                event["event"].as_str().unwrap(),
                event["type"].as_str().or(event["status"].as_str()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_session_gets_messages_and_ends_of_its_runs_once() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "materia message coordinator progress.update '40 files'",
        &["--session", "s"],
    );
    env.spawn("other", "true", &["--session", "t"]);
    env.wait("a");
    env.wait("other");
    env.send_ok(&[
        "coordinator",
        "ask",
        "which?",
        "--from",
        "run:a",
        "--metadata",
        r#"{"requires_response": true}"#,
    ]);
    env.send_ok(&[
        "coordinator",
        "noise",
        "--from",
        "run:a",
        "--metadata",
        r#"{"delivery": "log"}"#,
    ]);
    let events = env.watch_once(&["--session", "s"]);
    assert_eq!(
        event_kinds(&events),
        [
            ("message", "progress.update"),
            ("terminal", "done"),
            ("message", "ask")
        ]
    );
    assert_has!(events[0], {"run": "a", "delivery": "notify", "body": "40 files"});
    assert_has!(events[2], {"attention": true, "delivery": "followup"});
    assert_eq!(events[1]["summary"], "Run a completed successfully.");
    assert_eq!(
        env.watch_once(&["--session", "s"]),
        Vec::<Value>::new(),
        "an event was repeated"
    );
    env.send_ok(&["coordinator", "late", "--from", "run:a"]);
    assert_eq!(
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("message", "late")]
    );
    env.spawn("a", "false", &["--session", "s"]);
    env.wait("a");
    assert_eq!(
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("terminal", "failed")],
        "the end of a new generation is a new event"
    );
}

#[test]
fn the_operator_gets_events_of_all_sessions_from_now_on() {
    let env = TestEnv::new();
    env.spawn("old", "true", &["--session", "s"]);
    env.wait("old");
    assert_eq!(env.watch_once(&[]), Vec::<Value>::new());
    env.spawn("new", "false", &["--session", "t"]);
    env.wait("new");
    let events = env.watch_once(&[]);
    assert_eq!(event_kinds(&events), [("terminal", "failed")]);
    assert_has!(events[0], {"run": "new", "level": "error", "session": "t"});
    assert_eq!(
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("terminal", "done")],
        "each observer has its own mark"
    );
}

#[test]
fn a_killed_supervisor_wakes_a_watcher() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
    let mut lines = BufReader::new(watching.stdout()).lines();
    env.send_ok(&["coordinator", "hello", "--from", "run:a"]);
    let next = |lines: &mut std::io::Lines<BufReader<std::process::ChildStdout>>| -> Value {
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(next(&mut lines)["type"], "hello");
    let busy = env.materia(&["watch", "--json", "--session", "s"]).run();
    assert_refused(&busy, 4, "in_use");
    let pid = env.run_state("a").start.unwrap().supervisor.pid;
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let end = next(&mut lines);
    assert_has!(end, {"event": "terminal", "status": "exited"});
    env.spawn("b", "true", &["--session", "s"]);
    assert_eq!(next(&mut lines)["run"], "b");
    assert_eq!(env.wait("b")["status"].as_str(), Some("done"));
    watching.signal(Signal::KILL);
    assert_eq!(watching.wait().code(), 128 + 9);
}

#[test]
fn text_output_starts_with_the_coloured_name_of_the_run() {
    let env = TestEnv::new();
    for name in ["a", "longer-name"] {
        env.spawn(
            name,
            "materia message coordinator progress.update 40",
            &["--session", "s"],
        );
        env.wait(name);
    }
    let events = env
        .materia(&["watch", "--once", "--session", "s", "--color", "always"])
        .run()
        .ok()
        .stdout;
    assert!(
        events.contains("\u{1b}[36mrun:a") && events.contains("\u{1b}[35mrun:longer-name"),
        "{events:?}"
    );
    assert!(
        events.contains("progress.update 40") && events.contains("\u{1b}[32m"),
        "{events:?}"
    );
}

#[test]
fn the_end_of_a_run_is_reported_after_it_was_pruned_or_archived() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    let spawn = |run: &str, template: &str| {
        env.spawn(run, template, &["--session", "s"]);
        env.wait(run);
    };
    spawn("a", "materia message coordinator ask");
    spawn("b", "true");
    env.send_ok(&["run:a", "control.prune"]);
    env.send_ok(&["run:b", "control.archive"]);
    // Two more runs with the same id: the second one is pruned, too, the third one stays.
    spawn("a", "false");
    env.send_ok(&["run:a", "control.prune"]);
    spawn("a", "true");
    let events = env.watch_once(&["--session", "s"]);
    let ends = |run: &str| -> Vec<&str> {
        events
            .iter()
            .filter(|event| event["run"] == run)
            .map(|event| event["type"].as_str().or(event["status"].as_str()).unwrap())
            .collect()
    };
    assert_eq!(
        (ends("a"), ends("b")),
        (vec!["ask", "done", "failed", "done"], vec!["done"]),
        "{events:#?}"
    );
    // Only the run that still exists has a next command.
    let next: Vec<usize> = events
        .iter()
        .filter_map(|event| Some(event["next"].as_array()?.len()))
        .collect();
    assert_eq!(
        (next.iter().filter(|next| **next > 0).count(), next.len()),
        (1, 4),
        "{events:#?}"
    );
    assert_eq!(
        env.watch_once(&["--session", "s"]),
        Vec::<Value>::new(),
        "an event was repeated"
    );
    assert_eq!(
        count_pending(&env, "s"),
        0,
        "reported events must not be kept"
    );
    assert_eq!(
        count_pending(&env, "_operator"),
        0,
        "nothing is kept for the operator, who does not watch"
    );
}

#[test]
fn an_interrupted_watcher_saves_its_mark() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    for (number, signal) in [Signal::INT, Signal::TERM, Signal::HUP]
        .into_iter()
        .enumerate()
    {
        let run = format!("r{number}");
        let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
        let mut lines = BufReader::new(watching.stdout()).lines();
        env.spawn(&run, "true", &["--session", "s"]);
        let end: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(end["run"], run.as_str());
        watching.signal(signal);
        let output = watching.wait();
        assert_eq!((output.code(), output.stderr.as_str()), (130, ""));
        assert_eq!(
            env.watch_once(&["--session", "s"]),
            Vec::<Value>::new(),
            "{signal:?}"
        );
        env.wait(&run);
    }
}

#[test]
fn sigterm_ends_a_watcher_whose_output_is_not_read() {
    let env = TestEnv::new();
    env.write("body", format!("\"{}\"", "x".repeat(30_000)));
    for run in ["a", "b", "c"] {
        env.spawn(
            run,
            "materia message coordinator long --body-file body",
            &["--session", "s"],
        );
        env.wait(run);
    }
    let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
    let stdout = watching.stdout();
    let began = std::time::Instant::now();
    // The pipe has space for two of the three messages.
    while rustix::io::ioctl_fionread(&stdout).unwrap() < 60_000 {
        assert!(
            began.elapsed().as_secs() < 60,
            "the watcher did not fill its pipe"
        );
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    watching.signal(Signal::TERM);
    assert_eq!(watching.wait().code(), 128 + Signal::TERM.as_raw());
    drop(stdout);
    assert_eq!(
        env.watch_once(&["--session", "s"]).len(),
        6,
        "events that were not read must be repeated"
    );
}

#[test]
fn a_sleeping_watcher_gets_the_ends_of_pruned_runs() {
    let env = TestEnv::new();
    let mut watching = env.materia(&["watch", "--json", "--session", "s"]).start();
    let mut lines = BufReader::new(watching.stdout()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    for template in ["true", "false", "true"] {
        env.spawn("a", template, &["--session", "s"]);
        env.wait("a");
        env.send_ok(&["run:a", "control.prune"]);
    }
    assert_eq!(
        [next(), next(), next()].map(|event| event["status"].clone()),
        ["done", "failed", "done"]
    );
    watching.signal(Signal::KILL);
    watching.wait();
}

#[test]
fn ends_that_exceed_the_limit_of_an_observer_are_counted() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    let folder = pending_dir(&env, "s");
    for number in 0..10_000 {
        std::fs::create_dir(folder.join(format!("0{number}.x"))).unwrap();
    }
    for run in ["a", "b"] {
        env.spawn(run, "true", &["--session", "s"]);
        env.wait(run);
        env.send_ok(&[&format!("run:{run}"), "control.prune"]);
    }
    let events = env.watch_once(&["--session", "s"]);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_has!(events[0], {"event": "missed", "count": 2, "run": "b"});
    assert!(env.watch_once(&["--session", "s"]).is_empty());
}

#[test]
fn watching_many_runs_needs_few_descriptors() {
    let env = TestEnv::new();
    let runs: Vec<String> = (0..60).map(|number| format!("r{number}")).collect();
    for run in &runs {
        env.spawn(run, "true", &["--session", "s"]);
    }
    env.materia(
        &[
            &["wait"],
            &*addresses(&runs)
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        ]
        .concat(),
    )
    .run()
    .ok();
    let events = env
        .shell("ulimit -n 32; exec materia watch --once --json --session s")
        .run()
        .ok();
    assert_eq!(
        events.stdout.lines().count(),
        runs.len(),
        "{}",
        events.transcript()
    );
}

fn addresses(runs: &[String]) -> Vec<String> {
    runs.iter().map(|run| format!("run:{run}")).collect()
}

fn pending_dir(env: &TestEnv, session: &str) -> std::path::PathBuf {
    env.home()
        .join(".pi/agent/tmp/pi-actors/sessions")
        .join(session)
        .join("left")
}

fn count_pending(env: &TestEnv, session: &str) -> usize {
    std::fs::read_dir(pending_dir(env, session)).map_or(0, |entries| {
        entries
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .count()
    })
}
