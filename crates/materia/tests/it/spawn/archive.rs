//! Runs that were archived: asked for again, removed by their address, and in no state that nobody
//! can name.

use super::*;
use crate::message::{assert_fate, refused};

/// A run of this id that is over and was archived; where it is now.
fn archived(house: &House, id: &str, more: &[&str]) -> PathBuf {
    house.spawn(id, "true", more);
    house.wait(id);
    let report = house.sent(&[&format!("run:{id}"), "control.archive"]);
    house.path(&report["result"]["archiveDir"])
}

/// What is in the archive.
fn names(house: &House) -> Vec<String> {
    let entries = std::fs::read_dir(house.runs().archive()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn archiving_again_succeeds_and_says_where_it_is() {
    let house = House::new();
    let first = archived(&house, "a", &[]);
    let again = house.sent(&["run:a", "control.archive"]);
    assert_fate(
        &again,
        [false, false, false],
        "run-control",
        "already_archived",
    );
    assert_eq!(house.path(&again["result"]["archiveDir"]), first);
    let said = house
        .materia(&["message", "run:a", "control.archive"])
        .run()
        .ok()
        .stdout;
    assert!(
        said.contains("archived already") && said.contains("archived/a-"),
        "{said}"
    );
    assert_eq!(names(&house).len(), 1);
}

#[test]
fn an_archived_run_is_removed_by_its_address() {
    let house = House::new();
    let copies = [archived(&house, "a", &[]), archived(&house, "a", &[])];
    // Ids may begin alike, and look like what an archived run is called.
    let other = archived(&house, "a-2026-01-01T00-00-00-000Z", &[]);
    house.sent(&["run:a", "control.prune"]);
    assert!(copies.iter().all(|copy| !copy.exists()) && other.join("journal.jsonl").exists());
    assert!(!house.run_place("a").dir().exists());
    for words in [
        ["run:a", "control.prune"],
        ["run:a", "control.archive"],
        ["run:never", "control.prune"],
    ] {
        assert_eq!(
            refused(&house.send(&words)),
            (3, "run_not_found".to_owned()),
            "{words:?}"
        );
    }
}

#[test]
fn what_was_archived_before_a_run_that_was_pruned_is_still_found() {
    let house = House::new();
    let first = archived(&house, "a", &[]);
    house.spawn("a", "true", &[]);
    house.wait("a");
    house.sent(&["run:a", "control.prune"]);
    let gone = house.materia(&["inspect", "run:a", "--json"]).run();
    assert_eq!(refused(&gone), (3, "run_archived".to_owned()));
    assert!(first.exists());
    house.sent(&["run:a", "control.prune"]);
    assert!(!first.exists());
}

#[test]
fn an_archived_run_stays_its_sessions() {
    let house = House::new();
    let theirs = archived(&house, "a", &["--session", "s"]);
    for control in ["control.archive", "control.prune"] {
        let other = house.send(&["run:a", control, "--session", "t"]);
        assert_eq!(
            refused(&other),
            (4, "session_mismatch".to_owned()),
            "{control}"
        );
    }
    for (session, answer) in [("t", (4, "session_mismatch")), ("s", (3, "run_archived"))] {
        for words in [
            &["inspect", "run:a"][..],
            &["wait", "run:a"],
            &["message", "run:a", "x"],
            &["receive", "--address", "run:a", "--timeout", "0"],
        ] {
            let other = house
                .materia(&[words, &["--session", session, "--json"]].concat())
                .run();
            assert_eq!(
                refused(&other),
                (answer.0, answer.1.to_owned()),
                "{words:?}"
            );
        }
    }
    assert!(theirs.exists());
    house.spawn("a", "true", &["--session", "t"]);
    house.wait("a");
    house.sent(&["run:a", "control.archive", "--session", "t"]);
    house.sent(&["run:a", "control.prune", "--session", "t"]);
    assert!(theirs.exists(), "another session's");
    house.sent(&["run:a", "control.prune", "--session", "s"]);
    assert!(!theirs.exists());
}

#[test]
fn the_path_in_a_tombstone_is_never_removed() {
    let house = House::new();
    let archived = archived(&house, "a", &[]);
    let precious = house.write("precious/file", "stays");
    let tombstone = house.run_place("a").tombstone();
    let text = std::fs::read_to_string(&tombstone).unwrap();
    let elsewhere = house.work().join("precious");
    std::fs::write(
        &tombstone,
        text.replace(archived.to_str().unwrap(), elsewhere.to_str().unwrap()),
    )
    .unwrap();
    house.sent(&["run:a", "control.prune"]);
    assert!(precious.exists() && !archived.exists());
}

#[test]
fn a_full_disk_leaves_the_run_as_it_was_and_a_second_try_archives_it() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    let words = ["message", "run:a", "control.archive", "--json"];
    for point in [
        "dir.create:2",
        "atomic.create",
        "atomic.write",
        "atomic.sync",
        "tree.exchange",
    ] {
        let full = house
            .materia(&words)
            .env("MATERIA_FAILPOINT", format!("{point}:enospc"))
            .run();
        assert_eq!(refused(&full), (1, "run_storage".to_owned()), "{point}");
        assert_eq!(house.look("a").status.as_str(), "done", "{point}");
        assert!(names(&house).is_empty(), "{point}: {:?}", names(&house));
    }
    house.materia(&words).run().ok();
    assert_eq!(names(&house).len(), 1);
}

#[test]
fn what_a_killed_archiver_left_is_no_run_and_is_swept() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    let words = ["message", "run:a", "control.archive", "--json"];
    house
        .materia(&words)
        .env("MATERIA_FAILPOINT", "tree.exchange:abort")
        .run();
    assert_eq!(
        (names(&house).len(), house.look("a").status.as_str()),
        (1, "done")
    );
    house.sent(&["run:a", "control.prune"]);
    let gone = house.materia(&["inspect", "run:a", "--json"]).run();
    assert_eq!(refused(&gone), (3, "run_not_found".to_owned()));
    run::sweep(&house.runs(), Duration::MAX, &Clock::system()).unwrap();
    assert!(names(&house).is_empty());
}
