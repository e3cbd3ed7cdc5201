//! Archived runs: repeated requests, removal by address, and a defined state after every failure.

use super::*;
use crate::message::{assert_delivery, assert_refused, refused};

/// Archives an ended run with this id and returns its new directory.
fn archive_run(env: &TestEnv, id: &str, more: &[&str]) -> PathBuf {
    env.spawn(id, "true", more);
    env.wait(id);
    let report = env.send_ok(&[&format!("run:{id}"), "control.archive"]);
    env.expand_path(&report["result"]["archiveDir"])
}

/// The names of the directories in the archive.
fn archive_names(env: &TestEnv) -> Vec<String> {
    let entries = std::fs::read_dir(env.runs_root().archive()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn archiving_again_succeeds_and_names_the_directory() {
    let env = TestEnv::new();
    let first = archive_run(&env, "a", &[]);
    let again = env.send_ok(&["run:a", "control.archive"]);
    assert_delivery(
        &again,
        [false, false, false],
        "run-control",
        "already_archived",
    );
    assert_eq!(env.expand_path(&again["result"]["archiveDir"]), first);
    let output = env
        .materia(&["message", "run:a", "control.archive"])
        .run()
        .ok()
        .stdout;
    assert!(
        output.contains("archived already") && output.contains("archived/a-"),
        "{output}"
    );
    assert_eq!(archive_names(&env).len(), 1);
}

#[test]
fn an_archived_run_is_removed_by_its_address() {
    let env = TestEnv::new();
    let copies = [archive_run(&env, "a", &[]), archive_run(&env, "a", &[])];
    // An id may look like the name of an archived run.
    let other = archive_run(&env, "a-2026-01-01T00-00-00-000Z", &[]);
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
fn an_archived_run_is_found_after_a_later_run_was_pruned() {
    let env = TestEnv::new();
    let first = archive_run(&env, "a", &[]);
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
fn an_archived_run_belongs_to_its_session() {
    let env = TestEnv::new();
    let archive_dir = archive_run(&env, "a", &["--session", "s"]);
    for control in ["control.archive", "control.prune"] {
        let other = env.send(&["run:a", control, "--session", "t"]);
        assert_refused(&other, 4, "session_mismatch");
    }
    for (session, expected) in [("t", (4, "session_mismatch")), ("s", (3, "run_archived"))] {
        for args in [
            &["inspect", "run:a"][..],
            &["wait", "run:a"],
            &["message", "run:a", "x"],
            &["receive", "--address", "run:a", "--timeout", "0"],
        ] {
            let other = env
                .materia(&[args, &["--session", session, "--json"]].concat())
                .run();
            assert_eq!(
                refused(&other),
                (expected.0, expected.1.to_owned()),
                "{args:?}"
            );
        }
    }
    assert!(archive_dir.exists());
    env.spawn("a", "true", &["--session", "t"]);
    env.wait("a");
    env.send_ok(&["run:a", "control.archive", "--session", "t"]);
    env.send_ok(&["run:a", "control.prune", "--session", "t"]);
    assert!(
        archive_dir.exists(),
        "the archived run belongs to another session"
    );
    env.send_ok(&["run:a", "control.prune", "--session", "s"]);
    assert!(!archive_dir.exists());
}

#[test]
fn the_path_in_a_tombstone_is_never_removed() {
    let env = TestEnv::new();
    let archived = archive_run(&env, "a", &[]);
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
fn after_a_full_disk_the_run_is_unchanged_and_can_be_archived() {
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
        assert!(
            archive_names(&env).is_empty(),
            "{point}: {:?}",
            archive_names(&env)
        );
    }
    env.materia(&args).run().ok();
    assert_eq!(archive_names(&env).len(), 1);
}

#[test]
fn a_directory_left_by_a_killed_archive_is_swept() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let args = ["message", "run:a", "control.archive", "--json"];
    env.materia(&args)
        .env("MATERIA_FAILPOINT", "tree.exchange:abort")
        .run();
    assert_eq!(
        (
            archive_names(&env).len(),
            env.run_state("a").status.as_str()
        ),
        (1, "done")
    );
    env.send_ok(&["run:a", "control.prune"]);
    let gone = env.materia(&["inspect", "run:a", "--json"]).run();
    assert_refused(&gone, 3, "run_not_found");
    run::sweep(&env.runs_root(), Duration::MAX, &Clock::system()).unwrap();
    assert!(archive_names(&env).is_empty());
}
