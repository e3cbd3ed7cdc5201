//! Lines added to a file of the user's, such as `.gitignore`.
//!
//! Owns appending missing lines. Existing content, mode and owner stay unchanged, and a failed
//! append is undone. Two processes that append to one file take a lock. A symbolic link is refused:
//! it may lead anywhere, and git itself reads no linked `.gitignore`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::dir::{self, DirError};
use super::shown;
use crate::failpoint;

/// The maximum size of a file that lines are added to.
pub const MAX_BYTES: u64 = 4 << 20;

/// The result of an append.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// Lines that were missing and have been added.
    pub added: Vec<String>,
    /// Lines that were present.
    pub unchanged: Vec<String>,
}

/// Why no lines were added; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum LinesError {
    /// The file is a symbolic link.
    #[error("{} is a symbolic link", shown(.0))]
    Link(PathBuf),
    /// It is not a regular file.
    #[error("{} is not a file", shown(.0))]
    NotAFile(PathBuf),
    /// It is read-only.
    #[error("{} is read-only", shown(.0))]
    ReadOnly(PathBuf),
    /// It exceeds the size limit.
    #[error("{} has more than {MAX_BYTES} bytes", shown(.0))]
    TooLarge(PathBuf),
    /// Its directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The system returned an error.
    #[error("cannot {action} {}", shown(file))]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl LinesError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Link(path) => {
                format!(
                    "replace {} by a regular file, or name another file",
                    shown(path)
                )
            }
            Self::NotAFile(path) => format!("move {} away, or name another file", shown(path)),
            Self::ReadOnly(path) => {
                format!("run `chmod u+w {}`, or name another file", path.display())
            }
            Self::TooLarge(_) => "name another file".to_owned(),
            Self::Dir(_) | Self::Io { .. } => {
                "check that the directory is writable, and that the disk has space".to_owned()
            }
        }
    }
}

/// Adds each line that the file lacks, once, and creates a missing file. The comparison ignores
/// blanks around lines; comments (`#`) do not count.
pub fn append_missing(path: &Path, wanted: &[String]) -> Result<Appended, LinesError> {
    let there = match open(path, Access::Read) {
        Ok(mut file) => sorted_out(&read(&mut file, path)?, wanted),
        Err(LinesError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Appended::default()
        }
        Err(error) => return Err(error),
    };
    if there.unchanged.len() == wanted.len() {
        return Ok(there);
    }
    dir::create_shared(dir::parent_of(path))?;
    let made = !path.exists();
    failpoint::hit("lines.open").map_err(failed("open", path))?;
    let mut file = open(path, Access::Append)?;
    let appended = append(&mut file, path, wanted);
    match &appended {
        Ok(_) if made => dir::sync_new(dir::parent_of(path))?,
        // Still empty: no other process has written to it.
        Err(_) if made && file.metadata().is_ok_and(|about| about.len() == 0) => {
            let _already_failed = std::fs::remove_file(path);
        }
        _ => {}
    }
    appended
}

fn append(file: &mut File, path: &Path, wanted: &[String]) -> Result<Appended, LinesError> {
    file.lock().map_err(failed("lock", path))?;
    let before = read(file, path)?;
    let sorted = sorted_out(&before, wanted);
    let mut addition = String::new();
    if before.last().is_some_and(|byte| *byte != b'\n') && !sorted.added.is_empty() {
        addition.push('\n');
    }
    for line in &sorted.added {
        addition.push_str(line);
        addition.push('\n');
    }
    let written = failpoint::write_all("lines.append", file, addition.as_bytes()).and_then(|()| {
        failpoint::hit("lines.sync")?;
        file.sync_all()
    });
    written.map_err(|error| {
        let _already_failed = file.set_len(before.len() as u64);
        failed("write", path)(error)
    })?;
    Ok(sorted)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Append,
}

/// Opens the file without following a link, and without blocking on a named pipe.
fn open(path: &Path, access: Access) -> Result<File, LinesError> {
    let appends = access == Access::Append;
    // Check the mode ourselves: root is never refused.
    if appends
        && path
            .symlink_metadata()
            .is_ok_and(|about| about.is_file() && about.permissions().readonly())
    {
        return Err(LinesError::ReadOnly(path.to_owned()));
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    options
        .read(true)
        .append(appends)
        .create(appends)
        .custom_flags(flags);
    let file = options.open(path).map_err(|error| {
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
            return LinesError::Link(path.to_owned());
        }
        failed("open", path)(error)
    })?;
    let is_file = file.metadata().map_err(failed("look at", path))?.is_file();
    if is_file {
        Ok(file)
    } else {
        Err(LinesError::NotAFile(path.to_owned()))
    }
}

fn read(file: &mut File, path: &Path) -> Result<Vec<u8>, LinesError> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed("read", path))?;
    if bytes.len() as u64 > MAX_BYTES {
        Err(LinesError::TooLarge(path.to_owned()))
    } else {
        Ok(bytes)
    }
}

fn sorted_out(bytes: &[u8], wanted: &[String]) -> Appended {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let there: std::collections::HashSet<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .collect();
    let (unchanged, added) = wanted
        .iter()
        .cloned()
        .partition(|line| there.contains(line.trim()));
    Appended { added, unchanged }
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> LinesError {
    move |source| LinesError::Io {
        action,
        file: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn lines(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_is_missing_is_added_once_and_the_rest_stays_byte_for_byte() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("below/.gitignore");
        let wanted = lines(&["a", "b"]);
        assert_eq!(append_missing(&file, &wanted).unwrap().added, wanted);
        assert_eq!(append_missing(&file, &wanted).unwrap().unchanged, wanted);
        assert_eq!(std::fs::read(&file).unwrap(), b"a\nb\n");
        let strange = b"\xef\xbb\xbf  a \r\n\r\n#b\r\n\xff\xfe";
        std::fs::write(&file, strange).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let appended = append_missing(&file, &wanted).unwrap();
        assert_eq!(
            appended,
            Appended {
                added: lines(&["b"]),
                unchanged: lines(&["a"])
            }
        );
        assert_eq!(
            std::fs::read(&file).unwrap(),
            [strange, b"\nb\n".as_slice()].concat()
        );
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn processes_that_add_at_the_same_time_take_turns() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("x");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| append_missing(&file, &lines(&["one", "two"])).unwrap());
            }
        });
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let link = temp.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(matches!(
            append_missing(&link, &lines(&["a"])),
            Err(LinesError::Link(_))
        ));
        assert!(!temp.path().join("nowhere").exists());
        assert!(matches!(
            append_missing(temp.path(), &lines(&["a"])),
            Err(LinesError::NotAFile(_))
        ));
        let large = temp.path().join("large");
        File::create(&large)
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        assert!(matches!(
            append_missing(&large, &lines(&["a"])),
            Err(LinesError::TooLarge(_))
        ));
    }
}
