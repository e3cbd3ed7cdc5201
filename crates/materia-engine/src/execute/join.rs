//! Parallel nodes: starting branches, and joining them in their order.
//!
//! Owns the join text, the quorum and what a failed branch means for its siblings (T17, T19, T20).

use materia_model::template::Plan;
use materia_model::template::plan::{Body, Failure};

use super::flow::{Flow, Piece};
use super::report::{Branch, BranchStatus};
use super::task::{Done, End, Phase, Stop, TaskId, Trail};
use super::walk::{Action, Walk};

impl<'p> Walk<'_, 'p> {
    /// Starts branches while there is a place for them.
    pub(super) fn fill(&mut self, id: TaskId) {
        loop {
            let Some(task) = self.task(id) else { return };
            let Body::Parallel { branches, concurrency, .. } = &task.plan.body else { return };
            let (input, stopping) = (task.input.clone(), task.stopping.is_some());
            let Phase::Parallel { started, running, .. } = &mut task.phase else { return };
            let Some(next) = branches.get(*started) else { break };
            if stopping || running.len() >= *concurrency {
                break;
            }
            let slot = *started;
            *started += 1;
            let child = self.add(next, Some((id, slot)), input);
            if let Some(Phase::Parallel { running, .. }) = self.task(id).map(|task| &mut task.phase) {
                running.push(child);
            }
        }
        self.join_if_complete(id);
    }

    /// A branch is over: a failure for everybody stops the others, else the next one starts.
    pub(super) fn branch_ended(&mut self, id: TaskId, slot: usize) {
        let Some(task) = self.task(id) else { return };
        let own = task.plan.controls.failure;
        let Phase::Parallel { running, ended, .. } = &mut task.phase else { return };
        let fatal = ended[slot].as_ref().is_some_and(|done| is_fatal(done, own));
        if !fatal {
            return self.fill(id);
        }
        let others = running.clone();
        others.into_iter().for_each(|sibling| self.stop(sibling, Stop::Cancelled));
        self.join_if_complete(id);
    }

    fn join_if_complete(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let Body::Parallel { branches, min_successful, .. } = &task.plan.body else { return };
        let (own, stopping) = (task.plan.controls.failure, task.stopping.is_some());
        let Phase::Parallel { started, running, ended } = &mut task.phase else { return };
        let fatal = ended.iter().flatten().any(|done| is_fatal(done, own));
        let complete = *started == branches.len() || stopping || fatal;
        if !running.is_empty() || !complete {
            return;
        }
        let ended = std::mem::take(ended);
        let done = self.join(branches, ended, own, *min_successful);
        self.actions.push_back(Action::Settle(id, done));
    }

    fn join(
        &mut self,
        plans: &'p [Plan],
        mut ended: Vec<Option<Done>>,
        own: Failure,
        min_successful: usize,
    ) -> Done {
        let mut trail = Trail::default();
        ended.iter_mut().flatten().for_each(|done| trail.absorb(std::mem::take(&mut done.trail)));
        let reports: Vec<Branch> = plans.iter().zip(&ended).enumerate().map(report).collect();
        let done_count = reports.iter().filter(|branch| branch.status == BranchStatus::Done).count();
        let joined = self.join_text(&reports, &ended);
        trail.branches.extend(reports);

        if let Some(fatal) = ended.iter_mut().find_map(|done| done.take_if(|done| is_fatal(done, own))) {
            return Done { scope: Failure::Root, trail, ..fatal };
        }
        let first_failure = ended.iter().flatten().find(|done| done.end.is_failure());
        let (code, stderr) =
            first_failure.map_or((1, String::new()), |done| (done.code, done.stderr.clone()));
        let branch_failed = own == Failure::Branch && first_failure.is_some();
        match joined {
            Ok(flow) if done_count < min_successful => {
                let missed = format!("{done_count} of at least {min_successful} branches succeeded");
                Done { end: End::Failed, code, stderr: missed, trail, ..Done::ok(flow) }
            }
            Ok(flow) if branch_failed => Done { end: End::Failed, code, stderr, trail, ..Done::ok(flow) },
            Ok(flow) => Done { stderr, trail, ..Done::ok(flow) },
            Err(error) => {
                let stderr = format!("the branches cannot be joined: {error}");
                Done { end: End::Failed, code: 1, stderr, trail, ..Done::ok(Flow::None) }
            }
        }
    }

    fn join_text(&self, reports: &[Branch], ended: &[Option<Done>]) -> std::io::Result<Flow> {
        let mut pieces = Vec::with_capacity(2 * reports.len());
        for (index, (branch, done)) in reports.iter().zip(ended).enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            let header =
                format!("{separator}--- branch: {} status: {} ---\n", branch.label, branch.status.word());
            match branch.status {
                BranchStatus::Done => {
                    pieces.push(Piece::Text(header));
                    pieces.push(Piece::Flow(done.as_ref().map_or(Flow::None, |done| done.flow.clone())));
                }
                BranchStatus::Skipped => pieces.push(Piece::Text(header)),
                BranchStatus::Failed | BranchStatus::Timeout | BranchStatus::Cancelled => {
                    let said = if branch.stderr.is_empty() {
                        String::new()
                    } else {
                        format!("\nstderr: {}", branch.stderr)
                    };
                    pieces.push(Piece::Text(format!("{header}exit: {}{said}", branch.code)));
                }
            }
        }
        self.spool.joined(&pieces)
    }
}

/// Whether a branch failed for everybody.
fn is_fatal(done: &Done, own: Failure) -> bool {
    matches!(done.end, End::Failed | End::TimedOut) && done.scope.max(own) == Failure::Root
}

fn report((index, (plan, done)): (usize, (&Plan, &Option<Done>))) -> Branch {
    let label = plan.controls.label.clone().unwrap_or_else(|| format!("branch {}", index + 1));
    let Some(done) = done else {
        return Branch { label, status: BranchStatus::Cancelled, code: 130, stderr: String::new() };
    };
    let status = match done.end {
        End::Ok => BranchStatus::Done,
        End::Skipped => BranchStatus::Skipped,
        End::Failed => BranchStatus::Failed,
        End::TimedOut => BranchStatus::Timeout,
        End::Cancelled => BranchStatus::Cancelled,
    };
    let stderr = if done.end.is_failure() { done.stderr.clone() } else { String::new() };
    Branch { label, status, code: done.code, stderr }
}
