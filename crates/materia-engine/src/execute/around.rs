//! What a plan that nobody sits in front of has around it: streams that outlive it, a stdin that stays open, wishes.
//!
//! Owns those, and the question whether commands may write to the streams themselves. They may when at most one runs at
//! a time and nothing reads what it writes: then an idle supervisor pumps nothing (A7).

use std::fs::File;

use materia_model::template::Plan;
use materia_model::template::plan::Body;

use crate::process::Stream;
use crate::store::stream;

/// What a plan has around it.
#[derive(Debug, Default)]
pub struct Around {
    /// Where everything goes that commands write, besides where the plan has it flow.
    pub streams: Option<Streams>,
    /// Whether commands that would read nothing get a stdin that stays open, for [`Wish::Feed`].
    pub held: bool,
}

/// Two files that grow.
#[derive(Debug)]
pub struct Streams {
    /// What commands write to stdout.
    pub stdout: File,
    /// What they write to stderr.
    pub stderr: File,
}

/// What an observer may wish for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// That everything stops, politely; wished for again, at once.
    Stop,
    /// That the commands that run read this.
    Feed(Vec<u8>),
}

impl Around {
    /// Adds to a stream. A full disk loses output, not the run.
    pub(super) fn add(&self, which: Stream, bytes: &[u8]) {
        let Some(streams) = &self.streams else { return };
        let file = match which {
            Stream::Stdout => &streams.stdout,
            Stream::Stderr => &streams.stderr,
        };
        let _full = stream::add(file, bytes);
    }
}

/// Whether a plan is one command, whatever stands around it.
pub(super) fn runs_one_at_a_time(plan: &Plan) -> bool {
    plan.controls.recover.is_none()
        && match &plan.body {
            Body::Command { .. } => true,
            Body::Nested(inner) => runs_one_at_a_time(inner),
            Body::Sequence(steps) => matches!(&steps[..], [only] if runs_one_at_a_time(only)),
            Body::Parallel { branches, .. } => matches!(&branches[..], [only] if runs_one_at_a_time(only)),
            Body::Skipped(_) => false,
        }
}
