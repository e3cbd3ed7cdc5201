//! Finds the file that a command executes, and explains why one did not start.
//!
//! Owns the search through `PATH` and an error for every way a start can fail. Searching here
//! instead of in the standard library keeps a command with a changed environment on `posix_spawn`,
//! and makes the error precise. A process set caches what it found, as a shell does, and checks
//! that the file still exists. The expensive checks run only after a start has failed.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;

/// The search path when `PATH` is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Why a command was not started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// The argv is empty, or its first word is.
    #[error("there is no command to start")]
    Empty,
    /// There is no such program.
    #[error("program `{}` was not found", .program.display())]
    NotFound {
        /// The name or path as given.
        program: PathBuf,
    },
    /// The file may not be executed.
    #[error("`{}` is not executable", .program.display())]
    NotExecutable {
        /// The file.
        program: PathBuf,
    },
    /// It is a directory.
    #[error("`{}` is a directory", .program.display())]
    IsDirectory {
        /// The directory.
        program: PathBuf,
    },
    /// The interpreter of its `#!` line, or its loader, does not exist.
    #[error("`{}` needs `{}`, which cannot be run", .program.display(), .interpreter.display())]
    BadInterpreter {
        /// The script.
        program: PathBuf,
        /// The missing interpreter.
        interpreter: PathBuf,
    },
    /// It is executable, but not in a format that the kernel can run.
    #[error("`{}` is not a program this machine can run", .program.display())]
    NotAProgram {
        /// The file.
        program: PathBuf,
    },
    /// Another process has it open for writing.
    #[error("`{}` is being written", .program.display())]
    Busy {
        /// The file.
        program: PathBuf,
    },
    /// The working directory does not exist.
    #[error("directory `{}` does not exist", .directory.display())]
    NoDirectory {
        /// The directory.
        directory: PathBuf,
    },
    /// A word, a variable or the directory contains a NUL byte.
    #[error("{place} has a NUL byte in it, which no program can be given")]
    NulByte {
        /// Which of them.
        place: String,
    },
    /// Arguments and environment are too large for the kernel.
    #[error("the command line is too long ({bytes} bytes)")]
    TooLong {
        /// The size of argv.
        bytes: usize,
    },
    /// No file descriptor was free.
    #[error("too many open files")]
    TooManyFiles,
    /// No process, or no memory for one, was available.
    #[error("the machine has no room for another process")]
    TooManyProcesses,
    /// Another error.
    #[error("`{}` could not be started: {reason}", .program.display())]
    Other {
        /// The name or path as given.
        program: PathBuf,
        /// The message of the system.
        reason: String,
    },
}

impl SpawnError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Empty => "name a program first".into(),
            Self::NotFound { program } if program.as_os_str().as_bytes().contains(&b'/') => {
                format!("check that `{}` exists", program.display())
            }
            Self::NotFound { program } => {
                format!(
                    "install `{0}`, or check PATH with `command -v {0}`",
                    program.display()
                )
            }
            Self::NotExecutable { program } => format!("run `chmod +x {}`", program.display()),
            Self::IsDirectory { .. } => "name a program inside it".into(),
            Self::BadInterpreter { interpreter, .. } => {
                format!(
                    "install `{}` or correct the first line of the script",
                    interpreter.display()
                )
            }
            Self::NotAProgram { .. } => "a script needs a first line such as `#!/bin/sh`".into(),
            Self::Busy { .. } => "wait until it is written, then try again".into(),
            Self::NoDirectory { directory } => format!("run `mkdir -p {}`", directory.display()),
            Self::TooLong { .. } => "pass large data on stdin or in a file".into(),
            Self::TooManyFiles => {
                "raise the limit with `ulimit -n`, or run fewer commands at once".into()
            }
            Self::TooManyProcesses => "run fewer commands at once, or raise `ulimit -u`".into(),
            Self::NulByte { .. } | Self::Other { .. } => return None,
        })
    }

    /// The error of a step before the start itself.
    pub(super) fn from_preparation(program: &OsStr, error: &io::Error) -> Self {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::MFILE | Errno::NFILE) => Self::TooManyFiles,
            Some(Errno::AGAIN | Errno::NOMEM) => Self::TooManyProcesses,
            _ => Self::Other {
                program: program.into(),
                reason: error.to_string(),
            },
        }
    }
}

/// Programs found earlier in one `PATH`.
#[derive(Debug, Default)]
pub(super) struct ProgramCache {
    path: Option<OsString>,
    files: HashMap<OsString, PathBuf>,
}

impl ProgramCache {
    /// Finds the file to execute, see [`find`]. A cached file is only checked for existence.
    pub(super) fn find(
        &mut self,
        program: &OsStr,
        path: Option<OsString>,
        cwd: Option<&Path>,
    ) -> Result<PathBuf, SpawnError> {
        if self.path != path || self.files.len() > MOST_REMEMBERED {
            self.files.clear();
        }
        if let Some(file) = self.files.get(program)
            && look(file) == Look::Executable
        {
            return Ok(file.clone());
        }
        let file = find(program, path.clone(), cwd)?;
        // Cache only files that do not depend on the working directory.
        if file.is_absolute() {
            self.path = path;
            self.files.insert(program.to_owned(), file.clone());
        }
        Ok(file)
    }
}

/// Maximum number of programs that one process set caches.
const MOST_REMEMBERED: usize = 1000;

/// Finds the file to execute: a name is looked up in `path`, anything with a `/` is used unchanged.
pub(super) fn find(
    program: &OsStr,
    path: Option<OsString>,
    cwd: Option<&Path>,
) -> Result<PathBuf, SpawnError> {
    if program.is_empty() {
        return Err(SpawnError::Empty);
    }
    if program.as_bytes().contains(&0) {
        return Err(SpawnError::NulByte {
            place: "the program name".into(),
        });
    }
    if program.as_bytes().contains(&b'/') {
        return Ok(program.into());
    }
    let path = path.unwrap_or_else(|| DEFAULT_PATH.into());
    let mut refused = None;
    for directory in std::env::split_paths(&path) {
        // Relative entries are resolved from the command's directory; `./` keeps a bare name from
        // being searched again.
        let directory = if directory.is_absolute() {
            directory
        } else {
            Path::new(".").join(directory)
        };
        let candidate = directory.join(program);
        match look(&seen_from(cwd, &candidate)) {
            Look::Executable => return Ok(candidate),
            Look::Plain => refused = refused.or(Some(candidate)),
            Look::Nothing | Look::Directory => {}
        }
    }
    Err(match refused {
        Some(program) => SpawnError::NotExecutable { program },
        None => SpawnError::NotFound {
            program: program.into(),
        },
    })
}

/// Determines why a start failed.
pub(super) fn explain(
    error: &io::Error,
    argv: &[OsString],
    file: &Path,
    cwd: Option<&Path>,
) -> SpawnError {
    let program = file.to_owned();
    if error.kind() == io::ErrorKind::InvalidInput {
        return SpawnError::NulByte {
            place: nul_place(argv),
        };
    }
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    if let Some(directory) = cwd.filter(|cwd| !cwd.is_dir())
        && matches!(errno, Some(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS))
    {
        return SpawnError::NoDirectory {
            directory: directory.to_owned(),
        };
    }
    let seen = seen_from(cwd, file);
    match (errno, look(&seen)) {
        (Some(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS), Look::Nothing) => {
            SpawnError::NotFound { program }
        }
        (Some(Errno::ACCESS), Look::Directory) => SpawnError::IsDirectory { program },
        (Some(Errno::ACCESS), Look::Plain) => SpawnError::NotExecutable { program },
        (Some(Errno::NOENT | Errno::ACCESS | Errno::LOOP | Errno::NOTDIR), Look::Executable) => {
            let interpreter = interpreter(&seen).unwrap_or_else(|| "its dynamic loader".into());
            SpawnError::BadInterpreter {
                program,
                interpreter,
            }
        }
        (Some(Errno::NOEXEC), _) => SpawnError::NotAProgram { program },
        (Some(Errno::TXTBSY), _) => SpawnError::Busy { program },
        (Some(Errno::TOOBIG), _) => SpawnError::TooLong {
            bytes: argv.iter().map(|word| word.len() + 1).sum(),
        },
        _ => SpawnError::from_preparation(file.as_os_str(), error),
    }
}

#[derive(PartialEq, Eq)]
enum Look {
    Nothing,
    Directory,
    Plain,
    Executable,
}

fn look(file: &Path) -> Look {
    match std::fs::metadata(file) {
        Err(_) => Look::Nothing,
        Ok(found) if found.is_dir() => Look::Directory,
        Ok(_) if rustix::fs::access(file, Access::EXEC_OK).is_ok() => Look::Executable,
        Ok(_) => Look::Plain,
    }
}

fn seen_from(cwd: Option<&Path>, file: &Path) -> PathBuf {
    cwd.map_or_else(|| file.to_owned(), |cwd| cwd.join(file))
}

fn nul_place(argv: &[OsString]) -> String {
    match argv.iter().position(|word| word.as_bytes().contains(&0)) {
        Some(index) => format!("argument {index}"),
        None => "the environment or the directory".into(),
    }
}

/// The program in a `#!` line.
fn interpreter(script: &Path) -> Option<PathBuf> {
    use std::io::Read;
    let mut start = Vec::new();
    std::fs::File::open(script)
        .ok()?
        .take(256)
        .read_to_end(&mut start)
        .ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?
        .trim_ascii_start();
    let name = line.split(|byte| matches!(byte, b' ' | b'\t')).next()?;
    Some(OsStr::from_bytes(name).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_searched_and_paths_are_not() {
        assert_eq!(
            find("sh".as_ref(), Some("/nowhere:/bin".into()), None),
            Ok("/bin/sh".into())
        );
        assert_eq!(
            find("./sh".as_ref(), Some("/bin".into()), None),
            Ok("./sh".into())
        );
        assert_eq!(
            find("sh".as_ref(), Some("bin".into()), Some("/usr".as_ref())),
            Ok("./bin/sh".into()),
            "relative entries count from the command's directory"
        );
        assert!(find("sh".as_ref(), None, None).is_ok());
        assert_eq!(find("".as_ref(), None, None), Err(SpawnError::Empty));
        let missing = find("no-such-program".as_ref(), None, None).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "program `no-such-program` was not found"
        );
        assert!(
            missing
                .hint()
                .unwrap()
                .contains("command -v no-such-program")
        );
    }
}
