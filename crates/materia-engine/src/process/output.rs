//! The output of a child process: bounded in memory, complete in a file, only counted beyond that.
//!
//! Owns our end of a stdout or stderr pipe and the spill file of one capture. Bytes, never text
//! (T22). Never waits: the process set calls when there is something to read.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::pipe::SpliceFlags;

use super::command::{Capture, Spill};
use crate::failpoint;

/// What was kept of a stream.
#[derive(Debug, Default)]
pub struct Captured {
    /// All of it, or its last bytes if it exceeded its memory bound.
    pub bytes: Vec<u8>,
    /// How many bytes were written overall.
    pub total: u64,
    /// Whether some bytes were not kept anywhere.
    pub truncated: bool,
    /// The file with the complete stream, up to its limit, if it exceeded its memory bound.
    pub file: Option<PathBuf>,
    /// The same as an open file, if it is unnamed.
    pub spool: Option<File>,
    /// Why the file is incomplete, if writing it failed.
    pub spill_error: Option<String>,
}

impl Captured {
    /// Whether `bytes` is the whole stream.
    pub fn is_whole(&self) -> bool {
        self.total == self.bytes.len() as u64
    }
}

/// Our end of a stream, and what was read from it so far.
#[derive(Debug)]
pub(super) struct Tap {
    pipe: Option<OwnedFd>,
    capture: Capture,
    tail: Vec<u8>,
    total: u64,
    spilled: Spilled,
}

#[derive(Debug)]
enum Spilled {
    Unneeded,
    Open { file: File, written: u64 },
    Failed(String),
}

/// How many bytes one splice moves, and the pipe size that is requested for it.
const MOVED: usize = 1 << 20;

/// The result of one read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// This many bytes, in the caller's buffer.
    Some(usize),
    /// No data now.
    Nothing,
    /// End of the stream.
    End,
}

impl Tap {
    /// Takes our end of the pipe, which must be non-blocking.
    pub(super) fn new(pipe: OwnedFd, capture: Capture) -> Self {
        Self {
            pipe: Some(pipe),
            capture,
            tail: Vec::new(),
            total: 0,
            spilled: Spilled::Unneeded,
        }
    }

    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(OwnedFd::as_fd)
    }

    pub(super) fn is_live(&self) -> bool {
        self.capture.live
    }

    /// Closes our end.
    pub(super) fn close(&mut self) {
        self.pipe = None;
    }

    /// Closes our end of a pipe that has no writer any more, if a read of `count` bytes into `room`
    /// was the last one.
    pub(super) fn close_if_dry(&mut self, count: usize, room: usize) {
        // A short read has emptied the pipe. A short splice may instead mean that the file reached
        // its limit.
        if count < room && (!self.is_moving() || self.waiting() == 0) {
            self.close();
        }
    }

    /// Reads once into `buffer` and keeps the bytes.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Reading {
        let moved = if self.is_moving() {
            self.move_on()
        } else {
            None
        };
        let Some(pipe) = &self.pipe else {
            return Reading::End;
        };
        match moved
            .unwrap_or_else(|| rustix::io::read(pipe, &mut *buffer).map(|count| (count, true)))
        {
            Ok((0, _)) => {
                self.pipe = None;
                Reading::End
            }
            Ok((count, read)) => {
                if read {
                    self.keep(&buffer[..count]);
                }
                Reading::Some(count)
            }
            Err(Errno::AGAIN | Errno::INTR) => Reading::Nothing,
            Err(_) => {
                self.pipe = None;
                Reading::End
            }
        }
    }

    /// Whether the stream goes straight to an unnamed file.
    fn is_moving(&self) -> bool {
        matches!(
            (&self.spilled, &self.capture.spill),
            (Spilled::Open { .. }, Spill::Unnamed(_))
        ) && !self.capture.live
    }

    /// Splices the content of the pipe into the file; `None` if that is not possible.
    fn move_on(&mut self) -> Option<Result<(usize, bool), Errno>> {
        let (Some(pipe), Spilled::Open { file, written }) = (&self.pipe, &mut self.spilled) else {
            return None;
        };
        let room = usize::try_from(self.capture.limit.saturating_sub(*written))
            .unwrap_or(usize::MAX)
            .min(MOVED);
        if room == 0 || failpoint::hit("process.spill.move").is_err() {
            return None;
        }
        match rustix::pipe::splice(
            pipe,
            None,
            &*file,
            None,
            room,
            SpliceFlags::NONBLOCK | SpliceFlags::MOVE,
        ) {
            Ok(count) => {
                *written += count as u64;
                self.total += count as u64;
                Some(Ok((count, false)))
            }
            Err(error @ (Errno::AGAIN | Errno::INTR)) => Some(Err(error)),
            // The filesystem does not support splice or is full. The fallback read and write report
            // the error.
            Err(_) => None,
        }
    }

    /// How many bytes are in the pipe now. Once the leader has exited, they include all of its
    /// output. Output that a grandchild adds later is not waited for.
    pub(super) fn waiting(&self) -> usize {
        let waiting = self
            .pipe
            .as_ref()
            .and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok());
        usize::try_from(waiting.unwrap_or(0)).unwrap_or(usize::MAX)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let earlier = self.total;
        self.total += bytes.len() as u64;
        if self.total > self.memory() as u64 {
            self.spill(earlier, bytes);
        }
        if matches!(
            (&self.spilled, &self.capture.spill),
            (Spilled::Open { .. }, Spill::Unnamed(_))
        ) {
            self.tail = Vec::new();
            return;
        }
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > 2 * self.memory() {
            self.trim();
        }
    }

    fn memory(&self) -> usize {
        self.capture
            .memory
            .min(usize::try_from(self.capture.limit).unwrap_or(usize::MAX))
    }

    fn trim(&mut self) {
        let surplus = self.tail.len().saturating_sub(self.memory());
        self.tail.drain(..surplus);
    }

    /// Writes `bytes`, which follow the first `earlier` ones, to the file. Opens the file and
    /// writes those first if needed.
    fn spill(&mut self, earlier: u64, bytes: &[u8]) {
        let result = match (&mut self.spilled, &self.capture.spill) {
            (Spilled::Failed(_), _) | (_, Spill::Nowhere) => return,
            (Spilled::Open { file, written }, _) => pour(file, written, self.capture.limit, bytes),
            (spilled @ Spilled::Unneeded, spill) => open(spill).and_then(|mut file| {
                // Nothing was trimmed yet: the tail is the whole stream so far.
                debug_assert_eq!(earlier, self.tail.len() as u64);
                let mut written = 0;
                pour(&mut file, &mut written, self.capture.limit, &self.tail)?;
                pour(&mut file, &mut written, self.capture.limit, bytes)?;
                // A larger pipe needs fewer wake-ups for a stream of this length.
                let _smaller_is_slower = self
                    .pipe
                    .as_ref()
                    .map(|pipe| rustix::pipe::fcntl_setpipe_size(pipe, MOVED));
                *spilled = Spilled::Open { file, written };
                Ok(())
            }),
        };
        if let Err(error) = result {
            self.spilled = Spilled::Failed(error.to_string());
        }
    }

    /// Closes everything and returns what was kept.
    pub(super) fn finish(mut self) -> Captured {
        self.trim();
        let whole = self.total == self.tail.len() as u64;
        let mut captured = Captured {
            total: self.total,
            truncated: !whole,
            ..Captured::default()
        };
        match (self.spilled, self.capture.spill) {
            (Spilled::Open { file, written }, Spill::Unnamed(_)) => {
                captured.truncated = written < self.total;
                captured.spool = Some(file);
            }
            (Spilled::Open { written, .. }, spill) => {
                captured.truncated = written < self.total;
                captured.file = spill.into_name();
            }
            (Spilled::Failed(error), spill) => {
                captured.file = spill.into_name();
                captured.spill_error = Some(error);
            }
            (Spilled::Unneeded, _) => {}
        }
        captured.bytes = self.tail;
        captured
    }
}

impl Spill {
    fn into_name(self) -> Option<PathBuf> {
        if let Self::Named(path) = self {
            Some(path)
        } else {
            None
        }
    }
}

fn open(spill: &Spill) -> io::Result<File> {
    failpoint::hit("process.spill.open")?;
    match spill {
        Spill::Named(path) => File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path),
        Spill::Unnamed(directory) => tempfile::tempfile_in(directory),
        Spill::Nowhere => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn pour(file: &mut File, written: &mut u64, limit: u64, bytes: &[u8]) -> io::Result<()> {
    let room = usize::try_from(limit.saturating_sub(*written)).unwrap_or(usize::MAX);
    let bytes = &bytes[..bytes.len().min(room)];
    if bytes.is_empty() {
        return Ok(());
    }
    failpoint::write_all("process.spill.write", file, bytes)?;
    *written += bytes.len() as u64;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tap(capture: Capture) -> Tap {
        Tap {
            pipe: None,
            capture,
            tail: Vec::new(),
            total: 0,
            spilled: Spilled::Unneeded,
        }
    }

    proptest! {
        #[test]
        fn whatever_the_pieces_nothing_is_miscounted(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20),
            memory in 0usize..64,
            limit in 0u64..256,
            spills in any::<bool>(),
        ) {
            let directory = tempfile::tempdir().unwrap();
            let spill = if spills { Spill::Named(directory.path().join("spill")) } else { Spill::Nowhere };
            let mut tap = tap(Capture { memory, limit, spill, live: false });
            for piece in &pieces {
                tap.keep(piece);
            }
            let all = pieces.concat();
            let kept = tap.finish();
            let memory = memory.min(limit as usize);
            prop_assert_eq!(kept.total, all.len() as u64);
            prop_assert_eq!(&kept.bytes[..], &all[all.len().saturating_sub(memory)..]);
            prop_assert_eq!(kept.is_whole(), all.len() <= memory);
            match &kept.file {
                Some(file) => {
                    prop_assert_eq!(&std::fs::read(file).unwrap()[..], &all[..all.len().min(limit as usize)]);
                    prop_assert_eq!(kept.truncated, all.len() as u64 > limit);
                }
                None => prop_assert_eq!(kept.truncated, all.len() > memory),
            }
            prop_assert_eq!(kept.file.is_some(), spills && all.len() > memory);
        }
    }

    #[test]
    fn what_is_left_in_the_pipe_of_a_dead_writer_is_counted_past_the_limit() {
        let (ours, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
        rustix::pipe::fcntl_setpipe_size(&theirs, 1 << 20).unwrap();
        assert_eq!(rustix::io::write(&theirs, &[7; 500_000]), Ok(500_000));
        drop(theirs);
        let directory = tempfile::tempdir().unwrap();
        let spill = Spill::Unnamed(directory.path().to_owned());
        let mut tap = Tap::new(
            ours,
            Capture {
                memory: 10,
                limit: 70_000,
                spill,
                live: false,
            },
        );
        let mut buffer = [0; 64 * 1024];
        while let Reading::Some(count) = tap.read(&mut buffer) {
            tap.close_if_dry(count, buffer.len());
        }
        let kept = tap.finish();
        assert_eq!((kept.total, kept.truncated), (500_000, true));
        assert_eq!(kept.spool.unwrap().metadata().unwrap().len(), 70_000);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_said_and_the_tail_stays() {
        let spill = Spill::Named("/nowhere/at/all".into());
        let mut tap = tap(Capture {
            memory: 4,
            spill,
            ..Capture::default()
        });
        tap.keep(b"some bytes");
        let kept = tap.finish();
        assert_eq!(
            (&kept.bytes[..], kept.total, kept.truncated),
            (&b"ytes"[..], 10, true)
        );
        assert!(kept.spill_error.is_some());
    }
}
