//! The end of the output of a run's commands.
//!
//! Owns reading the last lines of `stdout.log` and `stderr.log`, bounded. Never reads a whole log.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use materia_model::text::CharacterBuffer;
use serde::Serialize;

use crate::run::{Error, RunDir};
use crate::store::stream;

/// The most bytes of a log that are read.
const MOST: usize = 1 << 20;
/// The most files of a directory that are listed.
const MOST_FILES: usize = 1000;

/// The last lines of both streams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutputTail {
    /// The last lines of stdout.
    pub stdout: String,
    /// The last lines of stderr.
    pub stderr: String,
    /// The current size of stdout in bytes.
    #[serde(rename = "stdoutBytes")]
    pub stdout_bytes: u64,
    /// The current size of stderr in bytes.
    #[serde(rename = "stderrBytes")]
    pub stderr_bytes: u64,
    /// Whether one of them has earlier lines.
    #[serde(skip)]
    pub has_earlier: bool,
    /// How many bytes at the end of each are an incomplete character, shown as a replacement
    /// character.
    #[serde(skip)]
    pub halves: [usize; 2],
}

/// The last lines of a run's output.
pub fn tail(place: &RunDir, lines: usize) -> Result<OutputTail, Error> {
    let read = |path: &Path| last(path, lines).map_err(Error::io("read", path));
    let (stdout, stderr) = (read(&place.stdout())?, read(&place.stderr())?);
    Ok(OutputTail {
        stdout_bytes: stdout.total,
        stderr_bytes: stderr.total,
        has_earlier: stdout.has_earlier || stderr.has_earlier,
        halves: [stdout.half, stderr.half],
        stdout: stdout.text,
        stderr: stderr.text,
    })
}

/// The files in a run's directory and their sizes, up to a limit.
pub fn directory(place: &RunDir) -> Result<BTreeMap<String, u64>, Error> {
    let entries = std::fs::read_dir(place.dir()).map_err(Error::io("list", place.dir()))?;
    let file = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let size = entry
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)?
            .len();
        Some((entry.file_name().to_string_lossy().into_owned(), size))
    };
    Ok(entries.filter_map(file).take(MOST_FILES).collect())
}

/// The last lines of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Last {
    text: String,
    total: u64,
    has_earlier: bool,
    half: usize,
}

fn last(path: &Path, lines: usize) -> io::Result<Last> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Last::default()),
        Err(error) => return Err(error),
    };
    let total = file.metadata()?.len();
    let bytes = stream::tail(&file, 0, MOST)?;
    let mut characters = CharacterBuffer::default();
    let mut text = characters.push(&bytes);
    let half = characters.waiting();
    text.push_str(&characters.finish());
    let mut ends = text
        .trim_end_matches('\n')
        .rmatch_indices('\n')
        .map(|(at, _)| at + 1);
    let begin = if lines == 0 {
        text.len()
    } else {
        ends.nth(lines - 1).unwrap_or(0)
    };
    let has_earlier = begin > 0 || total > bytes.len() as u64;
    Ok(Last {
        text: text[begin..].to_owned(),
        total,
        has_earlier,
        half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_given_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        crate::store::atomic::write(&path, b"one\ntwo\nthree\n").unwrap();
        let tail = |lines| last(&path, lines).unwrap().text;
        assert_eq!(
            (tail(0), tail(1), tail(2)),
            (String::new(), "three\n".into(), "two\nthree\n".into())
        );
        assert_eq!(tail(9), "one\ntwo\nthree\n");
        assert_eq!(
            [0, 2, 3, 9].map(|lines| last(&path, lines).unwrap().has_earlier),
            [true, true, false, false]
        );
        crate::store::atomic::write(&path, b"no end").unwrap();
        let whole = Last {
            text: "no end".into(),
            total: 6,
            ..Last::default()
        };
        assert_eq!(last(&path, 1).unwrap(), whole);
        crate::store::atomic::write(&path, b"half \xc3").unwrap();
        let half = Last {
            text: "half \u{fffd}".into(),
            total: 6,
            half: 1,
            ..Last::default()
        };
        assert_eq!(last(&path, 1).unwrap(), half);
    }
}
