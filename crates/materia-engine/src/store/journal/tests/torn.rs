//! A journal truncated at any byte opens.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_journal_cut_at_any_byte_opens_and_keeps_every_whole_record() {
    let desk = Desk::new().written(3);
    let bytes = desk.bytes();
    for length in 0..=bytes.len() {
        desk.put(&bytes[..length]);
        let whole = bytes[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count() as u64;
        let torn = bytes[..length].last().is_some_and(|byte| *byte != b'\n');
        let before = Reader::open(&desk.path(), From::Beginning).unwrap();
        assert_eq!(before.map(Result::unwrap).count() as u64, whole);
        let journal = desk.open().unwrap();
        assert_eq!(journal.recovery().is_some(), torn, "cut at {length}");
        note(&journal, 90..91);
        drop(journal);
        let mut expected = numbers(whole.saturating_sub(1));
        expected.push(90);
        assert_eq!(desk.notes(), expected, "cut at {length}");
        assert_eq!(desk.read().unwrap()[0].kind, HEADER);
    }
}

#[test]
fn what_was_cut_is_recorded() {
    let desk = Desk::new().written(2);
    let bytes = desk.bytes();
    let whole = bytes[..bytes.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    let torn = [&bytes[..whole], &bytes[whole..whole + 30]].concat();
    desk.put(&torn);
    let journal = desk.open().unwrap();
    let text = String::from_utf8(bytes[whole..whole + 30].to_vec()).unwrap();
    let expected = Recovery {
        cut: 30,
        at: whole as u64,
        tail: text,
    };
    assert_eq!(journal.recovery(), Some(&expected));
    let records = desk.read().unwrap();
    let last = records.last().unwrap();
    assert_eq!((last.kind.as_str(), last.seq), (RECOVERED, 3));
    assert_eq!(last.data, serde_json::to_value(&expected).unwrap());
}

#[test]
fn blocks_that_were_never_written_are_a_torn_end() {
    let desk = Desk::new().written(3);
    let bytes = desk.bytes();
    let last = bytes[..bytes.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    for from in last..bytes.len() - 1 {
        let mut torn = bytes.clone();
        torn[from..bytes.len() - 1].fill(0);
        desk.put(&torn);
        let journal = desk.open().unwrap();
        assert_eq!(journal.recovery().unwrap().cut, (bytes.len() - last) as u64);
        drop(journal);
        assert_eq!(desk.notes(), [0, 1]);
        desk.open().unwrap();
    }
    desk.put(&[&bytes[..], &[0; 5000]].concat());
    assert_eq!(desk.open().unwrap().recovery().unwrap().cut, 5000);
    assert_eq!(desk.notes(), [0, 1, 2]);
    desk.put(&[0; 300]);
    assert_eq!(desk.open().unwrap().recovery().unwrap().cut, 300);
    assert_eq!(desk.read().unwrap().len(), 2);
}

#[test]
fn a_long_torn_end_leaves_a_short_printable_excerpt() {
    let desk = Desk::new().written(1);
    let mut bytes = desk.bytes();
    bytes.extend(b"\x1b[31m");
    bytes.extend(std::iter::repeat_n(b'x', 100_000));
    desk.put(&bytes);
    let journal = desk.open().unwrap();
    let recovery = journal.recovery().unwrap();
    assert!(
        recovery.tail.len() < 200 && recovery.tail.starts_with("\\u{1b}[31mx"),
        "{}",
        recovery.tail
    );
}

#[test]
fn whoever_reads_while_a_torn_end_is_written_over_sees_no_damage() {
    let desk = Desk::new().written(1);
    let whole = desk.bytes();
    note(&desk.open().unwrap(), 1..2);
    let line = desk.bytes().split_off(whole.len());
    let file = fs::OpenOptions::new()
        .append(true)
        .open(desk.path())
        .unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..4000 {
                file.set_len(whole.len() as u64).unwrap();
                // An incomplete line of a killed writer, and what the next writer appends.
                (&file).write_all(&vec![b'{'; round % line.len()]).unwrap();
                file.set_len(whole.len() as u64).unwrap();
                (&file).write_all(&line).unwrap();
            }
            over.store(true, Ordering::Relaxed);
        });
        while !over.load(Ordering::Relaxed) {
            desk.read().unwrap();
        }
    });
    assert_eq!(desk.read().unwrap().len(), 3);
}
