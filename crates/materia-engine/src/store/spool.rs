//! Unnamed files for data that flows between processes. They disappear when the last process closes
//! them.
//!
//! Owns creating and filling them. Nothing here is durable.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::io::Errno;

use crate::failpoint;

/// The size of the copy buffer.
const BUFFER: usize = 64 * 1024;

/// Creates an empty file without a name.
pub fn unnamed(dir: &Path) -> io::Result<File> {
    failpoint::hit("spool.create")?;
    tempfile::tempfile_in(dir)
}

/// Writes bytes at an offset of a file.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    failpoint::hit("spool.write")?;
    file.write_all_at(bytes, at)
}

/// Copies a range of one file to an offset of another, inside the kernel if the range is large and
/// the file system supports it. If the source has become shorter, copies what is left.
pub fn copy_range(source: &File, range: Range<u64>, file: &File, at: u64) -> io::Result<()> {
    failpoint::hit("spool.copy")?;
    let (mut from, mut to) = (range.start, at);
    while range.end - from > BUFFER as u64 {
        let left = usize::try_from(range.end - from).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(source, Some(&mut from), file, Some(&mut to), left) {
            Ok(1..) | Err(Errno::INTR) => {}
            Ok(0) | Err(_) => break,
        }
    }
    let mut buffer = vec![
        0;
        usize::try_from(range.end - from)
            .unwrap_or(BUFFER)
            .min(BUFFER)
    ];
    while from < range.end {
        let left = usize::try_from(range.end - from)
            .unwrap_or(BUFFER)
            .min(BUFFER);
        let count = source.read_at(&mut buffer[..left], from)?;
        if count == 0 {
            break;
        }
        file.write_all_at(&buffer[..count], to)?;
        from += count as u64;
        to += count as u64;
    }
    Ok(())
}

/// Copies a stream, such as a pipe, into a new unnamed file, and rewinds it.
pub fn collected(dir: &Path, source: &mut impl io::Read) -> io::Result<File> {
    let mut file = unnamed(dir)?;
    io::copy(source, &mut file)?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

/// Saves a stream under a new unique name in a directory, as a private file.
pub fn kept(dir: &Path, name: &str, source: &mut impl io::Read) -> io::Result<std::path::PathBuf> {
    failpoint::hit("spool.keep")?;
    let mut file = tempfile::Builder::new()
        .prefix(name)
        .suffix(".out")
        .tempfile_in(dir)?;
    io::copy(source, &mut file)?;
    file.as_file_mut().flush()?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}

/// Saves a stream as a private file at this path, and creates a missing directory. Readers see the
/// old file or the new one.
pub fn kept_at(path: &Path, source: &mut impl io::Read) -> io::Result<()> {
    failpoint::hit("spool.keep")?;
    let parent = super::dir::parent_of(path);
    super::dir::create_private(parent).map_err(super::dir::DirError::into_source)?;
    let mut file = tempfile::Builder::new()
        .prefix(".stage-")
        .tempfile_in(parent)?;
    io::copy(source, &mut file)?;
    file.as_file_mut().flush()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_any_size_is_copied_to_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..300_000u32).map(|index| (index % 251) as u8).collect();
        let source = unnamed(dir.path()).unwrap();
        write_at(&source, &bytes, 0).unwrap();
        for range in [0..0, 0..1, 7..7 + BUFFER, 7..8 + BUFFER, 0..bytes.len()] {
            let file = unnamed(dir.path()).unwrap();
            write_at(&file, b"head", 0).unwrap();
            copy_range(&source, range.start as u64..range.end as u64, &file, 4).unwrap();
            let mut copied = vec![0; file.metadata().unwrap().len() as usize];
            file.read_exact_at(&mut copied, 0).unwrap();
            assert!(
                copied == [b"head", &bytes[range.clone()]].concat(),
                "{range:?}"
            );
        }
    }

    #[test]
    fn a_source_that_became_shorter_gives_what_it_has() {
        let dir = tempfile::tempdir().unwrap();
        let (source, file) = (unnamed(dir.path()).unwrap(), unnamed(dir.path()).unwrap());
        write_at(&source, b"short", 0).unwrap();
        copy_range(&source, 0..500_000, &file, 0).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 5);
    }
}
