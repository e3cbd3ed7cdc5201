//! Appends to a journal, compared with a plain `write` of the same bytes, with and without a sync.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use materia_engine::clock::Clock;
use materia_engine::store::journal::{Journal, Options, SharedJournal};
use serde::Serialize;

use crate::baseline;
use crate::comparison::{Candidate, compare};

type BoxError = Box<dyn std::error::Error>;

/// The result of a step with a realistic length, so that a line has about two hundred bytes.
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
const SYNCED_APPENDS: u32 = 40;

/// Runs both comparisons.
pub(crate) fn run(rounds: usize) -> Result<(), BoxError> {
    let scratch = baseline::disk()?;
    let line = journal_line(scratch.path())?;
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
        Candidate::new("bare write (baseline)", || {
            average_time(APPENDS, || Ok(bare.write_all(&line)?))
        }),
        Candidate::new("journal append", || {
            average_time(APPENDS, || Ok(journal.append("step", &STEP).map(drop)?))
        }),
        Candidate::new("shared journal append", || {
            average_time(APPENDS, || Ok(shared.append("step", &STEP).map(drop)?))
        }),
    ];
    // Serializing a record costs about as much as writing it. Users notice only the durable append
    // below: a flush costs a thousand times more.
    compare(&format!("append {} bytes", line.len()), 1.8, rounds, append)?;

    let mut bare = File::options()
        .append(true)
        .create(true)
        .open(scratch.path().join("bare-synced"))?;
    let durable = vec![
        Candidate::new("bare write + fdatasync (baseline)", || {
            average_time(SYNCED_APPENDS, || {
                bare.write_all(&line)?;
                Ok(bare.sync_data()?)
            })
        }),
        Candidate::new("journal durable append", || {
            average_time(SYNCED_APPENDS, || {
                Ok(journal.append_durable("step", &STEP).map(drop)?)
            })
        }),
        Candidate::new("shared journal durable append", || {
            average_time(SYNCED_APPENDS, || {
                Ok(shared.append_durable("step", &STEP).map(drop)?)
            })
        }),
    ];
    compare(
        &format!("append {} bytes durably", line.len()),
        1.2,
        rounds,
        durable,
    )
}

/// A line exactly as a journal writes it.
fn journal_line(scratch: &std::path::Path) -> Result<Vec<u8>, BoxError> {
    let path = scratch.join("sample.jsonl");
    let journal = Journal::open(&path, &Clock::system(), &Options::default())?;
    journal.append("step", &STEP)?;
    let text = std::fs::read_to_string(path)?;
    let line = text.lines().last().ok_or("the journal is empty")?;
    Ok(format!("{line}\n").into_bytes())
}

/// The average time of `count` operations.
fn average_time(
    count: u32,
    mut operation: impl FnMut() -> Result<(), BoxError>,
) -> Result<Duration, BoxError> {
    let start = Instant::now();
    for _ in 0..count {
        operation()?;
    }
    Ok(start.elapsed() / count)
}
