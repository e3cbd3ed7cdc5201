//! Reading one config file, bounded.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use materia_model::document::MAX_BYTES;
use materia_model::text;

/// Why a config file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigReadError {
    /// The user named it, and it does not exist.
    #[error("there is no config file {}", shown(file))]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// It is a directory, a pipe or a device.
    #[error("the config {} is not a file", shown(file))]
    NotAFile {
        /// The file.
        file: PathBuf,
    },
    /// I/O error.
    #[error("cannot read the config file {}", shown(file))]
    Io {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It exceeds the maximum size of a document.
    #[error("the config file {} has more than {MAX_BYTES} bytes", shown(file))]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
    /// It is not text.
    #[error(
        "the config file {} is not UTF-8 text from byte {good} on",
        shown(file)
    )]
    NotText {
        /// The file.
        file: PathBuf,
        /// How many bytes of it are valid text.
        good: usize,
    },
}

impl ConfigReadError {
    /// The code of a finding about it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing-file",
            Self::NotAFile { .. } | Self::Io { .. } => "unreadable-file",
            Self::TooLarge { .. } => "too-large",
            Self::NotText { .. } => "not-utf8",
        }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => {
                "name a file that exists; relative paths are seen from the project"
            }
            Self::NotAFile { .. } | Self::Io { .. } => "name a file that you may read",
            Self::TooLarge { .. } => "split it into several files",
            Self::NotText { .. } => "write it as UTF-8",
        }
    }
}

fn shown(path: &Path) -> String {
    text::quoted(&path.to_string_lossy())
}

/// The text of a config file.
pub fn read(path: &Path) -> Result<String, ConfigReadError> {
    #[cfg(any(test, feature = "testing"))]
    counts::add(path);
    let file = || path.to_owned();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ConfigReadError::Missing { file: file() },
        io::ErrorKind::IsADirectory => ConfigReadError::NotAFile { file: file() },
        _ => ConfigReadError::Io {
            file: file(),
            source,
        },
    };
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(failed)?;
    opened
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > MAX_BYTES {
        return Err(ConfigReadError::TooLarge { file: file() });
    }
    String::from_utf8(bytes).map_err(|error| ConfigReadError::NotText {
        file: file(),
        good: error.utf8_error().valid_up_to(),
    })
}

#[cfg(any(test, feature = "testing"))]
pub use counts::take_read_counts;

/// Counts reads per thread, so that a test can show how often one request reads each file.
#[cfg(any(test, feature = "testing"))]
mod counts {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    thread_local! {
        static COUNTS: RefCell<BTreeMap<PathBuf, usize>> = const { RefCell::new(BTreeMap::new()) };
    }

    pub(super) fn add(path: &Path) {
        COUNTS.with_borrow_mut(|counts| *counts.entry(path.to_owned()).or_default() += 1);
    }

    /// How often this thread read each config file since the last call.
    pub fn take_read_counts() -> BTreeMap<PathBuf, usize> {
        COUNTS.take()
    }
}
