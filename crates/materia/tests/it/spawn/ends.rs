//! Ending runs: the whole tree, with grace and escalation, and only the one that was meant.

use super::*;

#[test]
fn a_kill_ends_the_whole_tree_also_what_does_not_want_to() {
    let house = House::new();
    let template =
        json!({"parallel": true, "template": ["materia-fake forks 2 --setsid", "sleep 600"]});
    house.spawn("a", &template.to_string(), &[]);
    house.until_file_has(house.run_place("a").stdout(), "ready");
    let stopped = house.kill("a");
    assert!(stopped.stopped);
    assert!(house.alive().is_empty(), "{:?}", house.alive());
    assert_eq!(document(&house, "a", "result.json")["killed"], true);
    assert_eq!(document(&house, "a", "progress.json")["phase"], "killed");
    let again = house.kill("a");
    assert_eq!(
        (again.stopped, again.reason.as_deref()),
        (false, Some("not running"))
    );
}

#[test]
fn a_cancel_that_a_kill_overtakes_says_so() {
    let house = House::new();
    house.spawn(
        "a",
        "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.01; done'",
        &[],
    );
    house.until_file_has(house.run_place("a").stdout(), "ready");
    let cancel = house
        .materia(&["message", "run:a", "control.cancel", "--json"])
        .start();
    house.until_file_has(house.run_place("a").journal(), "control.cancel");
    assert!(house.kill("a").stopped);
    let report = cancel.end().ok().json();
    assert_eq!(
        (&report["delivered"], &report["persisted"]),
        (&json!(false), &json!(true)),
        "{report}"
    );
    assert_eq!(
        report["warnings"],
        json!(["another request ended it first"])
    );
}

#[test]
fn a_cancelled_run_may_clean_up_and_counts_as_cancelled() {
    let house = House::new();
    house.spawn(
        "a",
        r#"sh -c 'trap "touch cleaned; exit 0" TERM; echo ready; while :; do sleep 0.01; done'"#,
        &[],
    );
    house.until_file_has(house.run_place("a").stdout(), "ready");
    let stopped = run::stop(
        &house.run_place("a"),
        Control::Cancel,
        None,
        &Clock::system(),
    )
    .unwrap();
    assert_eq!(
        (stopped.stopped, stopped.status.as_str()),
        (true, "cancelled")
    );
    assert!(house.work().join("cleaned").exists());
    assert_eq!(house.wait("a")["status"], "cancelled");
}

#[test]
fn a_request_for_an_earlier_generation_does_not_touch_the_next() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    let old = house.look("a").generation().to_owned();
    house.spawn("a", "sleep 600", &[]);
    let place = house.run_place("a");
    let message = json!({"id": "m", "to": "run:a", "type": "control.kill", "generation": old});
    run::journal(&place, &Clock::system())
        .unwrap()
        .append_durable("message", &message)
        .unwrap();
    assert!(run::ring(&place));
    let waited = house
        .materia(&["wait", "run:a", "--timeout", "0.3", "--json"])
        .run()
        .json();
    assert_eq!(waited["runs"][0]["status"], "running");
    house.kill("a");
}

#[test]
fn a_supervisor_that_is_told_to_stop_stops_its_run() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    let pid =
        rustix::process::Pid::from_raw(house.look("a").start.unwrap().supervisor.pid).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    let over = house.wait("a");
    assert_eq!(over["status"], "cancelled");
    assert!(over["error"].as_str().unwrap().contains("signal"), "{over}");
    assert!(house.alive().is_empty());
}

#[test]
fn a_degraded_run_is_done_and_says_so() {
    let house = House::new();
    house.spawn("a", r#"["false", "true"]"#, &[]);
    let over = house.wait("a");
    assert_eq!(
        (&over["status"], &over["degraded"], &over["failures"]),
        (&json!("done"), &json!(true), &json!(1))
    );
}
