//! What a cast is driven with, and who follows it.
//!
//! Owns the collaborators of a driver, which only the engine puts together, and the observer that a
//! front end passes in. Observers receive events; nothing in a cast depends on them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use materia_model::cast::event::VisitId;
use materia_model::cast::{CastEvent, CastState};
use materia_model::finding::Finding;
use materia_model::loadout::graph::Graph;

use crate::agent::{Activity, Backend};
use crate::clock::Clock;
use crate::library::Library;
use crate::process::ProcessSet;
use crate::trust::TrustObserver;

/// What a cast is driven with.
pub struct CastContext<'a> {
    /// The project directory.
    pub cwd: PathBuf,
    /// The user's home directory: `~` in templates (C20).
    pub home: Option<PathBuf>,
    /// The environment, whose secret values are redacted wherever text is written (S3).
    pub variables: &'a BTreeMap<OsString, OsString>,
    /// The clock.
    pub clock: &'a Clock,
    /// Where recipes are looked for.
    pub library: Option<Library>,
    /// The agents.
    pub agent: Option<Box<dyn Backend + 'a>>,
    /// The processes that the cast starts, and the interrupts of this one.
    pub processes: &'a mut ProcessSet,
    /// Who follows the cast.
    pub observer: &'a mut dyn CastObserver,
}

/// Follows a cast while it is driven.
pub trait CastObserver: TrustObserver {
    /// The definition has these warnings; none of them stops the cast (C13).
    fn warnings(&mut self, _findings: &[Finding]) {}

    /// From now on this counts how often the user interrupted.
    fn interrupts(&mut self, _count: Arc<AtomicUsize>) {}

    /// A cast is about to be driven through this graph.
    fn begin(&mut self, _graph: &Graph) {}

    /// A cast that was left in this state is continued (C22).
    fn reopen(&mut self, _state: &CastState) {}

    /// So many processes of a driver that died were still running and were ended (A6).
    fn orphans_ended(&mut self, _count: usize) {}

    /// Something happened, and this is the state after it.
    fn event(&mut self, _event: &CastEvent, _state: &CastState) {}

    /// An agent is seen at work in a visit. Not logged and not repeated.
    fn activity(&mut self, _place: &VisitId, _activity: &Activity) {}
}

/// An observer that ignores everything.
impl CastObserver for () {}
