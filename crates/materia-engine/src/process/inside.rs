//! Whether we are part of something that we, or another of us, started.
//!
//! Owns the question. A child can drop the marks from its environment, but not from that of the
//! processes above it, so those are asked as well. This keeps honest programs honest; it is no
//! sandbox.

use super::stat::Stat;
use super::tree;

/// The most processes above us that are asked.
const HIGHEST: usize = 64;

/// Whether this process runs inside a leaf or a detached run: a utility, an agent, a command of a
/// template (S2).
pub fn inside() -> bool {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let above = std::iter::successors(Stat::read(me), |stat| Stat::read(stat.parent));
    above
        .take(HIGHEST)
        .any(|stat| tree::marks_of(stat.pid).is_marked())
}
