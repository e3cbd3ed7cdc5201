//! Retention of runs: artifacts, the archive, and the sweep of old runs.

use std::time::Duration;

use materia_engine::store::lock::{Lock, LockMode, LockWait};

use super::*;

#[test]
fn artifacts_have_a_manifest_with_size_and_hash() {
    let env = TestEnv::new();
    let more = [
        "--artifact",
        "out={state_dir}/{name}.txt",
        "--artifact",
        "none=missing.txt",
        "name=x",
    ];
    env.spawn(
        "a",
        "sh -c 'printf abc > \"$1/$2.txt\"' sh {state_dir} {name}",
        &more,
    );
    assert_eq!(env.wait("a")["status"], "done");
    let shown = env
        .materia(&["inspect", "run:a", "--view", "artifacts", "--json"])
        .run()
        .ok()
        .json();
    let out = &shown["artifacts"]["out"];
    assert_has!(out, {"exists": true, "size": 3}, "{shown}");
    assert_eq!(
        out["sha256"],
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(shown["artifacts"]["none"]["exists"], false);
    let recorded = records(&env, "a").pop().unwrap();
    assert_eq!(recorded["data"]["artifacts"]["out"]["size"], 3);
}

#[test]
fn only_an_ended_run_is_archived_and_leaves_a_tombstone() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let (root, run_dir) = (env.runs_root(), env.run_dir("a"));
    let archive = || run::archive(&root, &run_dir, None, &Clock::system());
    assert!(matches!(archive(), Err(run::Error::NotTerminal { .. })));
    assert!(matches!(
        run::prune(&root, &run_dir, None, false, &Clock::system()),
        Err(run::Error::NotTerminal { .. })
    ));
    env.kill("a");
    let archived = archive().unwrap();
    assert!(archived.archive_dir.join("journal.jsonl").exists());
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    gone.assert_error(3, "run_archived");
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"], json!([]));
    env.spawn("a", "true", &[]);
    assert_eq!(env.wait("a")["status"], "done");
}

#[test]
fn pruning_keeps_every_artifact_under_its_own_name() {
    let env = TestEnv::new();
    for round in ["first", "second"] {
        let make =
            format!("sh -c 'mkdir -p one two; echo {round} > one/out; echo {round} > two/out'");
        env.spawn(
            "a",
            &make,
            &["--artifact", "x=one/out", "--artifact", "y=two/out"],
        );
        env.wait("a");
        let pruned = run::prune(
            &env.runs_root(),
            &env.run_dir("a"),
            None,
            true,
            &Clock::system(),
        )
        .unwrap();
        assert_eq!(pruned.preserved.len(), 2, "{pruned:?}");
        for copy in &pruned.preserved {
            assert_eq!(std::fs::read_to_string(copy).unwrap(), format!("{round}\n"));
        }
        assert!(!env.run_dir("a").dir().exists());
    }
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    gone.assert_error(3, "run_not_found");
}

#[test]
fn the_sweep_removes_only_old_ended_runs() {
    let env = TestEnv::new();
    env.spawn("old", "true", &[]);
    env.wait("old");
    env.spawn("runs", "sleep 600", &[]);
    // The clock of a test environment is in January 2026, which is old by the system clock.
    std::fs::create_dir(env.runs_root().path().join(".removed-left")).unwrap();
    let swept = run::sweep(&env.runs_root(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert_eq!(swept, ["old"]);
    assert!(!env.run_dir("old").dir().exists() && env.run_dir("runs").exists());
    assert!(!env.runs_root().path().join(".removed-left").exists());
    env.kill("runs");
    let young = run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    assert!(young.is_empty());
}

#[test]
fn the_sweep_removes_runs_that_never_started_unless_locked() {
    let env = TestEnv::new();
    let run_dirs = ["left", "begins"].map(|id| env.run_dir(id));
    for run_dir in &run_dirs {
        std::fs::create_dir_all(run_dir.dir()).unwrap();
        std::fs::write(run_dir.lock(), "").unwrap();
    }
    let _held =
        Lock::acquire_unsigned(&run_dirs[1].lock(), LockMode::Exclusive, LockWait::No).unwrap();
    run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    assert_eq!(
        run_dirs.map(|run_dir| run_dir.dir().exists()),
        [false, true]
    );
}

#[test]
fn the_end_of_a_swept_run_is_reported() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "true", &["--session", "s"]);
    env.wait("a");
    run::sweep(&env.runs_root(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert!(!env.run_dir("a").dir().exists());
    let events = env.watch_once(&["--session", "s"]);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["event"], "terminal");
    assert!(env.watch_once(&["--session", "s"]).is_empty());
}

#[test]
fn spawn_sweeps_once_a_day() {
    let env = TestEnv::new();
    env.spawn("old", "true", &[]);
    env.wait("old");
    let spawn = |now: &str| {
        let args = ["spawn", "--template", "true", "--as", "run:new", "--json"];
        env.materia(&args).env("MATERIA_TEST_CLOCK", now).run().ok();
        env.wait("new");
    };
    let stamp = env.runs_root().path().join(".swept");
    let swept_at = |when: &str| {
        let when: materia_model::time::Timestamp = when.parse().unwrap();
        let when = std::time::UNIX_EPOCH + Duration::from_millis(when.as_millis() as u64);
        std::fs::File::options()
            .write(true)
            .open(&stamp)
            .unwrap()
            .set_modified(when)
            .unwrap();
    };
    assert!(stamp.exists(), "the first spawn must start the interval");
    swept_at("2026-01-09T00:00:00.000Z");
    spawn("2026-01-09T23:00:00.000Z");
    assert!(
        env.run_dir("old").exists(),
        "the last sweep was less than a day ago"
    );
    spawn("2026-01-10T01:00:00.000Z");
    assert!(!env.run_dir("old").exists() && env.run_dir("new").exists());
}

#[test]
fn the_sweep_removes_old_pending_events() {
    let env = TestEnv::new();
    assert!(env.watch_once(&["--session", "s"]).is_empty());
    env.spawn("a", "true", &["--session", "s"]);
    env.wait("a");
    env.send_ok(&["run:a", "control.prune"]);
    let pending = run::pending(&env.runs_root().session("s").unwrap());
    assert_eq!(pending.len(), 1);
    let sweep = |retention: u64| {
        run::sweep(
            &env.runs_root(),
            Duration::from_secs(retention),
            &Clock::system(),
        )
        .unwrap()
    };
    sweep(24 * 3600);
    assert!(pending[0].exists());
    let old = std::time::SystemTime::now() - Duration::from_secs(48 * 3600);
    std::fs::File::open(&pending[0])
        .unwrap()
        .set_modified(old)
        .unwrap();
    sweep(24 * 3600);
    assert!(!pending[0].exists() && env.watch_once(&["--session", "s"]).is_empty());
}

#[test]
fn the_index_is_only_a_cache() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let list = || {
        env.materia(&["inspect", "session:all", "--json"])
            .run()
            .ok()
            .json()["runs"]
            .clone()
    };
    let first = list();
    let index = env.runs_root().index();
    assert!(index.exists());
    assert_eq!(list(), first);
    std::fs::write(&index, "{broken").unwrap();
    assert_eq!(list(), first);
    env.spawn("a", "sleep 600", &[]);
    assert_eq!(list()[0]["status"], "running");
    env.kill("a");
    assert_eq!(list()[0]["status"], "killed");
    std::fs::write(env.run_dir("a").journal(), "damaged\n").unwrap();
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert!(
        listed["broken"]["a"].as_str().unwrap().contains("damaged"),
        "{listed}"
    );
}
