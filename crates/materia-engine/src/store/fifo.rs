//! Writing lines to a program that reads a named pipe.
//!
//! Owns writing a line atomically. The kernel writes at most [`LONGEST_LINE`] bytes atomically, so
//! longer lines are refused: they could be split or interleaved with others. Never waits for a
//! reader.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::failpoint;

/// The longest line, including its newline, that is written atomically: `PIPE_BUF`.
pub const LONGEST_LINE: usize = 4096;

/// Why a line was not written.
#[derive(Debug, thiserror::Error)]
pub enum FifoError {
    /// There is no named pipe.
    #[error("there is no named pipe")]
    Missing,
    /// No process reads it.
    #[error("nobody reads the named pipe")]
    NoReader,
    /// The pipe is full because its reader is slow.
    #[error("the named pipe is full: its reader is behind")]
    Full,
    /// The line is too long to be written atomically.
    #[error("the line has {0} bytes, and a named pipe takes at most {LONGEST_LINE} in one piece")]
    TooLong(usize),
    /// The system returned an error.
    #[error("the named pipe cannot be written to")]
    Io(#[source] io::Error),
}

/// Writes a line, newline included, to the reader of the named pipe at a path.
pub fn send(path: &Path, line: &[u8]) -> Result<(), FifoError> {
    if line.len() > LONGEST_LINE {
        return Err(FifoError::TooLong(line.len()));
    }
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let opened = failpoint::hit("fifo.open").and_then(|()| {
        let file = OpenOptions::new()
            .write(true)
            .custom_flags(flags)
            .open(path)?;
        if file.metadata()?.file_type().is_fifo() {
            Ok(file)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    });
    let mut file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FifoError::Missing,
        _ if Errno::from_io_error(&error) == Some(Errno::NXIO) => FifoError::NoReader,
        _ => FifoError::Io(error),
    })?;
    let written = failpoint::hit("fifo.write").and_then(|()| file.write(line));
    match written {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(FifoError::Full),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(FifoError::NoReader),
        Err(error) => Err(FifoError::Io(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustix::fs::{CWD, FileType, Mode};

    use super::*;

    #[test]
    fn a_line_arrives_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("control.fifo");
        assert!(matches!(send(&path, b"a\n"), Err(FifoError::Missing)));
        std::fs::write(&path, "").unwrap();
        assert!(
            matches!(send(&path, b"a\n"), Err(FifoError::Missing)),
            "a file is no pipe"
        );
        std::fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(matches!(send(&path, b"a\n"), Err(FifoError::NoReader)));
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let mut reader = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&path)
            .unwrap();
        send(&path, b"next\n").unwrap();
        let mut buffer = [0; 16];
        assert_eq!(reader.read(&mut buffer).unwrap(), 5);
        assert!(matches!(
            send(&path, &[b'x'; LONGEST_LINE + 1]),
            Err(FifoError::TooLong(4097))
        ));
        let line = [b'x'; LONGEST_LINE];
        let full = (0..100).find_map(|_| send(&path, &line).err()).unwrap();
        assert!(matches!(full, FifoError::Full), "{full}");
    }
}
