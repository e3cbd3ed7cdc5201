//! The durable floor: everything that is written, and how it survives.
//!
//! Owns journals, atomic documents, added lines, locks, artifacts and the directories they stand
//! in; every write, sync, rename and truncation of the engine happens below here and passes a
//! failpoint first. Never decides what to write, never starts a process, never reads time but
//! through the clock it is handed.
//!
//! The list below is the order of the rooms: a room may use rooms above it, never below.
#![allow(clippy::disallowed_methods, reason = "this room owns writing")]

pub(crate) mod kernel;
pub mod fifo;
pub mod dir;
pub mod lock;
pub mod atomic;
pub mod spare;
pub mod lines;
pub mod file;
pub mod artifact;
pub mod spool;
pub mod text;
pub mod stream;
pub mod copy;
pub mod tree;
pub mod journal;

use std::path::Path;

/// The longest path the kernel takes.
const LONGEST_PATH: usize = 4096;

/// A path as it may stand in a message.
pub(crate) fn shown(path: &Path) -> String {
    materia_model::text::quoted_within(&path.to_string_lossy(), LONGEST_PATH)
}

/// A path as it may stand in a command to type.
fn typed(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%".contains(&byte);
    if text.bytes().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
