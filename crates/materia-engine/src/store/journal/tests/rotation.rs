//! Closing segments loses and repeats nothing, wherever it is interrupted.

use super::*;

#[test]
fn a_full_segment_is_closed_under_the_number_of_its_first_record() {
    let desk = Desk::rotating(Some(300));
    let journal = desk.open().unwrap();
    note(&journal, 0..6);
    let files = SegmentFiles::new(&desk.path());
    let closed = files.closed_segments().unwrap();
    assert_eq!(closed, [1, 4]);
    assert!(
        files
            .closed(4)
            .ends_with("events.00000000000000000004.jsonl")
    );
    assert_eq!(desk.notes(), numbers(6));
    let headers: Vec<_> = desk
        .read()
        .unwrap()
        .into_iter()
        .filter(|record| record.kind == HEADER)
        .collect();
    let segments: Vec<_> = headers
        .iter()
        .map(|header| header.data["segment"].as_u64().unwrap())
        .collect();
    assert_eq!(segments, [1, 2, 3]);
    drop(journal);
    let journal = desk.open().unwrap();
    note(&journal, 6..9);
    assert_eq!(desk.notes(), numbers(9));
}

#[test]
fn a_journal_left_between_two_segments_goes_on() {
    let desk = Desk::new().written(3);
    let files = SegmentFiles::new(&desk.path());
    fs::rename(desk.path(), files.closed(1)).unwrap();
    assert_eq!(desk.notes(), numbers(3));
    for half_a_header in ["", "{\"seq\":5,\"at"] {
        if !half_a_header.is_empty() {
            desk.put(half_a_header.as_bytes());
        }
        let journal = desk.open().unwrap();
        assert_eq!(journal.recovery().is_some(), !half_a_header.is_empty());
        note(&journal, 3..4);
        drop(journal);
        let records = desk.read().unwrap();
        assert_eq!(
            records[4].data,
            json!({"format": 1, "name": "test", "segment": 2})
        );
        assert_eq!(desk.notes(), numbers(4));
        fs::remove_file(desk.path()).unwrap();
    }
}

#[test]
fn a_missing_or_unfinished_segment_is_refused_and_a_missing_beginning_is_history() {
    let desk = Desk::rotating(Some(300)).written(8);
    let files = SegmentFiles::new(&desk.path());
    let first = files.closed(1);
    fs::rename(&first, desk.temp.path().join("kept")).unwrap();
    let records = desk.read().unwrap();
    assert_eq!((records[0].seq, records[0].kind.as_str()), (4, HEADER));
    desk.open().unwrap();
    fs::rename(desk.temp.path().join("kept"), &first).unwrap();
    fs::rename(files.closed(4), desk.temp.path().join("kept")).unwrap();
    let error = desk.open().unwrap_err();
    assert!(error.to_string().contains("record 4 has to"), "{error}");
    fs::rename(desk.temp.path().join("kept"), files.closed(4)).unwrap();
    cut(&first, first.metadata().unwrap().len() - 3);
    let error = desk.open().unwrap_err();
    assert!(
        error.to_string().contains("closed segment is not finished"),
        "{error}"
    );
}

#[test]
fn reading_can_begin_after_any_record() {
    let desk = Desk::rotating(Some(300)).written(9);
    let all = desk.read().unwrap();
    for after in 0..=all.len() {
        let rest: Result<Vec<_>, _> = Reader::open(&desk.path(), From::After(after as u64))
            .unwrap()
            .collect();
        assert_eq!(rest.unwrap(), all[after..], "after {after}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_limit_loses_or_repeats_a_record(
        limits in proptest::collection::vec((0u64..2000, 0u64..12), 1..5),
        cuts in 0u64..60,
    ) {
        let mut desk = Desk::new();
        let mut written = 0;
        for (limit, count) in limits {
            desk.options.rotate_at = Some(limit);
            let journal = desk.open().unwrap();
            note(&journal, written..written + count);
            written += count;
        }
        prop_assert_eq!(desk.notes(), numbers(written));
        let length = desk.path().metadata().unwrap().len();
        cut(&desk.path(), length.saturating_sub(cuts));
        drop(desk.open().unwrap());
        let kept = desk.notes();
        prop_assert_eq!(&kept, &numbers(kept.len() as u64));
        prop_assert!(kept.len() as u64 + 1 >= written);
    }
}

#[test]
fn whoever_closed_a_segment_keeps_nobody_from_syncing_the_next() {
    let desk = Desk::rotating(Some(1000));
    let one = SharedJournal::open(&desk.path(), &desk.clock, &desk.options).unwrap();
    while one.last_seq() < 100 {
        one.append_durable("note", &json!({ "number": 1 })).unwrap();
    }
    assert!(
        fs::read_dir(desk.temp.path()).unwrap().count() > 3,
        "no segment was closed"
    );
    let current = fs::OpenOptions::new()
        .append(true)
        .open(desk.path())
        .unwrap();
    current.try_lock().unwrap();
    current.unlock().unwrap();
    let two = SharedJournal::open(&desk.path(), &desk.clock, &desk.options).unwrap();
    two.append_durable("note", &json!({ "number": 2 })).unwrap();
}
