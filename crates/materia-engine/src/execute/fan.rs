//! The branches of one parallel node: which wait, which run, and what the finished ones left.
//!
//! Owns their bookkeeping, and keeps outputs without keeping a file open for each: past a few
//! branches they are moved to one file, and a join reads them from there. Decides nothing.

use std::fs::File;
use std::io;
use std::sync::Arc;

use materia_model::template::plan::FailurePolicy;

use super::flow::{Flow, Spool};
use super::task::{Done, End, TaskId, Trail};
use crate::store::spool;

/// Up to how many branches each may keep its own file until the join.
const FEW: usize = 16;
/// How many bytes of small outputs are kept in memory until the join.
const IN_MEMORY: usize = 1 << 20;

/// The branches of a parallel node.
#[derive(Debug)]
pub(super) struct ParallelBranches {
    /// How many have begun.
    pub(super) started: usize,
    /// How many of those are not over.
    pub(super) running: usize,
    /// Whether a branch failed for everybody, so that nothing further starts (T19).
    pub(super) doomed: bool,
    /// Whether it is on the list of those that wait for commands to start.
    pub(super) held_back: bool,
    /// Every branch, in the order of the join.
    pub(super) places: Vec<BranchState>,
    shelf: Option<Arc<File>>,
    shelved: u64,
    in_memory: usize,
}

/// What became of one branch.
#[derive(Debug)]
pub(super) enum BranchState {
    /// It has not begun.
    Waiting,
    /// It runs.
    Running(TaskId),
    /// It is over.
    Ended(Finished),
}

/// A branch that is over.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) end: End,
    pub(super) code: i32,
    pub(super) stderr: String,
    pub(super) scope: FailurePolicy,
    pub(super) kept: BranchOutput,
    pub(super) trail: Trail,
}

/// What a branch wrote.
#[derive(Debug)]
pub(super) enum BranchOutput {
    /// Nothing, or nothing that anybody will read.
    Nothing,
    /// All of this.
    Flow(Flow),
    /// A part of a file.
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

    /// The branches that run.
    pub(super) fn running(&self) -> impl Iterator<Item = TaskId> {
        self.places
            .iter()
            .take(self.started)
            .filter_map(|place| match place {
                BranchState::Running(id) => Some(*id),
                BranchState::Waiting | BranchState::Ended(_) => None,
            })
    }

    /// Notes the end of a branch and whether it failed for everybody.
    pub(super) fn end(
        &mut self,
        slot: usize,
        done: Done,
        own: FailurePolicy,
        spool: &Spool,
    ) -> bool {
        let fatal = is_fatal(done.end, done.scope, own);
        // The output of a failed branch is no part of a join; that of a fatal one is the result.
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

    /// Moves an output to the common file, so that neither memory nor the number of open files
    /// grows with that of branches.
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

/// Whether a branch failed for everybody.
pub(super) fn is_fatal(end: End, scope: FailurePolicy, own: FailurePolicy) -> bool {
    end.is_own_failure() && scope.max(own) == FailurePolicy::Root
}
