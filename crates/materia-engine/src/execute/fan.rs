//! The branches of one parallel node: which wait, which run, and the results of those that ended.
//!
//! Owns their bookkeeping, and keeps outputs without an open file for each: beyond a few branches,
//! they are moved to one shared file, and a join reads them from there. Decides nothing.

use std::fs::File;
use std::io;
use std::sync::Arc;

use materia_model::template::plan::FailurePolicy;

use super::flow::{Flow, Spool};
use super::task::{Done, End, TaskId, Trail};
use crate::store::spool;

/// Maximum number of branches for which each keeps its own file until the join.
const FEW: usize = 16;
/// Maximum total size of small outputs kept in memory until the join.
const IN_MEMORY: usize = 1 << 20;

/// The branches of a parallel node.
#[derive(Debug)]
pub(super) struct ParallelBranches {
    /// How many have started.
    pub(super) started: usize,
    /// How many of those have not ended.
    pub(super) running: usize,
    /// Whether a branch failed fatally, so that no further branch starts (T19).
    pub(super) doomed: bool,
    /// Whether it is on the list of nodes that wait for commands to start.
    pub(super) held_back: bool,
    /// Every branch, in the order of the join.
    pub(super) places: Vec<BranchState>,
    shelf: Option<Arc<File>>,
    shelved: u64,
    in_memory: usize,
}

/// The state of one branch.
#[derive(Debug)]
pub(super) enum BranchState {
    /// It has not started.
    Waiting,
    /// It runs.
    Running(TaskId),
    /// It has ended.
    Ended(Finished),
}

/// A branch that has ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) end: End,
    pub(super) code: i32,
    pub(super) stderr: String,
    pub(super) scope: FailurePolicy,
    pub(super) kept: BranchOutput,
    pub(super) trail: Trail,
}

/// The output of a branch.
#[derive(Debug)]
pub(super) enum BranchOutput {
    /// Nothing, or nothing that will be read.
    Nothing,
    /// All of this flow.
    Flow(Flow),
    /// A range of a file.
    Part {
        file: Arc<File>,
        start: u64,
        len: u64,
    },
}

impl ParallelBranches {
    pub(super) fn new(branches: usize) -> Self {
        Self {
            started: 0,
            running: 0,
            doomed: false,
            held_back: false,
            places: (0..branches).map(|_| BranchState::Waiting).collect(),
            shelf: None,
            shelved: 0,
            in_memory: 0,
        }
    }

    /// The running branches.
    pub(super) fn running(&self) -> impl Iterator<Item = TaskId> {
        self.places
            .iter()
            .take(self.started)
            .filter_map(|place| match place {
                BranchState::Running(id) => Some(*id),
                BranchState::Waiting | BranchState::Ended(_) => None,
            })
    }

    /// Records the end of a branch. Returns whether it failed fatally.
    pub(super) fn end(
        &mut self,
        slot: usize,
        done: Done,
        own: FailurePolicy,
        spool: &Spool,
    ) -> bool {
        let fatal = is_fatal(done.end, done.scope, own);
        // A join leaves out the output of a failed branch. The output of a fatal one is the result.
        let kept = match done.end {
            _ if fatal => BranchOutput::Flow(done.flow),
            End::Ok => self.shelve(done.flow, spool),
            End::Skipped | End::Failed | End::TimedOut | End::Cancelled => BranchOutput::Nothing,
        };
        let Done {
            end,
            code,
            stderr,
            scope,
            trail,
            ..
        } = done;
        self.running -= 1;
        self.doomed |= fatal;
        self.places[slot] = BranchState::Ended(Finished {
            end,
            code,
            stderr,
            scope,
            kept,
            trail,
        });
        fatal
    }

    /// Moves an output to the shared file, so that neither memory nor the number of open files
    /// grows with the number of branches.
    fn shelve(&mut self, flow: Flow, spool: &Spool) -> BranchOutput {
        let small = match &flow {
            Flow::None => return BranchOutput::Nothing,
            Flow::Bytes(bytes) => self.in_memory + bytes.len() <= IN_MEMORY,
            Flow::File(_) => self.places.len() <= FEW,
        };
        if let (Flow::Bytes(bytes), true) = (&flow, small) {
            self.in_memory += bytes.len();
        }
        if small {
            BranchOutput::Flow(flow)
        } else {
            self.moved(&flow, spool).unwrap_or(BranchOutput::Flow(flow))
        }
    }

    fn moved(&mut self, flow: &Flow, spool: &Spool) -> io::Result<BranchOutput> {
        let shelf = match &self.shelf {
            Some(shelf) => Arc::clone(shelf),
            None => Arc::clone(self.shelf.insert(Arc::new(spool.file()?))),
        };
        let start = self.shelved;
        let len = match flow {
            Flow::None => 0,
            Flow::Bytes(bytes) => {
                spool::write_at(&shelf, bytes, start)?;
                bytes.len() as u64
            }
            Flow::File(file) => {
                let len = file.metadata()?.len();
                spool::copy_range(file, 0..len, &shelf, start)?;
                len
            }
        };
        self.shelved = start + len;
        Ok(BranchOutput::Part {
            file: shelf,
            start,
            len,
        })
    }
}

/// Whether a branch failed fatally.
pub(super) fn is_fatal(end: End, scope: FailurePolicy, own: FailurePolicy) -> bool {
    end.is_own_failure() && scope.max(own) == FailurePolicy::Root
}
