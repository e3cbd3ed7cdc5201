//! The guarantees of a journal, and the fixture of its tests.

mod damage;
mod follow;
mod rotation;
mod shared;
mod torn;

use std::fs;
use std::path::{Path, PathBuf};

use materia_model::record::Record;
use materia_model::time::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A directory with one journal in it, and a fixed clock.
struct Desk {
    temp: tempfile::TempDir,
    clock: Clock,
    options: Options,
}

impl Desk {
    fn new() -> Self {
        Self::rotating(None)
    }

    fn rotating(rotate_at: Option<u64>) -> Self {
        let options = Options {
            name: "test".to_owned(),
            rotate_at,
            from: None,
        };
        let clock = Clock::fixed(Timestamp::from_millis(1_767_225_600_000));
        Self {
            temp: tempfile::tempdir().unwrap(),
            clock,
            options,
        }
    }

    fn path(&self) -> PathBuf {
        self.temp.path().join("events.jsonl")
    }

    fn open(&self) -> Result<Journal, JournalError> {
        Journal::open(&self.path(), &self.clock, &self.options)
    }

    /// Writes a journal with notes numbered from 0, and closes it.
    fn written(self, notes: u64) -> Self {
        note(&self.open().unwrap(), 0..notes);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).unwrap()
    }

    fn put(&self, bytes: &[u8]) {
        fs::write(self.path(), bytes).unwrap();
    }

    fn read(&self) -> Result<Vec<Record>, JournalError> {
        Reader::open(&self.path(), From::Beginning)?.collect()
    }

    /// The numbers of the notes. Checks that the records are numbered without a gap.
    fn notes(&self) -> Vec<u64> {
        let records = self.read().unwrap();
        assert!(
            records
                .windows(2)
                .all(|pair| pair[0].seq + 1 == pair[1].seq),
            "{records:?}"
        );
        notes_of(&records)
    }
}

fn note(journal: &Journal, numbers: std::ops::Range<u64>) {
    for number in numbers {
        journal
            .append("note", &json!({ "number": number }))
            .unwrap();
    }
}

fn notes_of(records: &[Record]) -> Vec<u64> {
    let notes = records.iter().filter(|record| record.kind == "note");
    notes
        .map(|record| record.data["number"].as_u64().unwrap())
        .collect()
}

fn numbers(count: u64) -> Vec<u64> {
    (0..count).collect()
}

fn cut(path: &Path, length: u64) {
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

#[test]
fn a_journal_begins_with_its_header_and_goes_on_after_reopening() {
    let desk = Desk::new();
    let journal = desk.open().unwrap();
    assert_eq!(journal.append("note", &json!({"number": 0})).unwrap(), 2);
    assert_eq!(
        journal
            .append_durable("note", &json!({"number": 1}))
            .unwrap(),
        3
    );
    drop(journal);
    let journal = desk.open().unwrap();
    assert_eq!((journal.last_seq(), journal.recovery()), (3, None));
    assert_eq!(journal.append("note", &json!({"number": 2})).unwrap(), 4);
    let first = &desk.read().unwrap()[0];
    assert_eq!((first.seq, first.kind.as_str()), (1, HEADER));
    assert_eq!(
        first.data,
        json!({"format": 1, "name": "test", "segment": 1})
    );
    assert_eq!(desk.notes(), [0, 1, 2]);
}

#[test]
fn a_journal_has_one_exclusive_writer_or_shared_ones() {
    let desk = Desk::new();
    let journal = desk.open().unwrap();
    let share = || SharedJournal::open(&desk.path(), &desk.clock, &desk.options);
    let held_by_us = |error: JournalError| match error {
        JournalError::Held(error) => error
            .to_string()
            .ends_with(&format!("held by process {}", std::process::id())),
        _ => false,
    };
    assert!(held_by_us(desk.open().unwrap_err()));
    assert!(held_by_us(share().unwrap_err()));
    drop(journal);
    let (one, two) = (share().unwrap(), share().unwrap());
    let turn = two.hold().unwrap();
    assert!(
        matches!(desk.open(), Err(JournalError::Held(_))),
        "one of them is writing"
    );
    drop(turn);
    let journal = desk.open().unwrap();
    assert!(held_by_us(one.append("note", &json!({})).unwrap_err()));
    drop(journal);
    one.append_durable("note", &json!({})).unwrap();
}

#[test]
fn threads_that_commit_together_share_a_sync() {
    const THREADS: usize = 8;
    const ROUNDS: usize = 20;
    let desk = Desk::new();
    let journal = desk.open().unwrap();
    let barrier = std::sync::Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let seq = journal.append("note", &json!({"number": 0})).unwrap();
                    barrier.wait();
                    journal.commit_through(seq).unwrap();
                    barrier.wait();
                }
            });
        }
    });
    assert_eq!(journal.syncs(), ROUNDS as u64);
    journal.commit().unwrap();
    journal.commit_through(u64::MAX).unwrap();
    assert_eq!(journal.syncs(), ROUNDS as u64);
    assert_eq!(
        journal
            .append_durable("note", &json!({"number": 0}))
            .unwrap(),
        2 + (THREADS * ROUNDS) as u64
    );
    assert_eq!(journal.syncs(), ROUNDS as u64 + 1);
}

#[test]
fn a_record_that_is_too_long_is_refused_and_the_journal_goes_on() {
    let desk = Desk::new();
    let journal = desk.open().unwrap();
    let error = journal.append("note", &"x".repeat(5 << 20)).unwrap_err();
    assert!(matches!(error, JournalError::Unwritable { .. }) && error.hint().contains("artifact"));
    note(&journal, 0..1);
    assert_eq!(desk.notes(), [0]);
}

#[test]
fn a_checkpoint_bounds_what_is_read() {
    let desk = Desk::rotating(Some(500));
    let journal = desk.open().unwrap();
    note(&journal, 0..7);
    let checkpoint = journal.checkpoint();
    note(&journal, 7..20);
    drop(journal);
    // Nothing before the checkpoint is read, so damage there is not noticed.
    let first = SegmentFiles::new(&desk.path()).closed(1);
    let mut bytes = fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&first, bytes).unwrap();
    assert!(matches!(desk.open(), Err(JournalError::Damaged { .. })));
    let after: Result<Vec<Record>, _> = Reader::open(&desk.path(), From::Checkpoint(checkpoint))
        .unwrap()
        .collect();
    assert_eq!(notes_of(&after.unwrap()), (7..20).collect::<Vec<_>>());
    let from = Options {
        from: Some(checkpoint),
        ..desk.options.clone()
    };
    let journal = Journal::open(&desk.path(), &desk.clock, &from).unwrap();
    note(&journal, 20..21);
    let last = journal.checkpoint();
    drop(journal);
    for stale in [
        Checkpoint {
            seq: 5000,
            ..checkpoint
        },
        Checkpoint {
            offset: checkpoint.offset + 1,
            ..checkpoint
        },
        Checkpoint {
            segment: checkpoint.segment + 1,
            ..checkpoint
        },
        Checkpoint {
            sum: checkpoint.sum ^ 1,
            ..checkpoint
        },
        Checkpoint {
            offset: 1 << 40,
            ..last
        },
    ] {
        let from = Options {
            from: Some(stale),
            ..desk.options.clone()
        };
        let error = Journal::open(&desk.path(), &desk.clock, &from).unwrap_err();
        assert!(
            matches!(error, JournalError::StaleCheckpoint { .. }),
            "{error}"
        );
    }
}

#[test]
fn a_reader_needs_a_journal() {
    let desk = Desk::new();
    let error = Reader::open(&desk.path(), From::Beginning).unwrap_err();
    assert!(matches!(error, JournalError::Missing(_)));
    assert!(matches!(
        Reader::open(Path::new("/nowhere/at/all"), From::Beginning),
        Err(JournalError::Missing(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_was_appended_is_read_back(batches in proptest::collection::vec(
        proptest::collection::vec((0u32..1000, ".{0,20}"), 0..5), 1..4)) {
        let desk = Desk::new();
        let mut expected = Vec::new();
        for batch in batches {
            let journal = desk.open().unwrap();
            for (number, text) in batch {
                let data = json!({"number": number, "text": text});
                journal.append("note", &data).unwrap();
                expected.push(data);
            }
        }
        let read: Vec<_> = desk.read().unwrap().into_iter().skip(1).map(|record| record.data).collect();
        prop_assert_eq!(read, expected);
    }
}
