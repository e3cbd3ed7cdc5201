//! Anything but an incomplete end is refused with its position, and nothing is changed.

use super::*;

#[test]
fn every_flipped_byte_is_refused_with_its_place_and_nothing_is_changed() {
    let desk = Desk::new().written(3);
    let bytes = desk.bytes();
    // Skip the last newline: without it the line is incomplete, not damaged.
    for at in 0..bytes.len() - 1 {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        desk.put(&flipped);
        let newlines = bytes[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        let start = bytes[..at]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at as u64 + 1);
        match desk.open() {
            Err(JournalError::Damaged { line, offset, .. }) => {
                assert_eq!((line, offset), (newlines + 1, start), "flipped {at}");
            }
            other => panic!("flipped {at}: {other:?}"),
        }
        assert!(desk.read().is_err());
        assert_eq!(desk.bytes(), flipped);
    }
}

#[test]
fn gaps_and_repeats_are_refused() {
    let desk = Desk::new().written(4);
    let bytes = desk.bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    desk.put(&[lines[0], lines[1], lines[3]].concat());
    let error = desk.open().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("record 3 has to stand here, it is record 4"),
        "{error}"
    );
    assert!(error.hint().contains("sed -n 3p"), "{}", error.hint());
    desk.put(&[lines[0], lines[1], lines[1]].concat());
    assert!(matches!(
        desk.open(),
        Err(JournalError::Damaged { line: 3, .. })
    ));
    desk.put(&[lines[1], lines[2]].concat());
    let error = desk.open().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has to begin with a `journal` record: it is a `note` record"),
        "{error}"
    );
}

#[test]
fn the_hint_is_a_command_that_can_be_typed() {
    let desk = Desk::new();
    let folder = desk.temp.path().join("it's ".repeat(40)).join("deep");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("events.jsonl");
    fs::write(&path, "hello\n").unwrap();
    let error = Journal::open(&path, &desk.clock, &desk.options).unwrap_err();
    assert!(
        error.to_string().contains("/deep/events.jsonl` is damaged"),
        "{error}"
    );
    let hint = error.hint();
    let command = hint.split('`').nth(1).unwrap();
    let printed = std::process::Command::new("sh")
        .args(["-c", command])
        .output()
        .unwrap();
    assert_eq!(printed.stdout, b"hello\n", "{hint}");
}

#[test]
fn newer_formats_and_other_files_are_refused() {
    let desk = Desk::new();
    let mut line = Vec::new();
    let data = json!({"format": 7, "strange": true});
    materia_model::record::encode(&mut line, 1, desk.clock.now(), HEADER, &data).unwrap();
    desk.put(&line);
    let error = desk.open().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("events.jsonl` has journal format 7, this program knows formats up to 1")
    );
    for other in ["hello", "hello\n", "{\"a\": 1}\n", "{\"a\""] {
        desk.put(other.as_bytes());
        assert!(
            matches!(
                desk.open(),
                Err(JournalError::Damaged {
                    line: 1,
                    offset: 0,
                    ..
                })
            ),
            "{other}"
        );
        assert_eq!(desk.bytes(), other.as_bytes());
    }
}

#[test]
fn numbers_that_leave_none_for_the_next_are_refused() {
    for (seq, segment) in [(u64::MAX, 1), (u64::MAX - 1, 1), (1, u64::MAX)] {
        let desk = Desk::rotating(Some(1));
        let mut line = Vec::new();
        let data = json!({"format": FORMAT, "name": "test", "segment": segment});
        materia_model::record::encode(&mut line, seq, desk.clock.now(), HEADER, &data).unwrap();
        desk.put(&line);
        match desk.open() {
            Ok(journal) => note(&journal, 0..3),
            Err(error) => assert!(
                matches!(error, JournalError::Damaged { line: 1, .. }),
                "{error}"
            ),
        }
        assert_eq!(desk.open().is_ok(), seq == 1);
    }
}

#[test]
fn what_nests_too_deep_to_be_read_is_refused_and_the_rest_goes_on() {
    let desk = Desk::new().written(1);
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let journal = desk.open().unwrap();
    let error = journal.append_durable("note", &deep).unwrap_err();
    assert!(matches!(error, JournalError::Unwritable { .. }), "{error}");
    note(&journal, 1..2);
    assert_eq!(desk.notes(), [0, 1]);
}

#[test]
fn a_line_that_never_ends_is_not_read() {
    let desk = Desk::new().written(1);
    let end = desk.bytes().len() as u64;
    cut(&desk.path(), 1 << 33);
    let error = desk.open().unwrap_err();
    assert!(error.to_string().contains("longer than"), "{error}");
    assert!(matches!(error, JournalError::Damaged { line: 3, offset, .. } if offset == end));
    assert_eq!(desk.path().metadata().unwrap().len(), 1 << 33);
}

#[test]
fn a_line_with_a_right_checksum_that_is_no_record_is_placed_by_the_reader() {
    let desk = Desk::new().written(1);
    let mut bytes = desk.bytes();
    let end = bytes.len() as u64;
    let body = br#"{"seq":3,"at":"never""#;
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(format!(",\"sum\":\"{:08x}\"}}\n", crc(body)).as_bytes());
    desk.put(&bytes);
    let error = desk.read().unwrap_err();
    assert!(
        matches!(error, JournalError::Damaged { line: 3, offset, .. } if offset == end),
        "{error}"
    );
}

/// A bitwise CRC-32 as a reference.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_bytes_never_panic(
        kept in 0usize..400,
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(0)], 0..300),
    ) {
        let desk = Desk::new().written(2);
        let good = desk.bytes();
        desk.put(&[&good[..kept.min(good.len())], &bytes[..]].concat());
        let before = desk.bytes();
        let readable = desk.read().is_ok();
        match desk.open() {
            Ok(journal) => {
                prop_assert!(readable);
                note(&journal, 5..6);
                prop_assert_eq!(desk.notes().pop(), Some(5));
            }
            Err(_) => prop_assert_eq!(desk.bytes(), before),
        }
    }
}
