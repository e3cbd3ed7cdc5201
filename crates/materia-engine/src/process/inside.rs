//! Whether this process runs inside something that materia started.
//!
//! Owns that check. A child can remove the marks from its own environment, but not from that of its
//! ancestors, so those are checked as well. This prevents mistakes; it is not a sandbox.

use super::stat::Stat;
use super::tree;

/// Maximum number of ancestors checked.
const HIGHEST: usize = 64;

/// Whether this process runs inside a child process or a detached run: a utility, an agent, a
/// command of a template (S2).
pub fn inside() -> bool {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let above = std::iter::successors(Stat::read(me), |stat| Stat::read(stat.parent));
    above
        .take(HIGHEST)
        .any(|stat| tree::marks_of(stat.pid).is_marked())
}
