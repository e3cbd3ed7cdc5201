//! Durable writes survive a failure at every failpoint (P1).
//!
//! The `writer` role of the fake writes a journal that rotates, a document and artifacts, and lists
//! each write that the engine reported as durable. It runs once with a trace that lists every
//! failpoint hit, then once for each hit and each kind of failure. Afterwards everything must open,
//! and no durable write may be missing.

mod mailbox;
mod observers;
mod rounds;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use materia_engine::clock::Clock;
use materia_engine::store::atomic;
use materia_engine::store::journal::{From, Journal, Options, RECOVERED, Reader};
use materia_model::record::Record;

use crate::test_env::TestEnv;

const ACTIONS: [&str; 4] = ["abort", "torn", "eio", "enospc"];
const NOTES: u64 = 4;

/// How an earlier crash damaged the last line of the journal.
#[derive(Clone, Copy)]
enum Damage {
    /// The end of the line is missing.
    Short,
    /// A block inside the line was never written, but what follows was.
    Hole,
}

/// A test environment with a journal whose last line is torn.
fn env_with_torn_journal(torn: Damage) -> TestEnv {
    let env = TestEnv::new();
    let path = env.work_dir().join("events.jsonl");
    let journal = Journal::open(&path, &Clock::system(), &Options::default()).unwrap();
    journal.append_durable("old", &1).unwrap();
    journal.append("old", &"x".repeat(100)).unwrap();
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    let cut = bytes.len() - 50;
    match torn {
        Damage::Short => bytes.truncate(cut),
        Damage::Hole => bytes[cut..cut + 20].fill(0),
    }
    fs::write(&path, &bytes).unwrap();
    env
}

/// Runs the writer with a failpoint; returns whether it survived.
fn run_writer(env: &TestEnv, failpoint: &str) -> bool {
    let dir = env.work_dir();
    let outcome = env
        .fake(&["writer", dir.to_str().unwrap()])
        .env("MATERIA_FAILPOINT", failpoint)
        .run();
    let crashed = outcome.code() == 128 + 6;
    assert!(
        crashed || outcome.code() == 0,
        "{failpoint}: {}",
        outcome.transcript()
    );
    !crashed
}

/// Opens everything and asserts that each durable write is there.
fn check(env: &TestEnv, failpoint: &str) {
    let records = reopen(env, "events.jsonl", failpoint);
    let shared = reopen(env, "shared.jsonl", failpoint);
    let has_note = |records: &[Record], number| {
        records
            .iter()
            .any(|record| record.kind == "note" && record.data["number"] == number)
    };
    assert!(
        records.iter().any(|record| record.kind == RECOVERED),
        "after {failpoint}: the recovery was not recorded"
    );
    assert!(
        records.iter().any(|record| record.kind == "old"),
        "after {failpoint}: old records are gone"
    );
    for write in durable_writes(env) {
        let (what, number) = write.split_once(' ').unwrap();
        let number: u64 = number.parse().unwrap();
        let is_there = match what {
            "note" => has_note(&records, number),
            "shared" => has_note(&shared, number),
            "state" => state(env) >= Some(number),
            _ => artifacts(env, number)
                .iter()
                .any(|text| text == "all of it"),
        };
        assert!(
            is_there,
            "after {failpoint}: {write} was durable and is gone"
        );
    }
    assert!(
        state(env).is_some()
            || !durable_writes(env)
                .iter()
                .any(|write| write.starts_with("state"))
    );
    atomic::sweep(&env.work_dir()).unwrap();
    let names = fs::read_dir(env.work_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let temporary: Vec<String> = names.filter(|name| name.contains("tmp")).collect();
    assert!(temporary.is_empty(), "after {failpoint}: {temporary:?}");
}

/// All records of a journal, after opening it as the next process does.
fn reopen(env: &TestEnv, name: &str, failpoint: &str) -> Vec<Record> {
    let path = env.work_dir().join(name);
    let opened = Journal::open(&path, &Clock::system(), &Options::default());
    drop(opened.unwrap_or_else(|error| panic!("after {failpoint}: {error}")));
    Reader::open(&path, From::Beginning)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn durable_writes(env: &TestEnv) -> Vec<String> {
    let list = fs::read_to_string(env.work_dir().join("durable")).unwrap_or_default();
    list.lines().map(str::to_owned).collect()
}

fn state(env: &TestEnv) -> Option<u64> {
    let path = env.work_dir().join("state.json");
    path.exists().then(|| {
        let document: serde_json::Value = atomic::read_json(&path, 1, 1 << 16).unwrap();
        document["count"].as_u64().unwrap()
    })
}

fn artifacts(env: &TestEnv, number: u64) -> Vec<String> {
    let folder: PathBuf = env.work_dir().join("kept/deep/sockets/s");
    let names = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let prefix = format!("{number}.");
    names
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(&prefix)
        })
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// The failpoints that an undisturbed writer hits, with counts.
fn failpoint_counts(torn: Damage) -> BTreeMap<String, u64> {
    let env = env_with_torn_journal(torn);
    let trace = env.work_dir().join("trace");
    assert!(run_writer(&env, &format!("trace:{}", trace.display())));
    check(&env, "nothing");
    assert_eq!(durable_writes(&env).len() as u64, 4 * NOTES);
    let mut points = BTreeMap::new();
    for point in fs::read_to_string(trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    points
}

#[test]
fn the_writer_hits_every_kind_of_failpoint() {
    let points = failpoint_counts(Damage::Short);
    for kind in [
        "journal.write",
        "journal.sync",
        "journal.rotate",
        "journal.recover",
        "atomic.rename",
        "artifact.",
    ] {
        assert!(
            points.keys().any(|point| point.starts_with(kind)),
            "{kind} is missing in {points:?}"
        );
    }
}

mod slow {
    use super::*;

    #[test]
    fn no_durable_write_is_lost_at_any_failpoint() {
        let points = failpoint_counts(Damage::Short);
        assert!(points.len() > 20, "{points:?}");
        for (point, count) in points {
            for (nth, action) in
                (1..=count.min(4)).flat_map(|nth| ACTIONS.map(|action| (nth, action)))
            {
                fail_at(Damage::Short, &point, nth, action);
            }
        }
    }

    #[test]
    fn recovery_survives_a_failure() {
        let points = failpoint_counts(Damage::Hole);
        let recovery: Vec<&String> = points
            .keys()
            .filter(|point| point.contains("recover"))
            .collect();
        assert!(recovery.len() > 3, "{points:?}");
        for (point, action) in recovery
            .iter()
            .flat_map(|point| ACTIONS.map(|action| (point, action)))
        {
            fail_at(Damage::Hole, point, 1, action);
        }
    }

    fn fail_at(torn: Damage, point: &str, nth: u64, action: &str) {
        let failpoint = format!("{point}:{nth}:{action}");
        let env = env_with_torn_journal(torn);
        let survived = run_writer(&env, &failpoint);
        assert_eq!(survived, matches!(action, "eio" | "enospc"), "{failpoint}");
        check(&env, &failpoint);
        if survived {
            assert_eq!(
                durable_writes(&env).len() as u64,
                4 * NOTES,
                "{failpoint}: the writer gave up"
            );
        } else {
            assert!(
                run_writer(&env, "none:abort"),
                "{failpoint}: the writer does not continue"
            );
            check(&env, &failpoint);
        }
    }
}
