//! Followers see every record once, and are woken by the kernel.

use std::time::Duration;

use super::*;

const PATIENCE: Option<Duration> = Some(Duration::from_secs(60));
const NOT_AT_ALL: Option<Duration> = Some(Duration::ZERO);

#[test]
fn a_follower_sees_every_record_once_across_segments() {
    let desk = Desk::rotating(Some(1500));
    let mut follower = Follower::open(&desk.path(), From::Beginning).unwrap();
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| note(&desk.open().unwrap(), 0..500));
        while notes_of(&seen).len() < 500 {
            seen.extend(follower.next(PATIENCE).unwrap());
        }
    });
    assert_eq!(seen, desk.read().unwrap());
    assert!(
        SegmentFiles::new(&desk.path())
            .closed_segments()
            .unwrap()
            .len()
            > 10
    );
    assert_eq!(follower.next(NOT_AT_ALL).unwrap(), []);
}

#[test]
fn a_half_written_line_is_delivered_when_it_is_whole() {
    let desk = Desk::new().written(2);
    let bytes = desk.bytes();
    desk.put(&bytes[..bytes.len() - 10]);
    let mut follower = Follower::open(&desk.path(), From::After(1)).unwrap();
    assert_eq!(notes_of(&follower.next(NOT_AT_ALL).unwrap()), [0]);
    assert_eq!(follower.next(NOT_AT_ALL).unwrap(), []);
    desk.put(&bytes);
    assert_eq!(notes_of(&follower.next(PATIENCE).unwrap()), [1]);
}

#[test]
fn the_descriptor_wakes_a_poll_loop() {
    let desk = Desk::new();
    let ready = |follower: &Follower| {
        let mut fds = [rustix::event::PollFd::new(
            follower,
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut fds, Some(&rustix::event::Timespec::default())).unwrap() > 0
    };
    let mut follower = Follower::open(&desk.path(), From::Beginning).unwrap();
    assert!(follower.try_next().unwrap().is_empty() && !ready(&follower));
    let journal = desk.open().unwrap();
    assert!(ready(&follower));
    assert_eq!(follower.try_next().unwrap().len(), 1);
    assert!(follower.try_next().unwrap().is_empty() && !ready(&follower));
    note(&journal, 0..1);
    assert!(ready(&follower));
    assert_eq!(notes_of(&follower.try_next().unwrap()), [0]);
    assert!(follower.try_next().unwrap().is_empty());
    fs::write(desk.temp.path().join("events.jsonl.lock"), "noise").unwrap();
    assert!(!ready(&follower), "another file woke the follower");
}

#[test]
fn damage_is_told_after_what_comes_before_it() {
    let desk = Desk::new().written(2);
    let mut bytes = desk.bytes();
    bytes.extend_from_slice(b"garbage\n");
    desk.put(&bytes);
    let mut follower = Follower::open(&desk.path(), From::Beginning).unwrap();
    assert_eq!(follower.next(NOT_AT_ALL).unwrap().len(), 3);
    for _ in 0..2 {
        assert!(matches!(
            follower.next(NOT_AT_ALL),
            Err(JournalError::Damaged { line: 4, .. })
        ));
    }
}

#[test]
fn a_journal_that_was_removed_and_begun_anew_is_another_one_and_not_damaged() {
    let desk = Desk::new().written(3);
    let shared = SharedJournal::open(&desk.path(), &Clock::system(), &Options::default()).unwrap();
    let mut reader = Reader::open(&desk.path(), From::Beginning).unwrap();
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 4);
    fs::remove_file(desk.path()).unwrap();
    drop(desk.open().unwrap());
    assert!(matches!(
        reader.next(),
        Some(Err(JournalError::Replaced(_)))
    ));
    assert!(matches!(
        shared.append("note", &1),
        Err(JournalError::Replaced(_))
    ));
    assert_eq!(desk.read().unwrap().len(), 1, "nothing was written into it");
}
