//! The status table: every status of a run follows from evidence.

use materia_engine::store::lock::{Holder, Lock, LockMode, LockWait};
use materia_model::run::{RUN_START, RunStart, RunSupervisor};

use super::*;

/// Creates a run whose supervisor, of this boot or another one, does not exist.
fn run_without_supervisor(env: &TestEnv, id: &str, boot: &str, more: &[(&str, Value)]) -> RunDir {
    let run_dir = env.run_dir(id);
    std::fs::create_dir_all(run_dir.dir()).unwrap();
    let journal = run::journal(&run_dir, &Clock::system()).unwrap();
    let supervisor = RunSupervisor {
        pid: i32::MAX - 1,
        start: 1,
        boot: boot.to_owned(),
    };
    let start = RunStart {
        run: id.to_owned(),
        generation: "g1".to_owned(),
        supervisor,
        cwd: "/".to_owned(),
        ..RunStart::default()
    };
    journal.append(RUN_START, &start).unwrap();
    for (kind, data) in more {
        journal.append(kind, data).unwrap();
    }
    run_dir
}

fn this_boot() -> String {
    ProcessIdentity::of_self().unwrap().boot_id
}

#[test]
fn a_dead_supervisor_is_detected_and_recorded_once() {
    let env = TestEnv::new();
    run_without_supervisor(&env, "a", &this_boot(), &[]);
    let first = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(first["status"], "exited");
    assert!(
        first["evidence"].as_str().unwrap().contains("is gone"),
        "{first}"
    );
    env.materia(&["inspect", "run:a"]).run().ok();
    assert_eq!(
        kinds(&env, "a")
            .iter()
            .filter(|kind| *kind == "run.end")
            .count(),
        1
    );
    assert_eq!(document(&env, "a", "progress.json")["phase"], "exited");
    assert_eq!(document(&env, "a", "result.json")["status"], "exited");
}

#[test]
fn a_locked_run_without_records_is_starting_else_it_is_not_found() {
    let env = TestEnv::new();
    let run_dir = env.run_dir("a");
    std::fs::create_dir_all(run_dir.dir()).unwrap();
    let held_lock = Lock::acquire(
        &run_dir.lock(),
        LockMode::Exclusive,
        LockWait::No,
        &Holder::current(),
    )
    .unwrap();
    let inspected = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(inspected["status"], "starting", "{inspected}");
    let waited = env
        .materia(&["wait", "run:a", "--timeout", "0.05", "--json"])
        .run()
        .json();
    assert_eq!(waited["timedOut"], true);
    assert_eq!(waited["runs"][0]["status"], "starting");
    drop(held_lock);
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    gone.assert_error(3, "run_not_found");
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done");
}

#[test]
fn a_pending_request_determines_the_status_of_a_dead_run() {
    let env = TestEnv::new();
    let request = |kind: &str| {
        (
            "message",
            json!({"id": "m1", "to": "run:a", "type": kind, "generation": "g1"}),
        )
    };
    for (kind, status) in [("control.kill", "killed"), ("control.cancel", "cancelled")] {
        let run_dir = run_without_supervisor(&env, "a", &this_boot(), &[request(kind)]);
        assert_eq!(env.run_state("a").status.as_str(), status);
        std::fs::remove_dir_all(run_dir.dir()).unwrap();
    }
}

#[test]
fn after_a_reboot_no_run_is_running() {
    let env = TestEnv::new();
    run_without_supervisor(&env, "a", "another-boot", &[]);
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"][0]["status"], "exited");
    let state = env.run_state("a");
    assert_eq!(
        state.ended.unwrap().end.evidence.unwrap(),
        "the machine was started anew since"
    );
}

#[test]
fn after_a_reboot_every_command_reports_ended_runs() {
    let env = TestEnv::new();
    for run in ["a", "b", "c"] {
        run_without_supervisor(&env, run, "another-boot", &[]);
    }
    let waited = env.materia(&["wait", "run:a", "--json"]).run();
    assert_eq!(waited.code(), 1);
    assert_eq!(waited.json()["runs"][0]["status"], "exited");
    let late = env.send(&["run:b", "task.run", "x"]);
    late.assert_error(4, "run_not_running");
    let listed = env
        .materia(&["inspect", "session:all", "--status", "exited", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 3, "{listed}");
    for run in ["a", "b", "c"] {
        let state = env.run_state(run);
        assert_eq!(
            state.ended.unwrap().end.evidence.unwrap(),
            "the machine was started anew since"
        );
        env.spawn(run, "true", &[]);
        assert_eq!(env.wait(run)["status"], "done", "the id must be free");
    }
}

#[test]
fn a_reused_pid_is_not_taken_for_the_supervisor() {
    let env = TestEnv::new();
    let mut unrelated = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let run_dir = env.run_dir("a");
    std::fs::create_dir_all(run_dir.dir()).unwrap();
    let supervisor = RunSupervisor {
        pid: unrelated.id().cast_signed(),
        start: 1,
        boot: this_boot(),
    };
    let start = RunStart {
        run: "a".into(),
        generation: "g1".into(),
        supervisor,
        ..RunStart::default()
    };
    run::journal(&run_dir, &Clock::system())
        .unwrap()
        .append(RUN_START, &start)
        .unwrap();
    let stopped = env.kill("a");
    assert_eq!(
        (stopped.stopped, stopped.status.as_str()),
        (false, "exited")
    );
    assert!(
        unrelated.try_wait().unwrap().is_none(),
        "an unrelated process was killed"
    );
    unrelated.kill().unwrap();
    unrelated.wait().unwrap();
}

#[test]
fn snapshots_do_not_determine_the_status() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let run_dir = env.run_dir("a").dir().to_owned();
    std::fs::write(
        run_dir.join("result.json"),
        r#"{"code": 0, "status": "done"}"#,
    )
    .unwrap();
    std::fs::write(run_dir.join("run.json"), "not even JSON").unwrap();
    assert_eq!(env.run_state("a").status.as_str(), "running");
    env.kill("a");
}

#[test]
fn inspect_restores_a_missing_result_but_a_list_does_not() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let result = env.run_dir("a").dir().join("result.json");
    std::fs::remove_file(&result).unwrap();
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"][0]["status"], "done");
    assert!(!result.exists());
    env.materia(&["inspect", "run:a", "--json"]).run().ok();
    assert_eq!(document(&env, "a", "result.json")["code"], 0);
}

#[test]
fn the_view_from_inside_a_dead_run_is_not_cached() {
    let env = TestEnv::new();
    env.shell("mkfifo go seen").run().ok();
    env.spawn(
        "a",
        "sh -c 'read x <go; materia inspect --json >list; echo x >seen; exec sleep 600'",
        &[],
    );
    env.kill_supervisor("a");
    env.shell("echo x >go; read x <seen").run().ok();
    assert!(!env.live_processes().is_empty());
    let listed = env.materia(&["inspect", "--json"]).run().ok().json();
    assert_eq!(listed["runs"][0]["status"], "exited");
    assert!(env.live_processes().is_empty(), "a list must end orphans");
    assert_eq!(records(&env, "a").pop().unwrap()["type"], "run.end");
}

#[test]
fn after_a_killed_supervisor_a_new_start_cleans_up() {
    let env = TestEnv::new();
    env.spawn("a", "materia-fake forks 3 --setsid", &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    env.kill_supervisor("a");
    // A new start ends the orphans before it starts its command.
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done");
    assert!(
        env.live_processes().is_empty(),
        "{:?}",
        env.live_processes()
    );
    let ends: Vec<Value> = records(&env, "a")
        .into_iter()
        .filter(|record| record["type"] == "run.end")
        .collect();
    assert_eq!(ends[0]["data"]["status"], "exited");
    assert_eq!(ends[1]["data"]["status"], "done");
}
