//! The I/O of a plan that runs without a terminal: output files that outlive it, a stdin that stays
//! open, commands of a controller.
//!
//! Owns these, the secrets that are redacted from the output (S3), and the check whether a plan
//! also has to capture what its commands write.

use std::fs::File;
use std::sync::OnceLock;

use materia_model::secret::SecretGuard;
use materia_model::template::Plan;
use materia_model::template::plan::PlanBody;

use crate::process::Stream;
use crate::store::stream;

/// The I/O of a detached plan.
#[derive(Debug, Default)]
pub(crate) struct DetachedIo {
    /// The files that receive all output of commands, in addition to the data flow of the plan.
    pub streams: Option<Streams>,
    /// The secrets to redact from the streams.
    pub guard: SecretGuard,
    /// Whether commands without input get a stdin that stays open, for [`ObserverCommand::Feed`].
    pub held: bool,
    /// Why output is missing from the streams.
    missing: OnceLock<String>,
}

/// Two append-only files.
#[derive(Debug)]
pub(crate) struct Streams {
    /// What commands write to stdout.
    pub stdout: File,
    /// What they write to stderr.
    pub stderr: File,
}

/// A command from a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObserverCommand {
    /// Stops everything with its grace period. The second time, kills it.
    Stop,
    /// Writes these bytes to the stdin of the running commands.
    Feed(Vec<u8>),
}

impl DetachedIo {
    /// Creates the I/O of a plan that has not started.
    pub(crate) fn new(streams: Streams, guard: SecretGuard, held: bool) -> Self {
        Self {
            streams: Some(streams),
            guard,
            held,
            missing: OnceLock::new(),
        }
    }

    /// Why output of commands is missing from the streams, if it is.
    pub(crate) fn missing(&self) -> Option<&str> {
        self.missing.get().map(String::as_str)
    }

    /// Appends to a stream. A full disk loses output, but does not fail the run.
    pub(super) fn add(&self, which: Stream, bytes: &[u8]) {
        let Some(streams) = &self.streams else { return };
        let file = match which {
            Stream::Stdout => &streams.stdout,
            Stream::Stderr => &streams.stderr,
        };
        if let Err(error) = stream::add(file, bytes) {
            self.missing.get_or_init(|| error.to_string());
        }
    }
}

/// Whether a plan is a single command, however it is nested. Then no step reads its output.
pub(super) fn is_one_command(plan: &Plan) -> bool {
    plan.controls.recover.is_none()
        && match &plan.body {
            PlanBody::Command { .. } => true,
            PlanBody::Nested(inner) => is_one_command(inner),
            PlanBody::Sequence(steps) => matches!(&steps[..], [only] if is_one_command(only)),
            PlanBody::Parallel { branches, .. } => {
                matches!(&branches[..], [only] if is_one_command(only))
            }
            PlanBody::Skipped(_) => false,
        }
}
