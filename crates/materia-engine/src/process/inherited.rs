//! What our children inherit from us without being told.
//!
//! Owns the variables this room looks up: `PATH`, because a child is found where it would look
//! itself, the two marks that say what this process is part of, and all of them where they are
//! handed on one by one. They are read from the environment that the kernel hands on, not from what
//! `main.rs` collected, because it is the former that a child gets.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::{DETACHED_VARIABLE, LEAF_VARIABLE};

/// The search path of a child whose command does not say otherwise.
pub(super) fn search_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// Everything that a child gets whose command does not say otherwise.
pub fn variables() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// The leaves this process belongs to.
pub(super) fn leaves_above() -> Option<String> {
    std::env::var(LEAF_VARIABLE)
        .ok()
        .filter(|above| !above.is_empty())
}

/// The name this process, or one above it, was detached under.
pub(super) fn detached_name() -> Option<OsString> {
    std::env::var_os(DETACHED_VARIABLE)
}
