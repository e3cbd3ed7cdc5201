//! Live reload: notifies a host when the user's recipes change.
//!
//! Owns the watch on the root, the delay that lets an editor finish, and the comparison of tools. A
//! kernel event only means "look again", so the next look makes up for a lost one.

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

/// How long the root has to be quiet before it is read again.
const QUIET: Duration = Duration::from_millis(150);
/// How long to wait for quiet before reading the root anyway.
const LONGEST: Duration = Duration::from_secs(2);

/// Watches the user's root.
#[derive(Debug)]
pub struct ToolWatcher {
    library: Library,
    watch: InotifyWatch,
    tools: BTreeMap<String, ToolDefinition>,
}

/// The changes since the last look.
#[derive(Debug, Clone, Default)]
pub struct ToolChanges {
    /// New tools.
    pub added: Vec<ToolDefinition>,
    /// Tools whose definition changed.
    pub changed: Vec<ToolDefinition>,
    /// Names that are no longer tools.
    pub removed: Vec<String>,
}

impl ToolChanges {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

impl ToolWatcher {
    /// Starts watching. Creates a missing root, so that the first recipe is noticed.
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

    /// The tools found by the last look, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.values()
    }

    /// Sleeps until the root changes or the timeout expires, then looks again. The result is empty
    /// after a timeout, and if the change affects no tool.
    pub fn wait(&mut self, at_most: Duration) -> io::Result<ToolChanges> {
        self.watch.wait(at_most)?;
        self.settle()?;
        Ok(self.look())
    }

    /// Looks again without waiting, for hosts that poll the descriptor themselves.
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

    /// Waits until the root is quiet, or `LONGEST` has passed.
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
