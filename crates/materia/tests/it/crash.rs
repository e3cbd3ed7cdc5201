//! Everything durable is killed at every point where it can be killed (P1).
//!
//! The `keeper` of the fake writes a journal that rotates, a document and artifacts, and lists what
//! it was promised. It runs once with a trace, which names every failpoint it passes; then once for
//! each passing and each way to fail. Afterwards everything opens, and nothing that was promised is
//! missing.

mod parting;
mod post;
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

/// How an earlier crash left the last line of the journal.
#[derive(Clone, Copy)]
enum Torn {
    /// Its end is missing.
    Short,
    /// A block of it was never written, though what follows was.
    Hole,
}

/// A env with a journal whose last line was torn by an earlier crash.
fn env_with_torn_journal(torn: Torn) -> TestEnv {
    let env = TestEnv::new();
    let path = env.work_dir().join("events.jsonl");
    let journal = Journal::open(&path, &Clock::system(), &Options::default()).unwrap();
    journal.append_durable("old", &1).unwrap();
    journal.append("old", &"x".repeat(100)).unwrap();
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    let cut = bytes.len() - 50;
    match torn {
        Torn::Short => bytes.truncate(cut),
        Torn::Hole => bytes[cut..cut + 20].fill(0),
    }
    fs::write(&path, &bytes).unwrap();
    env
}

fn keep(env: &TestEnv, failpoint: &str) -> bool {
    let place = env.work_dir();
    let outcome = env
        .fake(&["keeper", place.to_str().unwrap()])
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

/// Opens everything and looks for what was promised.
fn check(env: &TestEnv, failpoint: &str) {
    let records = reopened(env, "events.jsonl", failpoint);
    let shared = reopened(env, "shared.jsonl", failpoint);
    let noted = |records: &[Record], number| {
        records
            .iter()
            .any(|record| record.kind == "note" && record.data["number"] == number)
    };
    assert!(
        records.iter().any(|record| record.kind == RECOVERED),
        "after {failpoint}: the cut was forgotten"
    );
    assert!(
        records.iter().any(|record| record.kind == "old"),
        "after {failpoint}: old records are gone"
    );
    for promise in promises(env) {
        let (what, number) = promise.split_once(' ').unwrap();
        let number: u64 = number.parse().unwrap();
        let kept = match what {
            "note" => noted(&records, number),
            "shared" => noted(&shared, number),
            "state" => state(env) >= Some(number),
            _ => artifacts(env, number)
                .iter()
                .any(|text| text == "all of it"),
        };
        assert!(
            kept,
            "after {failpoint}: {promise} was promised and is gone"
        );
    }
    assert!(
        state(env).is_some()
            || !promises(env)
                .iter()
                .any(|promise| promise.starts_with("state"))
    );
    atomic::sweep(&env.work_dir()).unwrap();
    let left = fs::read_dir(env.work_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let temporary: Vec<String> = left.filter(|name| name.contains("tmp")).collect();
    assert!(temporary.is_empty(), "after {failpoint}: {temporary:?}");
}

/// Everything in a journal, after it was opened as the next process would.
fn reopened(env: &TestEnv, name: &str, failpoint: &str) -> Vec<Record> {
    let path = env.work_dir().join(name);
    let opened = Journal::open(&path, &Clock::system(), &Options::default());
    drop(opened.unwrap_or_else(|error| panic!("after {failpoint}: {error}")));
    Reader::open(&path, From::Beginning)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn promises(env: &TestEnv) -> Vec<String> {
    let list = fs::read_to_string(env.work_dir().join("promised")).unwrap_or_default();
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
    let wanted = format!("{number}.");
    names
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(&wanted)
        })
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// The points that an undisturbed run passes, and how often.
fn points(torn: Torn) -> BTreeMap<String, u64> {
    let env = env_with_torn_journal(torn);
    let trace = env.work_dir().join("trace");
    assert!(keep(&env, &format!("trace:{}", trace.display())));
    check(&env, "nothing");
    assert_eq!(promises(&env).len() as u64, 4 * NOTES);
    let mut points = BTreeMap::new();
    for point in fs::read_to_string(trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    points
}

#[test]
fn the_keeper_passes_every_kind_of_point() {
    let points = points(Torn::Short);
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
    fn nothing_promised_is_lost_wherever_the_machine_fails() {
        let points = points(Torn::Short);
        assert!(points.len() > 20, "{points:?}");
        for (point, count) in points {
            for (nth, action) in
                (1..=count.min(4)).flat_map(|nth| ACTIONS.map(|action| (nth, action)))
            {
                fail_at(Torn::Short, &point, nth, action);
            }
        }
    }

    #[test]
    fn recovery_can_be_killed_too() {
        let points = points(Torn::Hole);
        let recovery: Vec<&String> = points
            .keys()
            .filter(|point| point.contains("recover"))
            .collect();
        assert!(recovery.len() > 3, "{points:?}");
        for (point, action) in recovery
            .iter()
            .flat_map(|point| ACTIONS.map(|action| (point, action)))
        {
            fail_at(Torn::Hole, point, 1, action);
        }
    }

    fn fail_at(torn: Torn, point: &str, nth: u64, action: &str) {
        let failpoint = format!("{point}:{nth}:{action}");
        let env = env_with_torn_journal(torn);
        let survived = keep(&env, &failpoint);
        assert_eq!(survived, matches!(action, "eio" | "enospc"), "{failpoint}");
        check(&env, &failpoint);
        if survived {
            assert_eq!(
                promises(&env).len() as u64,
                4 * NOTES,
                "{failpoint}: it gave up"
            );
        } else {
            assert!(keep(&env, "none:abort"), "{failpoint}: it does not go on");
            check(&env, &failpoint);
        }
    }
}
