//! Appending to a journal, against a bare `write` of the same bytes to a file, with and without a
//! sync.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use materia_engine::clock::Clock;
use materia_engine::store::journal::{Journal, Options, SharedJournal};
use serde::Serialize;

use crate::contest::{Contender, hold};
use crate::floor;

type Failure = Box<dyn std::error::Error>;

/// A step's result, about as long as they are in practice, so that a line has some two hundred
/// bytes.
#[derive(Serialize)]
struct Step {
    socket: &'static str,
    visit: u32,
    text: &'static str,
}

const STEP: Step = Step {
    socket: "Socket-4",
    visit: 17,
    text: "the tests pass; two files were changed, and one of them has a new public function",
};

const APPENDS: u32 = 20_000;
const SYNCED: u32 = 40;

/// Holds both contests.
pub(crate) fn run(rounds: usize) -> Result<(), Failure> {
    let scratch = floor::disk()?;
    let line = spelled(scratch.path())?;
    let options = Options {
        rotate_at: None,
        ..Options::default()
    };
    let clock = Clock::system();

    let mut bare = File::options()
        .append(true)
        .create(true)
        .open(scratch.path().join("bare"))?;
    let journal = Journal::open(&scratch.path().join("ours.jsonl"), &clock, &options)?;
    let shared = SharedJournal::open(&scratch.path().join("shared.jsonl"), &clock, &options)?;
    let append = vec![
        Contender::new("bare write (floor)", || {
            each(APPENDS, || Ok(bare.write_all(&line)?))
        }),
        Contender::new("journal append", || {
            each(APPENDS, || Ok(journal.append("step", &STEP).map(drop)?))
        }),
        Contender::new("shared journal append", || {
            each(APPENDS, || Ok(shared.append("step", &STEP).map(drop)?))
        }),
    ];
    // Serializing a record costs about as much as writing it. The bound that users feel is that of
    // the durable append below: a flush costs a thousand times more.
    hold(&format!("append {} bytes", line.len()), 1.8, rounds, append)?;

    let mut bare = File::options()
        .append(true)
        .create(true)
        .open(scratch.path().join("bare-synced"))?;
    let durable = vec![
        Contender::new("bare write + fdatasync (floor)", || {
            each(SYNCED, || {
                bare.write_all(&line)?;
                Ok(bare.sync_data()?)
            })
        }),
        Contender::new("journal durable append", || {
            each(SYNCED, || {
                Ok(journal.append_durable("step", &STEP).map(drop)?)
            })
        }),
        Contender::new("shared journal durable append", || {
            each(SYNCED, || {
                Ok(shared.append_durable("step", &STEP).map(drop)?)
            })
        }),
    ];
    hold(
        &format!("append {} bytes durably", line.len()),
        1.2,
        rounds,
        durable,
    )
}

/// A line exactly as a journal writes it.
fn spelled(scratch: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let path = scratch.join("sample.jsonl");
    let journal = Journal::open(&path, &Clock::system(), &Options::default())?;
    journal.append("step", &STEP)?;
    let text = std::fs::read_to_string(path)?;
    let line = text.lines().last().ok_or("the journal is empty")?;
    Ok(format!("{line}\n").into_bytes())
}

/// How long one of `count` operations took.
fn each(
    count: u32,
    mut operation: impl FnMut() -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    let began = Instant::now();
    for _ in 0..count {
        operation()?;
    }
    Ok(began.elapsed() / count)
}
