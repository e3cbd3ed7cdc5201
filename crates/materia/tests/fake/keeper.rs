//! A program that keeps things: `keeper DIR` writes a journal, a document and artifacts, and notes
//! what it promised.
//!
//! Whatever fails is tried again as the errors say. A line in `DIR/promised` means that the engine
//! said it is durable.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use materia_engine::clock::Clock;
use materia_engine::store::artifact::Root;
use materia_engine::store::journal::{Journal, JournalError, Options, SharedJournal};
use materia_engine::store::{atomic, dir};
use serde_json::json;

/// How many of each are kept.
const ROUNDS: u64 = 4;
const TRIES: usize = 3;

/// Keeps everything, failing where `MATERIA_FAILPOINT` says.
pub(crate) fn run(args: &[String]) {
    crate::arm();
    let place = Path::new(args.first().expect("a directory"));
    let mut promised = File::options()
        .append(true)
        .create(true)
        .open(place.join("promised"))
        .expect("a list of promises");
    let mut promise = |what: &str, number: u64| {
        writeln!(promised, "{what} {number}").expect("a promise that can be written down");
    };
    let kept = place.join("kept/deep");
    again(|_| dir::create_private(&kept));
    let artifacts = again(|_| Root::open(&kept));
    let mut journal = again(|_| open(place));
    let shared = || SharedJournal::open(&place.join("shared.jsonl"), &Clock::system(), &options());
    for number in 0..ROUNDS {
        note(&mut journal, place, number);
        promise("note", number);
        again(|_| atomic::write_json(&place.join("state.json"), 1, &json!({ "count": number })));
        promise("state", number);
        // What failed halfway may be there: an artifact is never overwritten, so every try has its
        // own name.
        again(|attempt| {
            artifacts.write(format!("sockets/s/{number}.a{attempt}.txt"), b"all of it")
        });
        promise("artifact", number);
        // Every try opens anew, as processes do that pass by and leave a message.
        again(|_| shared()?.append_durable("note", &json!({ "number": number })));
        promise("shared", number);
    }
}

fn options() -> Options {
    Options {
        rotate_at: Some(400),
        ..Options::default()
    }
}

fn open(place: &Path) -> Result<Journal, JournalError> {
    Journal::open(&place.join("events.jsonl"), &Clock::system(), &options())
}

/// Appends durably; a broken journal is opened again, as its error says.
fn note(journal: &mut Journal, place: &Path, number: u64) {
    for _ in 0..TRIES {
        match journal.append_durable("note", &json!({ "number": number })) {
            Ok(_) => return,
            Err(JournalError::Broken { .. }) => {
                let refused = journal
                    .append("note", &json!({}))
                    .expect_err("a broken journal takes nothing");
                assert!(
                    refused.hint().contains("open the journal again"),
                    "{}",
                    refused.hint()
                );
                let path = place.join("unused.jsonl");
                *journal = Journal::open(&path, &Clock::system(), &Options::default())
                    .expect("another journal");
                *journal = open(place).expect("the journal opens again");
            }
            Err(_) => {}
        }
    }
    panic!("note {number} could not be kept");
}

/// Does something that may fail once.
fn again<T, E: std::error::Error>(mut attempt: impl FnMut(usize) -> Result<T, E>) -> T {
    let mut last = None;
    for number in 1..=TRIES {
        match attempt(number) {
            Ok(done) => return done,
            Err(error) => last = Some(error.to_string()),
        }
    }
    panic!("it failed {TRIES} times: {}", last.unwrap_or_default())
}
