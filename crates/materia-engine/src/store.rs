//! Durable storage: everything that the engine writes, and how it survives a crash.
//!
//! Owns journals, atomic documents, appended lines, locks, artifacts and their directories. Every
//! write, sync, rename and truncation of the engine happens in this module and passes a failpoint
//! first. Never decides what to write, never starts a process, and reads time only through the
//! clock that the caller passes.
//!
//! The modules below are in dependency order: a module may use modules above it, never below.
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

/// The longest path that the kernel accepts.
const LONGEST_PATH: usize = 4096;

/// A path, quoted for a message.
pub(crate) fn shown(path: &Path) -> String {
    materia_model::text::quoted_within(&path.to_string_lossy(), LONGEST_PATH)
}

/// A path, quoted for a command to type.
fn typed(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%".contains(&byte);
    if text.bytes().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
