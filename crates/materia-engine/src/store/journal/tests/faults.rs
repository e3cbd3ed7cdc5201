//! Every write, sync, truncation and rename of a journal fails in turn, each in a process of its own.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

const ROUNDS: u64 = 5;

/// What a child does: appends notes, and writes down which of them it was promised.
#[test]
#[ignore = "started by the tests below, with a failpoint to arm"]
fn scenario() {
    let Some(dir) = std::env::var_os("STORE_SCENARIO") else { return };
    crate::failpoint::arm(&std::env::var("STORE_FAILPOINT").unwrap()).unwrap();
    let dir = Path::new(&dir);
    let mut promised = File::options().append(true).create(true).open(dir.join("promised")).unwrap();
    let options = Options { rotate_at: Some(400), ..Options::default() };
    let open = || Journal::open(&dir.join("events.jsonl"), &Clock::system(), &options);
    let mut journal = open().or_else(|_| open()).unwrap();
    for number in 100..100 + ROUNDS {
        let mut failures = 0;
        while let Err(error) = journal.append_durable("note", &json!({ "number": number })) {
            failures += 1;
            assert!(failures < 3, "{error}");
            if matches!(error, JournalError::Broken { .. }) {
                assert!(
                    journal.append("note", &json!({})).unwrap_err().hint().contains("open the journal again")
                );
                drop(journal);
                journal = open().unwrap();
            }
        }
        writeln!(promised, "{number}").unwrap();
    }
}

fn run(desk: &Desk, failpoint: &str) -> bool {
    Command::new(std::env::current_exe().unwrap())
        .args(["store::journal::tests::faults::scenario", "--exact", "--ignored"])
        .env("STORE_SCENARIO", desk.temp.path())
        .env("STORE_FAILPOINT", failpoint)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

/// A journal whose last line has a hole, so that opening it passes every point of recovery.
fn torn_desk() -> Desk {
    let desk = Desk::new().written(3);
    let mut bytes = desk.bytes();
    let end = bytes.len();
    bytes[end - 40..end - 20].fill(0);
    desk.put(&bytes);
    desk
}

fn check(desk: &Desk, failpoint: &str) {
    drop(desk.open().unwrap_or_else(|error| panic!("after {failpoint}: {error}")));
    let notes = desk.notes();
    assert!(notes.is_sorted() && notes.starts_with(&[0, 1]), "after {failpoint}: {notes:?}");
    let promised = fs::read_to_string(desk.temp.path().join("promised")).unwrap_or_default();
    for number in promised.lines() {
        assert!(notes.contains(&number.parse().unwrap()), "after {failpoint}: {number} was lost");
    }
    let records = desk.read().unwrap();
    assert!(
        records.iter().any(|record| record.kind == RECOVERED),
        "after {failpoint}: the cut was forgotten"
    );
}

#[test]
fn nothing_promised_is_lost_wherever_the_machine_fails() {
    let desk = torn_desk();
    let trace = desk.temp.path().join("trace");
    assert!(run(&desk, &format!("trace:{}", trace.display())));
    check(&desk, "nothing");
    let mut points: BTreeMap<String, u64> = BTreeMap::new();
    for point in fs::read_to_string(&trace).unwrap().lines() {
        *points.entry(point.to_owned()).or_default() += 1;
    }
    for wanted in ["journal.write", "journal.sync", "journal.rotate.publish", "journal.recover.finish"] {
        assert!(points.contains_key(wanted), "{points:?}");
    }
    for (point, count) in points {
        for nth in 1..=count.min(3) {
            for action in ["abort", "torn", "eio", "enospc"] {
                let failpoint = format!("{point}:{nth}:{action}");
                let desk = torn_desk();
                let finished = run(&desk, &failpoint);
                assert_eq!(finished, matches!(action, "eio" | "enospc"), "{failpoint}");
                check(&desk, &failpoint);
                if finished {
                    let notes = desk.notes();
                    assert!(
                        (100..100 + ROUNDS).all(|number| notes.contains(&number)),
                        "{failpoint}: {notes:?}"
                    );
                }
            }
        }
    }
}
