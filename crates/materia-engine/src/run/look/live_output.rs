//! The output of a run's commands, in chunks of whole characters, for a reader that waits
//! elsewhere.
//!
//! Owns the positions in the two logs and the incomplete characters at their ends. Never waits: the
//! descriptor becomes readable when there may be more.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use materia_model::text::CharacterBuffer;
use serde::Serialize;

use crate::process::Stream;
use crate::run::{Error, RunDir};
use crate::store::stream::Growing;

/// How many bytes of earlier output are read at first.
const FIRST_BYTES: u64 = 128 << 10;

const STREAMS: [Stream; 2] = [Stream::Stdout, Stream::Stderr];

/// A piece of what a run wrote.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OutputChunk {
    /// Where it was written to.
    pub stream: Stream,
    /// Where it stands in what was written.
    pub from: u64,
    /// Where what follows it stands.
    pub to: u64,
    /// What was written.
    pub text: String,
}

/// The output of a run as it grows.
#[derive(Debug)]
pub struct RunOutput {
    place: RunDir,
    logs: Growing,
    /// Incomplete characters at the end of each stream.
    partial: [CharacterBuffer; 2],
}

impl RunOutput {
    /// Reads from a position in each log. Without a position, or with one after the end, starts a
    /// bounded number of bytes before the end.
    pub fn open(place: RunDir, from: [Option<u64>; 2]) -> Result<Self, Error> {
        let paths = [place.stdout(), place.stderr()];
        let begin = |index: usize| {
            let length = paths[index].metadata().map_or(0, |log| log.len());
            from[index]
                .filter(|from| *from <= length)
                .unwrap_or_else(|| length.saturating_sub(FIRST_BYTES))
        };
        let logs = Growing::watch(&paths, [begin(0), begin(1)])
            .map_err(Error::io("watch", place.dir()))?;
        Ok(Self {
            place,
            logs,
            partial: Default::default(),
        })
    }

    /// The run.
    pub fn run(&self) -> &str {
        self.place.id().as_str()
    }

    /// Discards pending events. A read after this call sees everything they announced.
    pub fn drain(&self) -> io::Result<()> {
        self.logs.drain()
    }

    /// The next chunk; `None` if there is no new output.
    pub fn next_chunk(&mut self) -> io::Result<Option<OutputChunk>> {
        for (index, stream) in STREAMS.into_iter().enumerate() {
            let Some(bytes) = self.logs.more(index)? else {
                continue;
            };
            let (end, partial) = (self.logs.at(index), &mut self.partial[index]);
            let from = end.saturating_sub((bytes.len() + partial.waiting()) as u64);
            let text = partial.push(&bytes);
            let to = end - partial.waiting() as u64;
            return Ok(Some(OutputChunk {
                stream,
                from,
                to,
                text,
            }));
        }
        Ok(None)
    }

    /// The length of the run's journal. If it changes, the run's status may have changed.
    pub fn journal_len(&self) -> Option<u64> {
        self.place.journal().metadata().ok().map(|file| file.len())
    }
}

impl AsFd for RunOutput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.logs.as_fd()
    }
}
