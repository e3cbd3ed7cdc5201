//! What our children inherit from us implicitly.
//!
//! Owns the variables that this module reads: `PATH`, because a program is found where the child
//! would look itself; the two marks that say what this process belongs to; and all of them for
//! callers that pass each on explicitly. They are read from the process environment and not from
//! what `main.rs` collected, because the former is what a child gets.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::{DETACHED_VARIABLE, LEAF_VARIABLE};

/// The search path of a child whose command does not set one.
pub(super) fn search_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// The environment of a child whose command does not change it.
pub fn variables() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// The markers of the child processes that this process belongs to.
pub(super) fn leaves_above() -> Option<String> {
    std::env::var(LEAF_VARIABLE)
        .ok()
        .filter(|above| !above.is_empty())
}

/// The name under which this process, or an ancestor, was detached.
pub(super) fn detached_name() -> Option<OsString> {
    std::env::var_os(DETACHED_VARIABLE)
}
