//! Everything durable is killed at every point where it can be killed (P1).
//!
//! The `keeper` of the fake writes a journal that rotates, a document and artifacts, and lists what it was promised.
//! It runs once with a trace, which names every failpoint it passes; then once for each passing and each way to fail.
//! Afterwards everything opens, and nothing that was promised is missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use materia_engine::clock::Clock;
use materia_engine::store::atomic;
use materia_engine::store::journal::{From, Journal, Options, RECOVERED, Reader};

use crate::house::House;

const ACTIONS: [&str; 4] = ["abort", "torn", "eio", "enospc"];
const NOTES: u64 = 4;

/// A house with a journal whose last line was torn by an earlier crash.
fn torn_house() -> House {
    let house = House::new();
    let path = house.work().join("events.jsonl");
    let journal = Journal::open(&path, &Clock::system(), &Options::default()).unwrap();
    journal.append_durable("old", &1).unwrap();
    journal.append("old", &"x".repeat(100)).unwrap();
    drop(journal);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 50]).unwrap();
    house
}

fn keep(house: &House, failpoint: &str) -> bool {
    let place = house.work();
    let outcome = house.fake(&["keeper", place.to_str().unwrap()]).env("MATERIA_FAILPOINT", failpoint).run();
    let crashed = outcome.code() == 128 + 6;
    assert!(crashed || outcome.code() == 0, "{failpoint}: {}", outcome.transcript());
    !crashed
}

/// Opens everything and looks for what was promised.
fn check(house: &House, failpoint: &str) {
    let journal = house.work().join("events.jsonl");
    drop(Journal::open(&journal, &Clock::system(), &Options::default()).unwrap_or_else(|error| {
        panic!("after {failpoint}: {error}");
    }));
    let records: Vec<_> = Reader::open(&journal, From::Beginning).unwrap().map(Result::unwrap).collect();
    assert!(
        records.iter().any(|record| record.kind == RECOVERED),
        "after {failpoint}: the cut was forgotten"
    );
    assert!(records.iter().any(|record| record.kind == "old"), "after {failpoint}: old records are gone");
    for promise in promises(house) {
        let (what, number) = promise.split_once(' ').unwrap();
        let number: u64 = number.parse().unwrap();
        let kept = match what {
            "note" => records.iter().any(|record| record.kind == "note" && record.data["number"] == number),
            "state" => state(house) >= Some(number),
            _ => artifacts(house, number).iter().any(|text| text == "all of it"),
        };
        assert!(kept, "after {failpoint}: {promise} was promised and is gone");
    }
    assert!(state(house).is_some() || !promises(house).iter().any(|promise| promise.starts_with("state")));
    atomic::sweep(&house.work()).unwrap();
    let left =
        fs::read_dir(house.work()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let temporary: Vec<String> = left.filter(|name| name.contains("tmp")).collect();
    assert!(temporary.is_empty(), "after {failpoint}: {temporary:?}");
}

fn promises(house: &House) -> Vec<String> {
    let list = fs::read_to_string(house.work().join("promised")).unwrap_or_default();
    list.lines().map(str::to_owned).collect()
}

fn state(house: &House) -> Option<u64> {
    let path = house.work().join("state.json");
    path.exists().then(|| {
        let document: serde_json::Value = atomic::read_json(&path, 1, 1 << 16).unwrap();
        document["count"].as_u64().unwrap()
    })
}

fn artifacts(house: &House, number: u64) -> Vec<String> {
    let folder: PathBuf = house.work().join("kept/deep/sockets/s");
    let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let wanted = format!("{number}.");
    names
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&wanted))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// The points that an undisturbed run passes, and how often.
fn points() -> BTreeMap<String, u64> {
    let house = torn_house();
    let trace = house.work().join("trace");
    assert!(keep(&house, &format!("trace:{}", trace.display())));
    check(&house, "nothing");
    assert_eq!(promises(&house).len() as u64, 3 * NOTES);
    let mut points = BTreeMap::new();
    for point in fs::read_to_string(trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    points
}

#[test]
fn the_keeper_passes_every_kind_of_point() {
    let points = points();
    for kind in
        ["journal.write", "journal.sync", "journal.rotate", "journal.recover", "atomic.rename", "artifact."]
    {
        assert!(points.keys().any(|point| point.starts_with(kind)), "{kind} is missing in {points:?}");
    }
}

mod slow {
    use super::*;

    #[test]
    fn nothing_promised_is_lost_wherever_the_machine_fails() {
        let mut crashes = 0;
        for (point, count) in points() {
            for (nth, action) in (1..=count.min(4)).flat_map(|nth| ACTIONS.map(|action| (nth, action))) {
                let failpoint = format!("{point}:{nth}:{action}");
                let house = torn_house();
                let survived = keep(&house, &failpoint);
                assert_eq!(survived, matches!(action, "eio" | "enospc"), "{failpoint}");
                check(&house, &failpoint);
                if survived {
                    assert_eq!(promises(&house).len() as u64, 3 * NOTES, "{failpoint}: it gave up");
                } else {
                    crashes += 1;
                    assert!(keep(&house, "none:abort"), "{failpoint}: it does not go on");
                    check(&house, &failpoint);
                }
            }
        }
        assert!(crashes > 50, "only {crashes} crashes were tried");
    }
}
