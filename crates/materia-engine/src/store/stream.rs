//! Files that grow while somebody watches: the live output of a run.
//!
//! Owns opening them, adding to them and reading their ends. Nothing here is synced: what a command prints is no promise
//! of ours.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::failpoint;

/// Opens a file for adding to it, for its owner alone, making it where there is none.
pub fn open(path: &Path) -> io::Result<File> {
    failpoint::hit("stream.open")?;
    OpenOptions::new().append(true).read(true).create(true).mode(0o600).open(path)
}

/// Opens it without what an earlier one wrote.
pub fn open_empty(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Adds bytes.
pub fn add(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    failpoint::write_all("stream.write", &mut file, bytes)
}

/// Adds a line to a small file that only wakes whoever watches it; one that grew large is begun anew.
pub fn nudge(path: &Path, largest: u64) -> io::Result<()> {
    let file = open(path)?;
    if file.metadata()?.len() > largest {
        file.set_len(0)?;
    }
    add(&file, b"!\n")
}

/// At most so many of the last bytes of a file behind an offset.
pub fn tail(file: &File, from: u64, most: usize) -> io::Result<Vec<u8>> {
    let end = file.metadata()?.len();
    let begin = end.saturating_sub(most as u64).max(from.min(end));
    let mut bytes = vec![0; usize::try_from(end - begin).unwrap_or(most)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], begin + filled as u64)? {
            0 => break,
            more => filled += more,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_behind_an_offset_is_read_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let file = open(&dir.path().join("log")).unwrap();
        add(&file, b"0123456789").unwrap();
        assert_eq!(tail(&file, 0, 4).unwrap(), b"6789");
        assert_eq!(tail(&file, 8, 4).unwrap(), b"89");
        assert_eq!(tail(&file, 99, 4).unwrap(), b"");
        let again = open_empty(&dir.path().join("log")).unwrap();
        assert_eq!(tail(&again, 0, 4).unwrap(), b"");
    }

    #[test]
    fn what_only_wakes_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        (0..100).for_each(|_| nudge(&path, 20).unwrap());
        assert!(path.metadata().unwrap().len() <= 22);
    }
}
