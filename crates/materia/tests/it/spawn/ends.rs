//! Ending runs: the whole process tree, with grace and escalation, and only the requested generation.

use super::*;

#[test]
fn kill_ends_the_whole_process_tree() {
    let env = TestEnv::new();
    let template =
        json!({"parallel": true, "template": ["materia-fake forks 2 --setsid", "sleep 600"]});
    env.spawn("a", &template.to_string(), &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    let stopped = env.kill("a");
    assert!(stopped.stopped);
    assert!(
        env.live_processes().is_empty(),
        "{:?}",
        env.live_processes()
    );
    assert_eq!(document(&env, "a", "result.json")["killed"], true);
    assert_eq!(document(&env, "a", "progress.json")["phase"], "killed");
    let again = env.kill("a");
    assert_eq!(
        (again.stopped, again.reason.as_deref()),
        (false, Some("not running"))
    );
}

#[test]
fn a_cancel_reports_that_a_kill_ended_the_run_first() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.01; done'",
        &[],
    );
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    let cancel = env
        .materia(&["message", "run:a", "control.cancel", "--json"])
        .start();
    env.wait_for_file_text(env.run_dir("a").journal(), "control.cancel");
    assert!(env.kill("a").stopped);
    let report = cancel.wait().ok().json();
    assert_has!(report, {"delivered": false, "persisted": true});
    assert_eq!(
        report["warnings"],
        json!(["another request ended it first"])
    );
}

#[test]
fn a_cancelled_run_can_clean_up_and_is_reported_as_cancelled() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        r#"sh -c 'trap "touch cleaned; exit 0" TERM; echo ready; while :; do sleep 0.01; done'"#,
        &[],
    );
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    let stopped = run::stop(
        &env.run_dir("a"),
        RunControl::Cancel,
        None,
        &Clock::system(),
    )
    .unwrap();
    assert_eq!(
        (stopped.stopped, stopped.status.as_str()),
        (true, "cancelled")
    );
    assert!(env.work_dir().join("cleaned").exists());
    assert_eq!(env.wait("a")["status"], "cancelled");
}

#[test]
fn a_request_for_an_earlier_generation_is_ignored() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let old = env.run_state("a").generation().to_owned();
    env.spawn("a", "sleep 600", &[]);
    let run_dir = env.run_dir("a");
    let message = json!({"id": "m", "to": "run:a", "type": "control.kill", "generation": old});
    run::journal(&run_dir, &Clock::system())
        .unwrap()
        .append_durable("message", &message)
        .unwrap();
    assert!(run::ring(&run_dir));
    let waited = env
        .materia(&["wait", "run:a", "--timeout", "0.3", "--json"])
        .run()
        .json();
    assert_eq!(waited["runs"][0]["status"], "running");
    env.kill("a");
}

#[test]
fn sigterm_to_the_supervisor_cancels_its_run() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let pid =
        rustix::process::Pid::from_raw(env.run_state("a").start.unwrap().supervisor.pid).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    let ended = env.wait("a");
    assert_eq!(ended["status"], "cancelled");
    assert!(
        ended["error"].as_str().unwrap().contains("signal"),
        "{ended}"
    );
    assert!(env.live_processes().is_empty());
}

#[test]
fn a_degraded_run_is_done_and_marked_as_degraded() {
    let env = TestEnv::new();
    env.spawn("a", r#"["false", "true"]"#, &[]);
    let ended = env.wait("a");
    assert_has!(ended, {"status": "done", "degraded": true, "failures": 1});
}
