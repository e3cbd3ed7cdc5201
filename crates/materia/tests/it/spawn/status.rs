//! The status table: every way a run can stand, proved.

use materia_engine::store::lock::{Holder, Lock, Mode, Wait};
use materia_model::run::{RUN_START, Start, Supervisor};

use super::*;

/// A run whose supervisor, of this boot or another, is no process.
fn left_behind(env: &TestEnv, id: &str, boot: &str, more: &[(&str, Value)]) -> Place {
    let place = env.run_dir(id);
    std::fs::create_dir_all(place.dir()).unwrap();
    let journal = run::journal(&place, &Clock::system()).unwrap();
    let supervisor = Supervisor {
        pid: i32::MAX - 1,
        start: 1,
        boot: boot.to_owned(),
    };
    let start = Start {
        run: id.to_owned(),
        generation: "g1".to_owned(),
        supervisor,
        cwd: "/".to_owned(),
        ..Start::default()
    };
    journal.append(RUN_START, &start).unwrap();
    for (kind, data) in more {
        journal.append(kind, data).unwrap();
    }
    place
}

fn this_boot() -> String {
    Identity::of_self().unwrap().boot_id
}

#[test]
fn a_dead_supervisor_is_noticed_at_the_next_look_and_recorded_once() {
    let env = TestEnv::new();
    left_behind(&env, "a", &this_boot(), &[]);
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
fn a_run_is_starting_while_somebody_starts_it_and_never_was_when_nobody_does() {
    let env = TestEnv::new();
    let place = env.run_dir("a");
    std::fs::create_dir_all(place.dir()).unwrap();
    let starts =
        Lock::acquire(&place.lock(), Mode::Exclusive, Wait::No, &Holder::current()).unwrap();
    let seen = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(seen["status"], "starting", "{seen}");
    let waited = env
        .materia(&["wait", "run:a", "--timeout", "0.05", "--json"])
        .run()
        .json();
    assert_eq!(waited["timedOut"], true);
    assert_eq!(waited["runs"][0]["status"], "starting");
    drop(starts);
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    gone.assert_error(3, "run_not_found");
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done");
}

#[test]
fn a_request_that_was_pending_says_what_it_became() {
    let env = TestEnv::new();
    let asked = |kind: &str| {
        (
            "message",
            json!({"id": "m1", "to": "run:a", "type": kind, "generation": "g1"}),
        )
    };
    for (kind, status) in [("control.kill", "killed"), ("control.cancel", "cancelled")] {
        let place = left_behind(&env, "a", &this_boot(), &[asked(kind)]);
        assert_eq!(env.run_state("a").status.as_str(), status);
        std::fs::remove_dir_all(place.dir()).unwrap();
    }
}

#[test]
fn after_a_restart_of_the_machine_nothing_runs() {
    let env = TestEnv::new();
    left_behind(&env, "a", "another-boot", &[]);
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
fn after_a_restart_of_the_machine_everybody_learns_how_every_run_stands() {
    let env = TestEnv::new();
    for run in ["a", "b", "c"] {
        left_behind(&env, run, "another-boot", &[]);
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
        assert_eq!(env.wait(run)["status"], "done", "its id is free");
    }
}

#[test]
fn a_pid_that_belongs_to_somebody_else_by_now_is_not_believed_and_not_signalled() {
    let env = TestEnv::new();
    let mut innocent = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let place = env.run_dir("a");
    std::fs::create_dir_all(place.dir()).unwrap();
    let supervisor = Supervisor {
        pid: innocent.id().cast_signed(),
        start: 1,
        boot: this_boot(),
    };
    let start = Start {
        run: "a".into(),
        generation: "g1".into(),
        supervisor,
        ..Start::default()
    };
    run::journal(&place, &Clock::system())
        .unwrap()
        .append(RUN_START, &start)
        .unwrap();
    let stopped = env.kill("a");
    assert_eq!(
        (stopped.stopped, stopped.status.as_str()),
        (false, "exited")
    );
    assert!(
        innocent.try_wait().unwrap().is_none(),
        "somebody innocent was ended"
    );
    innocent.kill().unwrap();
    innocent.wait().unwrap();
}

#[test]
fn snapshots_are_never_believed() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let dir = env.run_dir("a").dir().to_owned();
    std::fs::write(dir.join("result.json"), r#"{"code": 0, "status": "done"}"#).unwrap();
    std::fs::write(dir.join("run.json"), "not even JSON").unwrap();
    assert_eq!(env.run_state("a").status.as_str(), "running");
    env.kill("a");
}

#[test]
fn a_list_writes_nothing_into_runs_that_are_over_and_a_look_writes_what_is_missing() {
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
fn what_a_part_of_a_dead_run_says_of_it_is_not_kept_for_others() {
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
    assert!(env.live_processes().is_empty(), "a list ends what was left");
    assert_eq!(records(&env, "a").pop().unwrap()["type"], "run.end");
}

#[test]
fn a_supervisor_killed_outright_leaves_nothing_and_the_id_is_free() {
    let env = TestEnv::new();
    env.spawn("a", "materia-fake forks 3 --setsid", &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    env.kill_supervisor("a");
    // A new start cleans up by itself, before anything of it runs.
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
