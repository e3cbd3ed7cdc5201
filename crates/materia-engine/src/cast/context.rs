//! The context that a driver needs, and the observer of a cast.
//!
//! Owns the collaborators of a driver, which only the engine assembles, and the observer that a
//! front end passes in. Observers receive events; a cast does not depend on them.

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

/// The collaborators of a driver.
pub struct CastContext<'a> {
    /// The project directory.
    pub cwd: PathBuf,
    /// The user's home directory: `~` in templates (C20).
    pub home: Option<PathBuf>,
    /// The environment, whose secret values are redacted wherever text is written (S3).
    pub variables: &'a BTreeMap<OsString, OsString>,
    /// The clock.
    pub clock: &'a Clock,
    /// The library in which recipes are looked up.
    pub library: Option<Library>,
    /// The agents.
    pub agent: Option<Box<dyn Backend + 'a>>,
    /// The processes that the cast starts, and the interrupts of this process.
    pub processes: &'a mut ProcessSet,
    /// Receives the events of the cast.
    pub observer: &'a mut dyn CastObserver,
}

/// Observes a cast while it is driven.
pub trait CastObserver: TrustObserver {
    /// The definition has these warnings; none of them stops the cast (C13).
    fn warnings(&mut self, _findings: &[Finding]) {}

    /// Passes the counter of user interrupts.
    fn interrupts(&mut self, _count: Arc<AtomicUsize>) {}

    /// A cast is about to be driven through this graph.
    fn begin(&mut self, _graph: &Graph) {}

    /// An interrupted cast continues from this state (C22).
    fn reopen(&mut self, _state: &CastState) {}

    /// This many processes of a dead driver were still running and were ended (A6).
    fn orphans_ended(&mut self, _count: usize) {}

    /// An event was recorded; `_state` is the state after it.
    fn event(&mut self, _event: &CastEvent, _state: &CastState) {}

    /// An agent did something during a visit. Neither logged nor repeated.
    fn activity(&mut self, _place: &VisitId, _activity: &Activity) {}
}

/// An observer that ignores everything.
impl CastObserver for () {}
