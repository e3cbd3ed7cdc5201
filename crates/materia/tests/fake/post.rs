//! Programs that send and take messages until they are killed: `poster JOURNAL NAME COUNT ACKED`
//! and `taker JOURNAL HANDLED`.
//!
//! A poster notes each message after it was accepted. A taker looks whether a message was handled
//! before, notes it, and says so; what it noted is what it did.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::post::{Ending, MessageLog, Posting, Wait};
use materia_engine::process::Identity;
use materia_engine::run;
use materia_model::message::{Draft, Place};

fn open(path: &str) -> MessageLog {
    crate::arm();
    MessageLog::open(Path::new(path), &Clock::system()).expect("a journal")
}

fn list(path: &str) -> File {
    File::options()
        .append(true)
        .create(true)
        .open(path)
        .expect("a list")
}

/// Sends messages, and notes each that was accepted.
pub(crate) fn poster(args: &[String]) {
    let [journal, name, count, acked] = args else {
        panic!("poster JOURNAL NAME COUNT ACKED")
    };
    let (post, mut acked) = (open(journal), list(acked));
    for number in 0..count.parse::<u64>().expect("a count") {
        let said = format!("{name}-{number}");
        let draft = Draft {
            to: "run:a".to_owned(),
            kind: "task.run".to_owned(),
            body: Some(said.clone().into()),
            ..Draft::default()
        };
        post.deliver(Posting::new(draft.check().expect("a message")))
            .expect("an accepted message");
        acked
            .write_all(format!("{said}\n").as_bytes())
            .expect("a note");
    }
}

/// Takes messages until none comes for a moment, and handles each once by its id.
pub(crate) fn taker(args: &[String]) {
    let [journal, handled] = args else {
        panic!("taker JOURNAL HANDLED")
    };
    let post = open(journal);
    let me = run::holder(Identity::of_self().expect("a process"));
    while let Ok(claimed) = post.receive(&Place::Run, &me, Wait::For(Duration::from_millis(60))) {
        let known = std::fs::read_to_string(handled).unwrap_or_default();
        let line = format!("{} {}\n", claimed.id, claimed.envelope.text());
        if !known.contains(&line) {
            list(handled).write_all(line.as_bytes()).expect("a note");
        }
        post.settle(&Place::Run, &claimed.id, &me, &Ending::Handled)
            .expect("a settled message");
    }
}
