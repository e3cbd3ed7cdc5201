//! Many writers produce one sequence of records.

use super::*;

fn share(desk: &Desk) -> SharedJournal {
    SharedJournal::open(&desk.path(), &desk.clock, &desk.options).unwrap()
}

fn add(journal: &SharedJournal, number: u64) -> u64 {
    journal
        .append("note", &json!({ "number": number }))
        .unwrap()
}

#[test]
fn writers_take_turns_without_gap_or_loss() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 200;
    for limit in [None, Some(4000)] {
        let desk = Desk::rotating(limit);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let desk = &desk;
                scope.spawn(move || {
                    let journal = share(desk);
                    for count in 0..EACH {
                        add(&journal, writer * EACH + count);
                    }
                    journal.commit().unwrap();
                });
            }
        });
        let mut notes = desk.notes();
        for writer in 0..WRITERS {
            let mine = notes.iter().filter(|number| **number / EACH == writer);
            assert!(mine.is_sorted(), "a writer's records changed their order");
        }
        notes.sort_unstable();
        assert_eq!(notes, numbers(WRITERS * EACH));
    }
}

#[test]
fn a_writer_catches_up_with_the_others() {
    let desk = Desk::rotating(Some(700));
    let (one, two) = (share(&desk), share(&desk));
    let mut last = 1;
    for number in 0..40 {
        let writer = if number % 7 < 3 { &one } else { &two };
        let seq = add(writer, number);
        assert!(seq > last);
        last = seq;
    }
    assert_eq!(desk.notes(), numbers(40));
    assert_eq!(
        add(&share(&desk), 40),
        one.append_durable("note", &json!({"number": 41})).unwrap() - 1
    );
}

#[test]
fn the_torn_end_of_a_dead_writer_is_cut_by_the_next() {
    let desk = Desk::new();
    let journal = share(&desk);
    add(&journal, 0);
    let mut bytes = desk.bytes();
    bytes.extend_from_slice(b"{\"seq\":3,\"at");
    // The same file grows, as if another process died while writing.
    desk.put(&bytes);
    assert_eq!(add(&journal, 1), 4);
    assert_eq!(desk.read().unwrap()[2].kind, RECOVERED);
    assert_eq!(desk.notes(), [0, 1]);
}

#[test]
fn a_journal_that_shrinks_or_breaks_under_a_writer_is_refused() {
    let desk = Desk::new();
    let journal = share(&desk);
    add(&journal, 0);
    let bytes = desk.bytes();
    cut(&desk.path(), bytes.len() as u64 - 5);
    let error = journal.append("note", &json!({})).unwrap_err();
    assert!(error.to_string().contains("cut from outside"), "{error}");
    desk.put(&[&bytes[..], b"garbage\n"].concat());
    assert!(matches!(
        journal.append("note", &json!({})),
        Err(JournalError::Damaged { line: 3, .. })
    ));
    desk.put(&bytes);
    assert_eq!(add(&journal, 1), 3);
}

#[test]
fn a_record_that_another_sync_has_reached_needs_none_of_its_own() {
    let desk = Desk::new();
    let (one, two) = (share(&desk), share(&desk));
    let mut held = one.hold().unwrap();
    held.append("note", &json!({"number": 0})).unwrap();
    let mark = held.mark();
    drop(held);
    two.append_durable("note", &json!({"number": 1})).unwrap();
    one.commit_to(&mark).unwrap();
    assert_eq!((one.syncs(), two.syncs()), (0, 1));
    add(&one, 2);
    one.commit().unwrap();
    assert_eq!(one.syncs(), 1, "what nobody has synced is synced");
    // A handle opened later finds everything durable, including the name of the file.
    let three = share(&desk);
    three.commit().unwrap();
    assert_eq!(three.syncs(), 0);
}

#[test]
fn what_was_cut_takes_its_durability_with_it() {
    let desk = Desk::new();
    let (one, two) = (share(&desk), share(&desk));
    one.append_durable("note", &json!({"number": 0})).unwrap();
    let mut bytes = desk.bytes();
    bytes.extend_from_slice(format!("{{\"seq\":3,\"at\":\"{}", "x".repeat(4000)).as_bytes());
    desk.put(&bytes);
    // A sync that covers the incomplete bytes as well.
    fs::write(desk.path().with_file_name("events.jsonl.lock"), "").unwrap();
    two.commit().unwrap();
    add(&one, 1);
    assert!(
        desk.bytes().len() < bytes.len(),
        "the record after the cut ends before"
    );
    let before = one.syncs();
    one.commit().unwrap();
    assert_eq!(
        one.syncs(),
        before + 1,
        "nobody synced what was written after the cut"
    );
}

#[test]
fn a_sync_that_failed_or_another_boot_is_not_believed() {
    let desk = Desk::new();
    let journal = share(&desk);
    add(&journal, 0);
    journal.commit().unwrap();
    let said = desk.path().with_file_name("events.jsonl.lock");
    let line = fs::read_to_string(&said).unwrap();
    for disbelieved in [
        line.replace("trusted", "alone  "),
        line.replacen(&line[..8], "00000000", 1),
        String::new(),
    ] {
        fs::write(&said, disbelieved).unwrap();
        let syncs = journal.syncs();
        journal.commit().unwrap();
        assert_eq!(journal.syncs(), syncs + 1);
    }
}

#[test]
fn whoever_holds_the_turn_writes_alone() {
    let desk = Desk::new();
    let (one, two) = (share(&desk), share(&desk));
    std::thread::scope(|scope| {
        let mut held = one.hold().unwrap();
        let other = scope.spawn(|| add(&two, 1));
        held.append("note", &json!({"number": 0})).unwrap();
        assert_eq!(desk.notes(), [0]);
        drop(held);
        assert_eq!(other.join().unwrap(), 3);
    });
}

#[test]
fn a_record_is_given_as_it_will_be_read_and_others_are_noticed() {
    let desk = Desk::rotating(Some(700));
    let (one, two) = (share(&desk), share(&desk));
    for number in 0..20 {
        let given = one
            .hold()
            .unwrap()
            .record("note", &json!({ "number": number }))
            .unwrap();
        let read = Reader::open(&desk.path(), From::Beginning)
            .unwrap()
            .last()
            .unwrap()
            .unwrap();
        assert_eq!(given, read);
        assert!(!one.has_more());
        add(&two, number);
        assert!(one.has_more());
    }
}
