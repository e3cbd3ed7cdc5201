//! Parallel nodes: starts branches within the limits, and handles the effect of one end on the
//! others.
//!
//! Owns the rules of fan-out, quorum and cancellation (T10, T17, T19, T20). The text of a join is
//! in `join`.

use materia_model::template::plan::{FailurePolicy, PlanBody};

use super::fan::{BranchOutput, BranchState, Finished, ParallelBranches, is_fatal};
use super::flow::Flow;
use super::report::BranchStatus;
use super::task::{Done, End, NodeStop, Phase, TaskId, Trail};
use super::walk::{Action, PlanWalk};
use super::{join, report};

impl<'p> PlanWalk<'_, 'p> {
    /// Starts branches within the limits, but no more than commands can use: a waiting branch holds
    /// open files.
    pub(super) fn fill(&mut self, id: TaskId) {
        loop {
            let held_back = self.has_enough_to_do();
            let Some(task) = self.task(id) else { return };
            let PlanBody::Parallel {
                branches,
                concurrency,
                ..
            } = &task.plan.body
            else {
                return;
            };
            let (input, stopping) = (task.input.clone(), task.stopping.is_some());
            let Phase::Parallel(fan) = &mut task.phase else {
                return;
            };
            let open = !stopping && !fan.doomed && fan.running < *concurrency;
            let Some(next) = branches.get(fan.started).filter(|_| open) else {
                break;
            };
            if held_back {
                if !std::mem::replace(&mut fan.held_back, true) {
                    self.held_back.push(id);
                }
                return;
            }
            let slot = fan.started;
            fan.started += 1;
            fan.running += 1;
            let child = self.add(next, Some((id, slot)), input);
            if let Some(Phase::Parallel(fan)) = self.task(id).map(|task| &mut task.phase) {
                fan.places[slot] = BranchState::Running(child);
            }
        }
        self.join_if_complete(id);
    }

    /// Continues one node that was held back, the innermost first. Returns whether there was one.
    pub(super) fn fill_held_back(&mut self) -> bool {
        if self.has_enough_to_do() {
            return false;
        }
        let Some(id) = self.held_back.pop() else {
            return false;
        };
        if let Some(Phase::Parallel(fan)) = self.task(id).map(|task| &mut task.phase) {
            fan.held_back = false;
            self.fill(id);
        }
        true
    }

    /// Whether as many commands are queued as could run.
    fn has_enough_to_do(&self) -> bool {
        self.queue.len() + self.actions.len() >= self.jobs
    }

    /// Handles the end of a branch: a fatal failure stops the others, otherwise the next one
    /// starts.
    pub(super) fn branch_ended(&mut self, id: TaskId, slot: usize, done: Done) {
        let Some(task) = self.tasks.get_mut(id) else {
            return;
        };
        let own = task.plan.controls.failure;
        let Phase::Parallel(fan) = &mut task.phase else {
            return;
        };
        if fan.end(slot, done, own, &self.spool) {
            self.doom(id);
        }
        self.fill(id);
    }

    /// Propagates a fatal failure upwards: stops the siblings at once, on every level up to the
    /// first node that retries (T19).
    fn doom(&mut self, from: TaskId) {
        let (mut id, mut below) = (from, None);
        while let Some(task) = self.task(id) {
            let (parent, tries_again) = (task.parent, task.tries_again());
            let others: Vec<TaskId> = match &mut task.phase {
                Phase::Parallel(fan) => {
                    fan.doomed = true;
                    fan.running()
                        .filter(|child| Some(*child) != below)
                        .collect()
                }
                _ => Vec::new(),
            };
            others
                .into_iter()
                .for_each(|sibling| self.stop(sibling, NodeStop::Cancelled));
            let Some((parent, _)) = parent.filter(|_| !tries_again) else {
                return;
            };
            (id, below) = (parent, Some(id));
        }
    }

    fn join_if_complete(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let PlanBody::Parallel {
            branches,
            min_successful,
            ..
        } = &task.plan.body
        else {
            return;
        };
        let (plan, stopping) = (task.plan, task.stopping.is_some());
        let Phase::Parallel(fan) = &mut task.phase else {
            return;
        };
        let complete = fan.started == branches.len() || stopping || fan.doomed;
        if fan.running > 0 || !complete {
            return;
        }
        let places = std::mem::take(&mut fan.places);
        task.phase = Phase::Idle;
        let done = self.joined(branches, places, plan.controls.failure, *min_successful);
        self.actions.push_back(Action::Settle(id, done));
    }

    fn joined(
        &self,
        plans: &'p [materia_model::template::Plan],
        mut places: Vec<BranchState>,
        own: FailurePolicy,
        min_successful: usize,
    ) -> Done {
        let mut trail = Trail::default();
        finished(&mut places).for_each(|branch| trail.absorb(std::mem::take(&mut branch.trail)));
        let reports: Vec<report::Branch> = plans
            .iter()
            .zip(&places)
            .enumerate()
            .map(join::report)
            .collect();
        let fatal = finished(&mut places).find(|branch| is_fatal(branch.end, branch.scope, own));
        if let Some(Finished {
            end,
            code,
            stderr,
            kept,
            ..
        }) = fatal
        {
            let flow = match std::mem::replace(kept, BranchOutput::Nothing) {
                BranchOutput::Flow(flow) => flow,
                BranchOutput::Part { .. } | BranchOutput::Nothing => Flow::None,
            };
            let (end, code, stderr) = (*end, *code, std::mem::take(stderr));
            trail.branches.extend(reports);
            return Done {
                end,
                code,
                stderr,
                scope: FailurePolicy::Root,
                trail,
                flow,
            };
        }
        let succeeded = reports
            .iter()
            .filter(|branch| branch.status == BranchStatus::Done)
            .count();
        let flow = join::text(&self.spool, &reports, &places);
        trail.branches.extend(reports);
        let failed = finished(&mut places).find(|branch| branch.end.is_failure());
        let (code, stderr) = failed.map_or((0, String::new()), |branch| {
            (branch.code, branch.stderr.clone())
        });
        match flow {
            Err(error) => {
                let stderr = format!("the branches cannot be joined: {error}");
                Done {
                    end: End::Failed,
                    code: 1,
                    stderr,
                    trail,
                    ..Done::ok(Flow::None)
                }
            }
            Ok(flow) if succeeded < min_successful => {
                let stderr = format!("{succeeded} of at least {min_successful} branches succeeded");
                Done {
                    end: End::Failed,
                    code: code.max(1),
                    stderr,
                    trail,
                    ..Done::ok(flow)
                }
            }
            Ok(flow) if own == FailurePolicy::Branch && code != 0 => Done {
                end: End::Failed,
                code,
                stderr,
                trail,
                ..Done::ok(flow)
            },
            Ok(flow) => Done {
                stderr,
                trail,
                ..Done::ok(flow)
            },
        }
    }
}

/// The initial phase of an attempt of a parallel node.
pub(super) fn unstarted(branches: usize) -> Phase {
    Phase::Parallel(ParallelBranches::new(branches))
}

fn finished(places: &mut [BranchState]) -> impl Iterator<Item = &mut Finished> {
    places.iter_mut().filter_map(|place| match place {
        BranchState::Ended(branch) => Some(branch),
        BranchState::Waiting | BranchState::Running(_) => None,
    })
}
