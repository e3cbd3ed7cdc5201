//! `watch`: what a host hears of its runs, each thing once.

mod asked;
mod marks;
mod second;

use std::io::{BufRead, BufReader};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

impl TestEnv {
    /// Everything that is told until there is nothing more.
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

fn events(told: &[Value]) -> Vec<(&str, &str)> {
    told.iter()
        .map(|news| {
            (
                news["event"].as_str().unwrap(),
                news["type"].as_str().or(news["status"].as_str()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_session_is_told_what_its_runs_say_and_how_they_end_once() {
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
    let told = env.watch_once(&["--session", "s"]);
    assert_eq!(
        events(&told),
        [
            ("message", "progress.update"),
            ("terminal", "done"),
            ("message", "ask")
        ]
    );
    assert_has!(told[0], {"run": "a", "delivery": "notify", "body": "40 files"});
    assert_has!(told[2], {"attention": true, "delivery": "followup"});
    assert_eq!(told[1]["summary"], "Run a completed successfully.");
    assert_eq!(
        env.watch_once(&["--session", "s"]),
        Vec::<Value>::new(),
        "once is once"
    );
    env.send_ok(&["coordinator", "late", "--from", "run:a"]);
    assert_eq!(
        events(&env.watch_once(&["--session", "s"])),
        [("message", "late")]
    );
    env.spawn("a", "false", &["--session", "s"]);
    env.wait("a");
    assert_eq!(
        events(&env.watch_once(&["--session", "s"])),
        [("terminal", "failed")],
        "a new generation ends anew"
    );
}

#[test]
fn the_operator_hears_everything_from_now_on() {
    let env = TestEnv::new();
    env.spawn("old", "true", &["--session", "s"]);
    env.wait("old");
    assert_eq!(env.watch_once(&[]), Vec::<Value>::new());
    env.spawn("new", "false", &["--session", "t"]);
    env.wait("new");
    let told = env.watch_once(&[]);
    assert_eq!(events(&told), [("terminal", "failed")]);
    assert_has!(told[0], {"run": "new", "level": "error", "session": "t"});
    assert_eq!(
        events(&env.watch_once(&["--session", "s"])),
        [("terminal", "done")],
        "each observer has its own mark"
    );
}

#[test]
fn a_watcher_is_woken_also_by_a_supervisor_that_was_killed() {
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
fn a_person_reads_many_runs_with_their_names_first() {
    let env = TestEnv::new();
    for name in ["a", "longer-name"] {
        env.spawn(
            name,
            "materia message coordinator progress.update 40",
            &["--session", "s"],
        );
        env.wait(name);
    }
    let told = env
        .materia(&["watch", "--once", "--session", "s", "--color", "always"])
        .run()
        .ok()
        .stdout;
    assert!(
        told.contains("\u{1b}[36mrun:a") && told.contains("\u{1b}[35mrun:longer-name"),
        "{told:?}"
    );
    assert!(
        told.contains("progress.update 40") && told.contains("\u{1b}[32m"),
        "{told:?}"
    );
}

#[test]
fn a_run_that_was_pruned_or_archived_before_anybody_was_told_is_told_all_the_same() {
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
    // The same id is another run, and that one is pruned, too; the third one stays.
    spawn("a", "false");
    env.send_ok(&["run:a", "control.prune"]);
    spawn("a", "true");
    let told = env.watch_once(&["--session", "s"]);
    let ends = |run: &str| -> Vec<&str> {
        told.iter()
            .filter(|news| news["run"] == run)
            .map(|news| news["type"].as_str().or(news["status"].as_str()).unwrap())
            .collect()
    };
    assert_eq!(
        (ends("a"), ends("b")),
        (vec!["ask", "done", "failed", "done"], vec!["done"]),
        "{told:#?}"
    );
    // What can be looked at is said to be; the others are gone.
    let next: Vec<usize> = told
        .iter()
        .filter_map(|news| Some(news["next"].as_array()?.len()))
        .collect();
    assert_eq!(
        (next.iter().filter(|next| **next > 0).count(), next.len()),
        (1, 4),
        "{told:#?}"
    );
    assert_eq!(
        env.watch_once(&["--session", "s"]),
        Vec::<Value>::new(),
        "once is once"
    );
    assert_eq!(left(&env, "s"), 0, "what was told is kept for nobody");
    assert_eq!(left(&env, "_operator"), 0, "nobody watches everything");
}

#[test]
fn what_was_told_is_remembered_by_a_watcher_that_is_interrupted() {
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
        let over = watching.wait();
        assert_eq!((over.code(), over.stderr.as_str()), (130, ""));
        assert_eq!(
            env.watch_once(&["--session", "s"]),
            Vec::<Value>::new(),
            "{signal:?}"
        );
        env.wait(&run);
    }
}

#[test]
fn a_watcher_that_nobody_reads_ends_when_it_is_told_to() {
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
    // The pipe takes two of the three.
    while rustix::io::ioctl_fionread(&stdout).unwrap() < 60_000 {
        assert!(began.elapsed().as_secs() < 60, "it never filled its pipe");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    watching.signal(Signal::TERM);
    assert_eq!(watching.wait().code(), 128 + Signal::TERM.as_raw());
    drop(stdout);
    assert_eq!(
        env.watch_once(&["--session", "s"]).len(),
        6,
        "nobody has read any of it"
    );
}

#[test]
fn a_watcher_hears_of_runs_that_go_while_it_sleeps() {
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
        [next(), next(), next()].map(|news| news["status"].clone()),
        ["done", "failed", "done"]
    );
    watching.signal(Signal::KILL);
    watching.wait();
}

#[test]
fn runs_that_find_no_room_with_an_observer_are_counted() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    let folder = left_dir(&env, "s");
    for number in 0..10_000 {
        std::fs::create_dir(folder.join(format!("0{number}.x"))).unwrap();
    }
    for run in ["a", "b"] {
        env.spawn(run, "true", &["--session", "s"]);
        env.wait(run);
        env.send_ok(&[&format!("run:{run}"), "control.prune"]);
    }
    let told = env.watch_once(&["--session", "s"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_has!(told[0], {"event": "missed", "count": 2, "run": "b"});
    assert!(env.watch_once(&["--session", "s"]).is_empty());
}

#[test]
fn an_observer_of_many_runs_needs_few_files() {
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
    let told = env
        .shell("ulimit -n 32; exec materia watch --once --json --session s")
        .run()
        .ok();
    assert_eq!(
        told.stdout.lines().count(),
        runs.len(),
        "{}",
        told.transcript()
    );
}

fn addresses(runs: &[String]) -> Vec<String> {
    runs.iter().map(|run| format!("run:{run}")).collect()
}

fn left_dir(env: &TestEnv, session: &str) -> std::path::PathBuf {
    env.home()
        .join(".pi/agent/tmp/pi-actors/sessions")
        .join(session)
        .join("left")
}

fn left(env: &TestEnv, session: &str) -> usize {
    std::fs::read_dir(left_dir(env, session)).map_or(0, |entries| {
        entries
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .count()
    })
}
