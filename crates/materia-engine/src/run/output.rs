//! The end of what a run's commands wrote.
//!
//! Owns reading the last lines of `stdout.log` and `stderr.log`, bounded. Never reads a whole log.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::error::Error;
use super::place::Place;
use crate::store::stream;

/// The most bytes of a log that are looked at.
const MOST: usize = 1 << 20;
/// The most files of a directory that are listed.
const MOST_FILES: usize = 1000;

/// The last lines of both streams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tail {
    /// Of stdout.
    pub stdout: String,
    /// Of stderr.
    pub stderr: String,
    /// How many bytes stdout has by now.
    #[serde(rename = "stdoutBytes")]
    pub stdout_bytes: u64,
    /// How many bytes stderr has by now.
    #[serde(rename = "stderrBytes")]
    pub stderr_bytes: u64,
}

/// The last lines of what a run wrote.
pub fn tail(place: &Place, lines: usize) -> Result<Tail, Error> {
    let read = |path: &Path| last(path, lines).map_err(Error::io("read", path));
    let (stdout, stdout_bytes) = read(&place.stdout())?;
    let (stderr, stderr_bytes) = read(&place.stderr())?;
    Ok(Tail { stdout, stderr, stdout_bytes, stderr_bytes })
}

/// The files in a run's directory and their sizes, at most so many as anybody reads.
pub fn directory(place: &Place) -> Result<BTreeMap<String, u64>, Error> {
    let entries = std::fs::read_dir(place.dir()).map_err(Error::io("list", place.dir()))?;
    let file = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let size = entry.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        Some((entry.file_name().to_string_lossy().into_owned(), size))
    };
    Ok(entries.filter_map(file).take(MOST_FILES).collect())
}

fn last(path: &Path, lines: usize) -> io::Result<(String, u64)> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((String::new(), 0)),
        Err(error) => return Err(error),
    };
    let total = file.metadata()?.len();
    let bytes = stream::tail(&file, 0, MOST)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut ends = text.trim_end_matches('\n').rmatch_indices('\n').map(|(at, _)| at + 1);
    let begin = if lines == 0 { text.len() } else { ends.nth(lines - 1).unwrap_or(0) };
    Ok((text[begin..].to_owned(), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_given_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        crate::store::atomic::write(&path, b"one\ntwo\nthree\n").unwrap();
        let tail = |lines| last(&path, lines).unwrap().0;
        assert_eq!((tail(0), tail(1), tail(2)), (String::new(), "three\n".into(), "two\nthree\n".into()));
        assert_eq!(tail(9), "one\ntwo\nthree\n");
        crate::store::atomic::write(&path, b"no end").unwrap();
        assert_eq!(last(&path, 1).unwrap(), ("no end".into(), 6));
    }
}
