//! Runs that were archived: asked for again, removed by their address, and in no state that nobody
//! can name.

use super::*;
use crate::message::{assert_delivery, assert_refused, refused};

/// A run of this id that is over and was archived; where it is now.
fn archived(env: &TestEnv, id: &str, more: &[&str]) -> PathBuf {
    env.spawn(id, "true", more);
    env.wait(id);
    let report = env.send_ok(&[&format!("run:{id}"), "control.archive"]);
    env.expand_path(&report["result"]["archiveDir"])
}

/// What is in the archive.
fn names(env: &TestEnv) -> Vec<String> {
    let entries = std::fs::read_dir(env.runs_root().archive()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn archiving_again_succeeds_and_says_where_it_is() {
    let env = TestEnv::new();
    let first = archived(&env, "a", &[]);
    let again = env.send_ok(&["run:a", "control.archive"]);
    assert_delivery(
        &again,
        [false, false, false],
        "run-control",
        "already_archived",
    );
    assert_eq!(env.expand_path(&again["result"]["archiveDir"]), first);
    let said = env
        .materia(&["message", "run:a", "control.archive"])
        .run()
        .ok()
        .stdout;
    assert!(
        said.contains("archived already") && said.contains("archived/a-"),
        "{said}"
    );
    assert_eq!(names(&env).len(), 1);
}

#[test]
fn an_archived_run_is_removed_by_its_address() {
    let env = TestEnv::new();
    let copies = [archived(&env, "a", &[]), archived(&env, "a", &[])];
    // Ids may begin alike, and look like what an archived run is called.
    let other = archived(&env, "a-2026-01-01T00-00-00-000Z", &[]);
    env.send_ok(&["run:a", "control.prune"]);
    assert!(copies.iter().all(|copy| !copy.exists()) && other.join("journal.jsonl").exists());
    assert!(!env.run_dir("a").dir().exists());
    for args in [
        ["run:a", "control.prune"],
        ["run:a", "control.archive"],
        ["run:never", "control.prune"],
    ] {
        assert_refused(&env.send(&args), 3, "run_not_found");
    }
}

#[test]
fn what_was_archived_before_a_run_that_was_pruned_is_still_found() {
    let env = TestEnv::new();
    let first = archived(&env, "a", &[]);
    env.spawn("a", "true", &[]);
    env.wait("a");
    env.send_ok(&["run:a", "control.prune"]);
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    assert_refused(&gone, 3, "run_archived");
    assert!(first.exists());
    env.send_ok(&["run:a", "control.prune"]);
    assert!(!first.exists());
}

#[test]
fn an_archived_run_stays_its_sessions() {
    let env = TestEnv::new();
    let theirs = archived(&env, "a", &["--session", "s"]);
    for control in ["control.archive", "control.prune"] {
        let other = env.send(&["run:a", control, "--session", "t"]);
        assert_refused(&other, 4, "session_mismatch");
    }
    for (session, answer) in [("t", (4, "session_mismatch")), ("s", (3, "run_archived"))] {
        for args in [
            &["inspect", "run:a"][..],
            &["wait", "run:a"],
            &["message", "run:a", "x"],
            &["receive", "--address", "run:a", "--timeout", "0"],
        ] {
            let other = env
                .materia(&[args, &["--session", session, "--json"]].concat())
                .run();
            assert_eq!(refused(&other), (answer.0, answer.1.to_owned()), "{args:?}");
        }
    }
    assert!(theirs.exists());
    env.spawn("a", "true", &["--session", "t"]);
    env.wait("a");
    env.send_ok(&["run:a", "control.archive", "--session", "t"]);
    env.send_ok(&["run:a", "control.prune", "--session", "t"]);
    assert!(theirs.exists(), "another session's");
    env.send_ok(&["run:a", "control.prune", "--session", "s"]);
    assert!(!theirs.exists());
}

#[test]
fn the_path_in_a_tombstone_is_never_removed() {
    let env = TestEnv::new();
    let archived = archived(&env, "a", &[]);
    let precious = env.write("precious/file", "stays");
    let tombstone = env.run_dir("a").tombstone();
    let text = std::fs::read_to_string(&tombstone).unwrap();
    let elsewhere = env.work_dir().join("precious");
    std::fs::write(
        &tombstone,
        text.replace(archived.to_str().unwrap(), elsewhere.to_str().unwrap()),
    )
    .unwrap();
    env.send_ok(&["run:a", "control.prune"]);
    assert!(precious.exists() && !archived.exists());
}

#[test]
fn a_full_disk_leaves_the_run_as_it_was_and_a_second_try_archives_it() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let args = ["message", "run:a", "control.archive", "--json"];
    for point in [
        "dir.create:2",
        "atomic.create",
        "atomic.write",
        "atomic.sync",
        "tree.exchange",
    ] {
        let full = env
            .materia(&args)
            .env("MATERIA_FAILPOINT", format!("{point}:enospc"))
            .run();
        assert_eq!(refused(&full), (1, "run_storage".to_owned()), "{point}");
        assert_eq!(env.run_state("a").status.as_str(), "done", "{point}");
        assert!(names(&env).is_empty(), "{point}: {:?}", names(&env));
    }
    env.materia(&args).run().ok();
    assert_eq!(names(&env).len(), 1);
}

#[test]
fn what_a_killed_archiver_left_is_no_run_and_is_swept() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let args = ["message", "run:a", "control.archive", "--json"];
    env.materia(&args)
        .env("MATERIA_FAILPOINT", "tree.exchange:abort")
        .run();
    assert_eq!(
        (names(&env).len(), env.run_state("a").status.as_str()),
        (1, "done")
    );
    env.send_ok(&["run:a", "control.prune"]);
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    assert_refused(&gone, 3, "run_not_found");
    run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    assert!(names(&env).is_empty());
}
