//! Ends that somebody asked for: who asked had the answer, everybody else is told.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::events;
use crate::house::House;

#[test]
fn a_session_is_not_told_of_an_end_that_it_asked_for_and_others_are() {
    let house = House::new();
    assert!(house.told(&[]).is_empty());
    for (run, control) in [("a", "control.kill"), ("b", "control.cancel")] {
        house.spawn(run, "sleep 600", &["--session", "s"]);
        let report = house.sent(&[&format!("run:{run}"), control, "--session", "s"]);
        assert_eq!(report["stopped"], true, "{report}");
    }
    assert!(house.told(&["--session", "s"]).is_empty());
    let told = house.told(&[]);
    assert_eq!(
        events(&told),
        [("terminal", "killed"), ("terminal", "cancelled")]
    );
    assert_eq!(
        (&told[0]["delivery"], &told[1]["delivery"]),
        (&json!("followup"), &json!("notify"))
    );
    house.spawn("a", "sleep 600", &["--session", "s"]);
    house.kill("a");
    assert_eq!(
        events(&house.told(&["--session", "s"])),
        [("terminal", "killed")],
        "the next generation was ended by the operator"
    );
}

#[test]
fn an_end_that_was_there_before_it_was_asked_for_is_told() {
    let house = House::new();
    for run in ["a", "b"] {
        house.spawn(
            run,
            if run == "a" { "sleep 600" } else { "true" },
            &["--session", "s"],
        );
    }
    let pid = house.look("a").start.unwrap().supervisor.pid;
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    for (run, status) in [("a", "exited"), ("b", "done")] {
        assert_eq!(house.wait(run)["status"], status);
        let report = house.sent(&[&format!("run:{run}"), "control.kill", "--session", "s"]);
        assert_eq!(
            (&report["stopped"], &report["reason"]),
            (&json!(false), &json!("not_running"))
        );
    }
    assert_eq!(
        events(&house.told(&["--session", "s"])),
        [("terminal", "exited"), ("terminal", "done")]
    );
}

#[test]
fn a_program_inside_a_run_is_not_its_host() {
    let house = House::new();
    house.spawn("child", "sleep 600", &["--session", "s"]);
    house.spawn(
        "a",
        "materia message run:child control.kill",
        &["--session", "s"],
    );
    house.wait("a");
    let mut told = house.told(&["--session", "s"]);
    told.sort_by_key(|news| news["run"].as_str().unwrap().to_owned());
    assert_eq!(
        events(&told),
        [("terminal", "done"), ("terminal", "killed")]
    );
}

#[test]
fn what_was_asked_for_and_pruned_is_not_told_either() {
    let house = House::new();
    assert!(house.told(&["--session", "s"]).is_empty());
    house.spawn("a", "sleep 600", &["--session", "s"]);
    house.sent(&["run:a", "control.kill", "--session", "s"]);
    house.sent(&["run:a", "control.prune", "--session", "s"]);
    assert!(house.told(&["--session", "s"]).is_empty());
    assert_eq!(super::left(&house, "s"), 0, "nothing is left of it");
}
