//! Live reload: a host learns when the person's recipes change.
//!
//! Owns the watch on the root, the pause that lets an editor finish, and the comparison of tools.
//! What the kernel says only means "look again", so a lost event loses nothing for longer than one
//! look.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::fs::inotify::WatchFlags;

use super::survey::survey;
use super::tool::{ToolDefinition, tools};
use crate::library::Library;
use crate::wake::inotify::InotifyWatch;
use crate::{clock, store::dir};

/// How long the root has to be quiet before it is looked at again.
const QUIET: Duration = Duration::from_millis(150);
/// How long changes may keep coming before it is looked at anyway.
const LONGEST: Duration = Duration::from_secs(2);

/// Watches the person's root.
#[derive(Debug)]
pub struct ToolWatcher {
    library: Library,
    watch: InotifyWatch,
    tools: BTreeMap<String, ToolDefinition>,
}

/// What changed since the last look.
#[derive(Debug, Clone, Default)]
pub struct ToolChanges {
    /// New tools.
    pub added: Vec<ToolDefinition>,
    /// Tools that are different now.
    pub changed: Vec<ToolDefinition>,
    /// Names that are no tools any more.
    pub removed: Vec<String>,
}

impl ToolChanges {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

impl ToolWatcher {
    /// Begins to watch; makes the root where there is none, so that the first recipe is seen.
    pub fn new(library: &Library) -> io::Result<Self> {
        dir::create_private(library.root()).map_err(io::Error::other)?;
        let watch = InotifyWatch::new()?;
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::CREATE
            | WatchFlags::ATTRIB;
        watch.add(library.root(), flags)?;
        let tools = by_name(library);
        Ok(Self {
            library: library.clone(),
            watch,
            tools,
        })
    }

    /// The tools as they were at the last look, by name.
    pub fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.values()
    }

    /// Sleeps until the root changed or the time is over; then looks again. No changes: the time
    /// was over, or what changed makes no difference to any tool.
    pub fn wait(&mut self, at_most: Duration) -> io::Result<ToolChanges> {
        self.watch.wait(at_most)?;
        self.settle()?;
        Ok(self.look())
    }

    /// Looks again without waiting: for hosts that wait for the descriptor themselves.
    pub fn look(&mut self) -> ToolChanges {
        let now = by_name(&self.library);
        let mut changes = ToolChanges::default();
        for (name, tool) in &now {
            match self.tools.get(name) {
                None => changes.added.push(tool.clone()),
                Some(before) if before.fingerprint != tool.fingerprint => {
                    changes.changed.push(tool.clone());
                }
                Some(_) => {}
            }
        }
        changes.removed = self
            .tools
            .keys()
            .filter(|name| !now.contains_key(*name))
            .cloned()
            .collect();
        self.tools = now;
        changes
    }

    /// Waits until it has been quiet for a moment, or changes have come for too long.
    fn settle(&self) -> io::Result<()> {
        let Some(deadline) = clock::deadline_in(LONGEST) else {
            return Ok(());
        };
        while self.watch.drain_any()? {
            let left = clock::until(deadline);
            if left.is_zero() {
                return Ok(());
            }
            self.watch.wait(QUIET.min(left))?;
        }
        Ok(())
    }
}

fn by_name(library: &Library) -> BTreeMap<String, ToolDefinition> {
    tools(&survey(library))
        .into_iter()
        .map(|tool| (tool.name.clone(), tool))
        .collect()
}

impl AsFd for ToolWatcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}
