//! `writer DIR` writes a journal, a document and artifacts, and lists each durable write.
//!
//! A failed write is repeated as its error says. A line in `DIR/durable` means that the engine
//! reported the write as durable.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use materia_engine::clock::Clock;
use materia_engine::store::artifact::ArtifactRoot;
use materia_engine::store::journal::{Journal, JournalError, Options, SharedJournal};
use materia_engine::store::{atomic, dir};
use serde_json::json;

/// The number of writes of each kind.
const ROUNDS: u64 = 4;
const MAX_ATTEMPTS: usize = 3;

/// Writes everything, with the failpoint in `MATERIA_FAILPOINT` armed.
pub(crate) fn run(args: &[String]) {
    crate::arm_failpoint();
    let dir = Path::new(args.first().expect("a directory"));
    let mut list = File::options()
        .append(true)
        .create(true)
        .open(dir.join("durable"))
        .expect("cannot open the list of durable writes");
    let mut list_write = |what: &str, number: u64| {
        writeln!(list, "{what} {number}").expect("cannot write the list of durable writes");
    };
    let artifact_dir = dir.join("kept/deep");
    retry(|_| dir::create_private(&artifact_dir));
    let artifacts = retry(|_| ArtifactRoot::open(&artifact_dir));
    let mut journal = retry(|_| open(dir));
    let shared = || SharedJournal::open(&dir.join("shared.jsonl"), &Clock::system(), &options());
    for number in 0..ROUNDS {
        note(&mut journal, dir, number);
        list_write("note", number);
        retry(|_| atomic::write_json(&dir.join("state.json"), 1, &json!({ "count": number })));
        list_write("state", number);
        // A failed attempt may leave a file, and an artifact is never overwritten. So every attempt
        // has its own name.
        retry(|attempt| {
            artifacts.write(format!("sockets/s/{number}.a{attempt}.txt"), b"all of it")
        });
        list_write("artifact", number);
        // Every attempt opens the journal again, like a process that only sends one message.
        retry(|_| shared()?.append_durable("note", &json!({ "number": number })));
        list_write("shared", number);
    }
}

fn options() -> Options {
    Options {
        rotate_at: Some(400),
        ..Options::default()
    }
}

fn open(dir: &Path) -> Result<Journal, JournalError> {
    Journal::open(&dir.join("events.jsonl"), &Clock::system(), &options())
}

/// Appends durably. A broken journal is opened again, as its error says.
fn note(journal: &mut Journal, dir: &Path, number: u64) {
    for _ in 0..MAX_ATTEMPTS {
        match journal.append_durable("note", &json!({ "number": number })) {
            Ok(_) => return,
            Err(JournalError::Broken { .. }) => {
                let refused = journal
                    .append("note", &json!({}))
                    .expect_err("a broken journal must refuse writes");
                assert!(
                    refused.hint().contains("open the journal again"),
                    "{}",
                    refused.hint()
                );
                let path = dir.join("unused.jsonl");
                *journal = Journal::open(&path, &Clock::system(), &Options::default())
                    .expect("cannot open another journal");
                *journal = open(dir).expect("cannot open the journal again");
            }
            Err(_) => {}
        }
    }
    panic!("note {number} was never durable");
}

/// Repeats an operation that may fail.
fn retry<T, E: std::error::Error>(mut attempt: impl FnMut(usize) -> Result<T, E>) -> T {
    let mut last = None;
    for number in 1..=MAX_ATTEMPTS {
        match attempt(number) {
            Ok(done) => return done,
            Err(error) => last = Some(error.to_string()),
        }
    }
    panic!("failed {MAX_ATTEMPTS} times: {}", last.unwrap_or_default())
}
