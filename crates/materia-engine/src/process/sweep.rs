//! Sweeps a process set: ends all remaining processes and reaps zombies.
//!
//! Owns the sweep and the reaping of adopted orphans. Waits only inside a sweep, where the caller
//! expects it.

use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, WaitOptions};

use super::ending::EndingProcesses;
use super::event::{Event, SweepReport};
use super::leaf::{ChildProcess, EndCause};
use super::nursery::ProcessSet;
use super::tree;

impl ProcessSet {
    /// Ends every remaining process of this set: running children, and what ended ones left behind.
    /// [`ProcessSet::next`] reports the ends of the children afterwards, but not their live output.
    /// An interrupt ends all grace periods. Costs two system calls if an adopting set has nothing
    /// left.
    pub fn sweep(&mut self, grace: Duration) -> SweepReport {
        for leaf in self.leaves.values_mut() {
            leaf.stop(EndCause::Cancelled, Some(grace));
        }
        loop {
            self.attend();
            if self.leaves.is_empty() {
                break;
            }
            self.wait_or_hurry();
        }
        self.reap_orphans();
        let nothing = if self.adopting {
            self.has_no_children()
        } else {
            self.count == 0
        };
        if nothing {
            return SweepReport::default();
        }
        self.sweeping = Some(EndingProcesses::new(grace));
        loop {
            self.attend();
            if let Some(swept) = self.swept.take() {
                self.reap_orphans();
                return swept;
            }
            self.wait_or_hurry();
        }
    }

    /// Waits. An interrupt that arrives meanwhile ends all grace periods.
    fn wait_or_hurry(&mut self) {
        let focused = std::mem::replace(&mut self.focused, true);
        let seen = self.ready.len();
        self.wait(None);
        self.focused = focused;
        let interrupted = self
            .ready
            .range(seen..)
            .any(|event| matches!(event, Event::Interrupt(_)));
        // The caller takes no events during a sweep. Drop output so that the queue stays bounded.
        self.ready
            .retain(|event| !matches!(event, Event::Output { .. }));
        if interrupted {
            let leaves = self
                .leaves
                .values_mut()
                .filter_map(|leaf| leaf.stopping.as_mut());
            leaves
                .map(|stopping| &mut stopping.ending)
                .chain(&mut self.sweeping)
                .for_each(EndingProcesses::hurry);
        }
    }

    fn has_no_children(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(
            rustix::process::waitid(WaitId::All, options),
            Err(Errno::CHILD)
        )
    }

    /// Reaps every ended process that is no leader. Does nothing while a child is being ended: its
    /// leader must stay unreaped so that its pid and group are not reused, and a wait for any child
    /// would reap it.
    pub(super) fn reap_orphans(&mut self) {
        if !self.adopting || self.leaves.values().any(|leaf| leaf.stopping.is_some()) {
            return;
        }
        if self.leaves.values().any(ChildProcess::is_whole) {
            return self.reap_others();
        }
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            let leader = self
                .leaves
                .values()
                .find(|leaf| leaf.pid == pid)
                .map(|leaf| leaf.id);
            if let Some(id) = leader {
                self.conclude(id, status.into(), Vec::new());
            }
        }
    }

    /// Reaps orphans one by one, by pid. A child that ends with its whole tree keeps its leader
    /// unreaped until the tree is gone.
    fn reap_others(&mut self) {
        let me = rustix::process::getpid().as_raw_nonzero().get();
        let leads = |pid: i32| self.leaves.values().any(|leaf| leaf.raw_pid() == pid);
        let orphans = tree::snapshot()
            .into_iter()
            .filter(|stat| stat.gone && stat.parent == me && !leads(stat.pid));
        orphans.for_each(|orphan| super::turn::reap(&orphan));
    }
}
