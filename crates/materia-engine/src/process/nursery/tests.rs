//! The loop from inside: live streams, other sources of events, and what survives a call of `run`.

use super::super::{Capture, Cause, Status, Stdin, Stream, StreamSink};
use super::*;

fn live(argv: &[&str]) -> Command {
    let mut command = Command::new(argv);
    command.stdin = Stdin::Held;
    command.stdout = StreamSink::Capture(Capture {
        live: true,
        ..Capture::default()
    });
    command
}

fn soon() -> Option<Instant> {
    clock::deadline_in(Duration::from_secs(30))
}

#[test]
fn a_conversation_is_heard_while_it_goes_on() {
    let mut nursery = ProcessSet::new();
    let leaf = nursery.spawn(live(&["cat"]));
    for said in ["one", "two"] {
        nursery.send(leaf, said.as_bytes()).unwrap();
        let Some(Event::Output {
            bytes,
            stream: Stream::Stdout,
            ..
        }) = nursery.next(soon())
        else {
            panic!("no answer to {said}");
        };
        assert_eq!(bytes, said.as_bytes());
    }
    assert_eq!(nursery.running().collect::<Vec<_>>(), [leaf]);
    assert!(nursery.identity(leaf).unwrap().is_alive());
    nursery.close_stdin(leaf);
    let Some(Event::Ended(ended)) = nursery.next(soon()) else {
        panic!("no end")
    };
    assert!(ended.success());
    assert_eq!(ended.stdout.bytes, b"onetwo");
    assert_eq!(nursery.send(leaf, b"three"), Err(SendError::Closed));
    assert!(nursery.is_idle() && nursery.next(None).is_none());
}

#[test]
fn a_reader_that_does_not_read_is_not_fed_for_ever() {
    let mut nursery = ProcessSet::new();
    let leaf = nursery.spawn(live(&["sleep", "100"]));
    let piece = vec![0; 9 << 20];
    nursery.send(leaf, &piece).unwrap();
    assert!(
        matches!(nursery.send(leaf, &piece), Err(SendError::Full(waiting)) if waiting > 8 << 20)
    );
    nursery.kill(leaf);
    let Some(Event::Ended(ended)) = nursery.next(soon()) else {
        panic!("no end")
    };
    assert_eq!(
        ended.cause,
        Cause::Cancelled(Status::Signalled {
            signal: 9,
            core: false
        })
    );
    assert!(ended.stdin_refused);
}

#[test]
fn other_sources_wake_the_loop() {
    let mut nursery = ProcessSet::new();
    assert!(nursery.next(clock::deadline_in(Duration::ZERO)).is_none());
    let waker = nursery.waker().unwrap();
    let (theirs, ours) = rustix::pipe::pipe().unwrap();
    let watch = nursery.watch(&theirs).unwrap();
    waker.clone().wake();
    waker.wake();
    assert!(matches!(nursery.next(soon()), Some(Event::Woken)));
    rustix::io::write(&ours, b"x").unwrap();
    // Told after the command that ran meanwhile, and again until it is read.
    assert!(nursery.run(Command::new(["true"])).success());
    for _ in 0..2 {
        assert!(matches!(nursery.next(soon()), Some(Event::Readable(id)) if id == watch));
    }
    rustix::io::read(&theirs, &mut [0u8; 8]).unwrap();
    assert!(nursery.next(clock::deadline_in(Duration::ZERO)).is_none());
    nursery.unwatch(watch);
    drop(ours);
    assert!(nursery.next(clock::deadline_in(Duration::ZERO)).is_none());
}

#[test]
fn running_one_keeps_the_end_of_another() {
    let mut nursery = ProcessSet::new();
    let first = nursery.spawn(Command::new(["sh", "-c", "exit 3"]));
    let mut slower = Command::new(["cat"]);
    slower.stdin = Stdin::Bytes(vec![b'x'; 1 << 20]);
    assert!(nursery.run(slower).success());
    let Some(Event::Ended(ended)) = nursery.next(soon()) else {
        panic!("no end")
    };
    assert_eq!((ended.leaf, ended.code()), (first, 3));
}

#[test]
fn a_plain_nursery_takes_its_leaves_along() {
    let mut nursery = ProcessSet::new();
    let leaf = nursery.spawn(Command::new(["sleep", "100"]));
    let identity = nursery.identity(leaf).unwrap();
    drop(nursery);
    assert!(!identity.is_alive());
}
