//! Many writers, one sequence.

use super::*;

fn share(desk: &Desk) -> SharedJournal {
    SharedJournal::open(&desk.path(), &desk.clock, &desk.options).unwrap()
}

fn add(journal: &SharedJournal, number: u64) -> u64 {
    journal.append("note", &json!({ "number": number })).unwrap()
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
    assert_eq!(add(&share(&desk), 40), one.append_durable("note", &json!({"number": 41})).unwrap() - 1);
}

#[test]
fn the_torn_end_of_a_dead_writer_is_cut_by_the_next() {
    let desk = Desk::new();
    let journal = share(&desk);
    add(&journal, 0);
    let mut bytes = desk.bytes();
    bytes.extend_from_slice(b"{\"seq\":3,\"at");
    // The same file grows, as it does when another process dies while writing.
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
    assert!(matches!(journal.append("note", &json!({})), Err(JournalError::Damaged { line: 3, .. })));
    desk.put(&bytes);
    assert_eq!(add(&journal, 1), 3);
}
