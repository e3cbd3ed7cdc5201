//! `sender JOURNAL NAME COUNT ACKED` and `receiver JOURNAL HANDLED` exchange messages until they are
//! killed.
//!
//! A sender lists each accepted message. A receiver handles a message by adding it to its list,
//! unless it is there already, and then acknowledges it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::post::{MessageLog, MessagePosting, MessageSettlement, MessageWait};
use materia_engine::process::ProcessIdentity;
use materia_engine::run;
use materia_model::message::{MessageDraft, QueueId};

fn open(path: &str) -> MessageLog {
    crate::arm_failpoint();
    MessageLog::open(Path::new(path), &Clock::system()).expect("cannot open the journal")
}

fn open_list(path: &str) -> File {
    File::options()
        .append(true)
        .create(true)
        .open(path)
        .expect("cannot open the list")
}

/// Sends messages and lists each accepted one.
pub(crate) fn send(args: &[String]) {
    let [journal, name, count, acked] = args else {
        panic!("usage: sender JOURNAL NAME COUNT ACKED")
    };
    let (post, mut acked) = (open(journal), open_list(acked));
    for number in 0..count.parse::<u64>().expect("a count") {
        let body = format!("{name}-{number}");
        let draft = MessageDraft {
            to: "run:a".to_owned(),
            kind: "task.run".to_owned(),
            body: Some(body.clone().into()),
            ..MessageDraft::default()
        };
        post.deliver(MessagePosting::new(
            draft.check().expect("an invalid message"),
        ))
        .expect("the message was not accepted");
        acked
            .write_all(format!("{body}\n").as_bytes())
            .expect("cannot write the list");
    }
}

/// Receives messages until none arrives for 60 ms, and handles each id once.
pub(crate) fn receive(args: &[String]) {
    let [journal, handled] = args else {
        panic!("usage: receiver JOURNAL HANDLED")
    };
    let post = open(journal);
    let me = run::holder(ProcessIdentity::of_self().expect("no identity of this process"));
    while let Ok(claimed) = post.receive(
        &QueueId::Run,
        &me,
        MessageWait::For(Duration::from_millis(60)),
    ) {
        let lines = std::fs::read_to_string(handled).unwrap_or_default();
        let line = format!("{} {}\n", claimed.id, claimed.envelope.text());
        if !lines.contains(&line) {
            open_list(handled)
                .write_all(line.as_bytes())
                .expect("cannot write the list");
        }
        post.settle(&QueueId::Run, &claimed.id, &me, &MessageSettlement::Handled)
            .expect("the message was not acknowledged");
    }
}
