//! Ends that a session requested itself: the requester had its answer, others get an event.

use rustix::process::{Pid, Signal, kill_process};

use super::event_kinds;
use crate::test_env::TestEnv;

#[test]
fn a_session_gets_no_event_for_an_end_it_requested() {
    let env = TestEnv::new();
    assert!(env.watch_once(&[]).is_empty());
    for (run, control) in [("a", "control.kill"), ("b", "control.cancel")] {
        env.spawn(run, "sleep 600", &["--session", "s"]);
        let report = env.send_ok(&[&format!("run:{run}"), control, "--session", "s"]);
        assert_eq!(report["stopped"], true, "{report}");
    }
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    let events = env.watch_once(&[]);
    assert_eq!(
        event_kinds(&events),
        [("terminal", "killed"), ("terminal", "cancelled")]
    );
    assert_eq!(events[0]["delivery"], "followup");
    assert_eq!(events[1]["delivery"], "notify");
    env.spawn("a", "sleep 600", &["--session", "s"]);
    env.kill("a");
    assert_eq!(
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("terminal", "killed")],
        "the operator ended the next generation"
    );
}

#[test]
fn an_end_before_the_request_is_reported() {
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
        event_kinds(&env.watch_once(&["--session", "s"])),
        [("terminal", "exited"), ("terminal", "done")]
    );
}

#[test]
fn an_end_requested_inside_a_run_is_reported_to_the_host() {
    let env = TestEnv::new();
    env.spawn("child", "sleep 600", &["--session", "s"]);
    env.spawn(
        "a",
        "materia message run:child control.kill",
        &["--session", "s"],
    );
    env.wait("a");
    let mut events = env.watch_once(&["--session", "s"]);
    events.sort_by_key(|event| event["run"].as_str().unwrap().to_owned());
    assert_eq!(
        event_kinds(&events),
        [("terminal", "done"), ("terminal", "killed")]
    );
}

#[test]
fn a_requested_end_is_not_reported_after_pruning() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "sleep 600", &["--session", "s"]);
    env.send_ok(&["run:a", "control.kill", "--session", "s"]);
    env.send_ok(&["run:a", "control.prune", "--session", "s"]);
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    assert_eq!(
        super::count_pending(&env, "s"),
        0,
        "no pending event may be left"
    );
}
