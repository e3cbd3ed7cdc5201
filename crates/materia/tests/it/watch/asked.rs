//! Ends that somebody asked for: who asked had the answer, everybody else is told.

use rustix::process::{Pid, Signal, kill_process};

use super::events;
use crate::test_env::TestEnv;

#[test]
fn a_session_is_not_told_of_an_end_that_it_asked_for_and_others_are() {
    let env = TestEnv::new();
    assert!(env.watch_once(&[]).is_empty());
    for (run, control) in [("a", "control.kill"), ("b", "control.cancel")] {
        env.spawn(run, "sleep 600", &["--session", "s"]);
        let report = env.send_ok(&[&format!("run:{run}"), control, "--session", "s"]);
        assert_eq!(report["stopped"], true, "{report}");
    }
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    let told = env.watch_once(&[]);
    assert_eq!(
        events(&told),
        [("terminal", "killed"), ("terminal", "cancelled")]
    );
    assert_eq!(told[0]["delivery"], "followup");
    assert_eq!(told[1]["delivery"], "notify");
    env.spawn("a", "sleep 600", &["--session", "s"]);
    env.kill("a");
    assert_eq!(
        events(&env.watch_once(&["--session", "s"])),
        [("terminal", "killed")],
        "the next generation was ended by the operator"
    );
}

#[test]
fn an_end_that_was_there_before_it_was_asked_for_is_told() {
    let env = TestEnv::new();
    for run in ["a", "b"] {
        env.spawn(
            run,
            if run == "a" { "sleep 600" } else { "true" },
            &["--session", "s"],
        );
    }
    let pid = env.run_state("a").start.unwrap().supervisor.pid;
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    for (run, status) in [("a", "exited"), ("b", "done")] {
        assert_eq!(env.wait(run)["status"], status);
        let report = env.send_ok(&[&format!("run:{run}"), "control.kill", "--session", "s"]);
        assert_has!(report, {"stopped": false, "reason": "not_running"});
    }
    assert_eq!(
        events(&env.watch_once(&["--session", "s"])),
        [("terminal", "exited"), ("terminal", "done")]
    );
}

#[test]
fn a_program_inside_a_run_is_not_its_host() {
    let env = TestEnv::new();
    env.spawn("child", "sleep 600", &["--session", "s"]);
    env.spawn(
        "a",
        "materia message run:child control.kill",
        &["--session", "s"],
    );
    env.wait("a");
    let mut told = env.watch_once(&["--session", "s"]);
    told.sort_by_key(|news| news["run"].as_str().unwrap().to_owned());
    assert_eq!(
        events(&told),
        [("terminal", "done"), ("terminal", "killed")]
    );
}

#[test]
fn what_was_asked_for_and_pruned_is_not_told_either() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "sleep 600", &["--session", "s"]);
    env.send_ok(&["run:a", "control.kill", "--session", "s"]);
    env.send_ok(&["run:a", "control.prune", "--session", "s"]);
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    assert_eq!(super::left(&env, "s"), 0, "nothing is left of it");
}
