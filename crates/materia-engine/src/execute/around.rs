//! What a plan that nobody sits in front of has around it: streams that outlive it, a stdin that
//! stays open, commands of a controller.
//!
//! Owns those, what is taken out of them (S3), and the question whether a plan keeps what its
//! commands write besides.

use std::fs::File;
use std::sync::OnceLock;

use materia_model::secret::SecretGuard;
use materia_model::template::Plan;
use materia_model::template::plan::PlanBody;

use crate::process::Stream;
use crate::store::stream;

/// What a plan has around it.
#[derive(Debug, Default)]
pub(crate) struct DetachedIo {
    /// Where everything goes that commands write, besides where the plan has it flow.
    pub streams: Option<Streams>,
    /// What must not get into the streams.
    pub guard: SecretGuard,
    /// Whether commands that would read nothing get a stdin that stays open, for [`ObserverCommand::Feed`].
    pub held: bool,
    /// Why something is missing from the streams.
    missing: OnceLock<String>,
}

/// Two files that grow.
#[derive(Debug)]
pub(crate) struct Streams {
    /// What commands write to stdout.
    pub stdout: File,
    /// What they write to stderr.
    pub stderr: File,
}

/// What a controller may have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObserverCommand {
    /// Stop everything politely; the second time, kill it.
    Stop,
    /// Write this to the stdin of the commands that run.
    Feed(Vec<u8>),
}

impl DetachedIo {
    /// Surroundings in which everything is still to come.
    pub(crate) fn new(streams: Streams, guard: SecretGuard, held: bool) -> Self {
        Self {
            streams: Some(streams),
            guard,
            held,
            missing: OnceLock::new(),
        }
    }

    /// Why something that commands wrote is not in the streams.
    pub(crate) fn missing(&self) -> Option<&str> {
        self.missing.get().map(String::as_str)
    }

    /// Adds to a stream. A full disk loses output, not the run.
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

/// Whether a plan is one command, whatever stands around it: then what it writes flows nowhere.
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
