//! The loop from inside: live streams, other event sources, and what outlasts a call of `run`.

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
    let mut processes = ProcessSet::new();
    let leaf = processes.spawn(live(&["cat"]));
    for said in ["one", "two"] {
        processes.send(leaf, said.as_bytes()).unwrap();
        let Some(Event::Output {
            bytes,
            stream: Stream::Stdout,
            ..
        }) = processes.next(soon())
        else {
            panic!("no answer to {said}");
        };
        assert_eq!(bytes, said.as_bytes());
    }
    assert_eq!(processes.running().collect::<Vec<_>>(), [leaf]);
    assert!(processes.identity(leaf).unwrap().is_alive());
    processes.close_stdin(leaf);
    let Some(Event::Ended(ended)) = processes.next(soon()) else {
        panic!("no end")
    };
    assert!(ended.success());
    assert_eq!(ended.stdout.bytes, b"onetwo");
    assert_eq!(processes.send(leaf, b"three"), Err(SendError::Closed));
    assert!(processes.is_idle() && processes.next(None).is_none());
}

#[test]
fn a_reader_that_does_not_read_is_not_fed_for_ever() {
    let mut processes = ProcessSet::new();
    let leaf = processes.spawn(live(&["sleep", "100"]));
    let piece = vec![0; 9 << 20];
    processes.send(leaf, &piece).unwrap();
    assert!(
        matches!(processes.send(leaf, &piece), Err(SendError::Full(waiting)) if waiting > 8 << 20)
    );
    processes.kill(leaf);
    let Some(Event::Ended(ended)) = processes.next(soon()) else {
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
    let mut processes = ProcessSet::new();
    assert!(processes.next(clock::deadline_in(Duration::ZERO)).is_none());
    let waker = processes.waker().unwrap();
    let (theirs, ours) = rustix::pipe::pipe().unwrap();
    let watch = processes.watch(&theirs).unwrap();
    waker.clone().wake();
    waker.wake();
    assert!(matches!(processes.next(soon()), Some(Event::Woken)));
    rustix::io::write(&ours, b"x").unwrap();
    // Reported after the command that ran meanwhile, and again until it is read.
    assert!(processes.run(Command::new(["true"])).success());
    for _ in 0..2 {
        assert!(matches!(processes.next(soon()), Some(Event::Readable(id)) if id == watch));
    }
    rustix::io::read(&theirs, &mut [0u8; 8]).unwrap();
    assert!(processes.next(clock::deadline_in(Duration::ZERO)).is_none());
    processes.unwatch(watch);
    drop(ours);
    assert!(processes.next(clock::deadline_in(Duration::ZERO)).is_none());
}

#[test]
fn running_one_keeps_the_end_of_another() {
    let mut processes = ProcessSet::new();
    let first = processes.spawn(Command::new(["sh", "-c", "exit 3"]));
    let mut slower = Command::new(["cat"]);
    slower.stdin = Stdin::Bytes(vec![b'x'; 1 << 20]);
    assert!(processes.run(slower).success());
    let Some(Event::Ended(ended)) = processes.next(soon()) else {
        panic!("no end")
    };
    assert_eq!((ended.leaf, ended.code()), (first, 3));
}

#[test]
fn a_plain_nursery_takes_its_leaves_along() {
    let mut processes = ProcessSet::new();
    let leaf = processes.spawn(Command::new(["sleep", "100"]));
    let identity = processes.identity(leaf).unwrap();
    drop(processes);
    assert!(!identity.is_alive());
}
