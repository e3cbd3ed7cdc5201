//! Files without a name: they take what flows between processes and are gone when nobody has them open.
//!
//! Owns making and filling them. Nothing here is durable, and nothing promises to be.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::failpoint;

/// A new empty file that no directory lists.
pub fn unnamed(dir: &Path) -> io::Result<File> {
    failpoint::hit("spool.create")?;
    tempfile::tempfile_in(dir)
}

/// Writes bytes at the file's position.
pub fn append(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    failpoint::write_all("spool.write", &mut file, bytes)
}

/// Copies everything from `source` to the file's position, inside the kernel where it can.
pub fn append_file(mut file: &File, mut source: &File) -> io::Result<()> {
    failpoint::hit("spool.copy")?;
    io::copy(&mut source, &mut file).map(drop)
}

/// Copies everything from a stream, such as a pipe, into a new file without a name, and goes back to its beginning.
pub fn collected(dir: &Path, source: &mut impl io::Read) -> io::Result<File> {
    let mut file = unnamed(dir)?;
    io::copy(source, &mut file)?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

/// Keeps everything from `source` under a new name in a directory, for its owner alone.
pub fn kept(dir: &Path, name: &str, mut source: &File) -> io::Result<std::path::PathBuf> {
    failpoint::hit("spool.keep")?;
    let mut file = tempfile::Builder::new().prefix(name).suffix(".out").tempfile_in(dir)?;
    io::copy(&mut source, &mut file)?;
    file.as_file_mut().flush()?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}
