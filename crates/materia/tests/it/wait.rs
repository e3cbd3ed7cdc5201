//! `wait`: blocks until runs have ended, for whatever reason.

use std::path::Path;
use std::time::{Duration, Instant};

use materia_engine::process::Signal;
use materia_model::run::RunStatus;
use rustix::fs::{Mode, OFlags};

use crate::message::assert_refused;
use crate::test_env::TestEnv;

/// Waits until a process reads from a wake pipe. Polls, because nothing else reports it.
fn wait_for_reader(pipe: &Path) {
    let began = Instant::now();
    while rustix::fs::open(pipe, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).is_err() {
        assert!(
            began.elapsed().as_secs() < 60,
            "no process waits on {}",
            pipe.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_exit_code_is_0_only_if_all_runs_succeeded() {
    let env = TestEnv::new();
    env.spawn("good", "true", &[]);
    env.spawn("bad", "false", &[]);
    let good = env.materia(&["wait", "run:good"]).run();
    assert_eq!((good.code(), good.stdout.as_str()), (0, "run:good done\n"));
    let both = env
        .materia(&["wait", "run:good", "run:bad", "--json"])
        .run();
    assert_eq!(both.code(), 1);
    let both = both.json();
    assert_has!(both, {"ok": false, "timedOut": false});
    assert_eq!(both["runs"][0]["status"], "done");
    assert_eq!(both["runs"][1]["status"], "failed");
}

#[test]
fn an_unknown_run_is_reported_with_a_suggestion() {
    let env = TestEnv::new();
    env.spawn("tests", "true", &[]);
    let unknown = env.materia(&["wait", "run:tets"]).run();
    assert_eq!(unknown.code(), 3);
    assert!(
        unknown.stderr.contains("did you mean run:tests?"),
        "{}",
        unknown.stderr
    );
    env.wait("tests");
}

#[test]
fn wait_has_a_timeout_and_can_wait_for_any_run() {
    let env = TestEnv::new();
    env.spawn("long", "sleep 600", &[]);
    let late = env
        .materia(&["wait", "run:long", "--timeout", "0.05", "--json"])
        .run();
    assert_eq!(late.code(), 1);
    assert_eq!(late.json()["timedOut"], true);
    env.spawn("short", "true", &[]);
    let any = env
        .materia(&["wait", "run:long", "run:short", "--any", "--json"])
        .run();
    assert_eq!(any.code(), 0, "{}", any.transcript());
    assert_eq!(any.json()["runs"][1]["status"], "done");
    env.kill("long");
}

#[test]
fn a_killed_supervisor_ends_the_wait() {
    let env = TestEnv::new();
    env.spawn("a", "materia-fake forks 2 --setsid", &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    let waiting = env.materia(&["wait", "run:a", "--json"]).start();
    env.kill_supervisor("a");
    let output = waiting.wait();
    assert_eq!(output.code(), 1, "{}", output.transcript());
    let run = &output.json()["runs"][0];
    assert_eq!(run["status"], "exited");
    assert!(
        run["evidence"]
            .as_str()
            .unwrap()
            .contains("that were ended"),
        "{run}"
    );
    assert!(
        env.live_processes().is_empty(),
        "{:?}",
        env.live_processes()
    );
}

#[test]
fn an_interrupted_wait_is_reported_and_the_run_continues() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let wake_pipe = env.run_dir("a").ears().with_extension("0");
    for (args, text) in [
        (
            &["wait", "run:a"][..],
            "error: interrupted; the run is not waited for any more\n  hint: it goes on; wait again with `materia wait run:a`\n",
        ),
        (
            &["receive", "--address", "run:a"],
            "error: interrupted before a message came; none was taken\n  hint: what is sent meanwhile waits there for the next who asks\n",
        ),
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            let json = env.materia(&[args, &["--json"]].concat()).start();
            wait_for_reader(&wake_pipe);
            json.signal(signal);
            assert_refused(&json.wait(), 130, "interrupted");
            let process = env.materia(args).start();
            wait_for_reader(&wake_pipe);
            process.signal(signal);
            let output = process.wait();
            assert_eq!((output.code(), output.stderr.as_str()), (130, text));
        }
    }
    assert_eq!(env.run_state("a").status, RunStatus::Running);
    env.kill("a");
}

#[test]
fn a_terminal_shows_the_last_output_line_of_each_run() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        let line = format!("sh -c 'echo {name} is at work; until test -e go; do sleep 0.01; done'");
        env.spawn(name, &line, &[]);
    }
    let mut session = env.start_on_terminal(60, 10, "materia wait run:a run:b; echo exit $?");
    session.wait_until(|screen| {
        screen.contains("run:a a is at work") && screen.contains("run:b b is at work")
    });
    session.wait_for_screen_text("waiting for 2 of 2");
    env.write("go", "");
    let (screen, _) = session.wait();
    assert!(
        screen.contains("done      run:a (after") && screen.contains("done      run:b (after"),
        "{screen}"
    );
    assert!(screen.contains("exit 0"), "{screen}");
    assert!(
        !screen.contains("waiting") && screen.contains("run:a done\nrun:b done"),
        "{screen}"
    );
}

#[test]
fn a_unique_prefix_of_an_id_is_accepted_from_the_operator() {
    let env = TestEnv::new();
    env.spawn("tests-fast", "true", &[]);
    env.wait("tests-fast");
    assert_eq!(
        env.materia(&["wait", "run:tes"]).run().ok().stdout,
        "run:tests-fast done\n"
    );
    assert_eq!(
        env.materia(&["inspect", "run:tests", "--json"])
            .run()
            .ok()
            .json()["run"],
        "tests-fast"
    );
    env.spawn("tests-slow", "true", &[]);
    env.wait("tests-slow");
    let both = env.materia(&["inspect", "run:tests", "--json"]).run();
    both.assert_error(2, "ambiguous");
    let inside = env
        .materia(&["wait", "run:tests-f", "--session", "s", "--json"])
        .run();
    assert_eq!(
        inside.code(),
        3,
        "a session must give the full id: {}",
        inside.transcript()
    );
    let sent = env
        .materia(&["message", "run:tests-s", "task.run", "--json"])
        .run();
    assert!(sent.stdout.contains("tests-slow"), "{}", sent.transcript());
}
