//! `watch`: messages to the coordinator and ends of runs, each reported once.
//!
//! Owns which mark is used, and the loop: send the news, then store the mark. A run whose
//! supervisor died is looked at, which ends its remaining processes and records the end, so that
//! its end is reported too.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use materia_model::name::{RunId, SessionId};

use crate::clock::Clock;
use crate::post::{self, News, Observer, Watching};
use crate::process::Interrupts;
use crate::run::{self, RunDir, RunRoot};
use crate::store::dir;

/// An error of watching.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no directory for the observer's marks.
    #[error("the runs root has no directory above it")]
    NoRoom,
    /// Reading the news failed.
    #[error(transparent)]
    Post(#[from] post::Error),
}

impl Error {
    /// A hint for the caller.
    pub fn hint(&self) -> String {
        match self {
            Self::NoRoom => "set MATERIA_HOME to a directory of yours".to_owned(),
            Self::Post(error) => error.hint(),
        }
    }
}

/// The scope of the news.
#[derive(Debug, Clone, Copy, Default)]
pub struct WatchScope<'a> {
    /// The session whose runs are watched; all runs if `None`.
    pub session: Option<&'a SessionId>,
    /// The run that the watcher is a program of. It has its own mark in the run's directory, so its
    /// reports do not count as reports to the host of the session.
    pub within: Option<&'a RunId>,
}

/// Receives the news.
pub trait WatchObserver {
    /// One piece of news. Returns whether to continue.
    fn news(&mut self, news: &News) -> ControlFlow<()>;

    /// The news so far were recorded as reported, durably.
    fn recorded(&mut self) {}

    /// How many pieces to report before recording that; each recording costs a sync.
    fn batch(&self) -> NonZeroUsize {
        NonZeroUsize::MAX
    }
}

/// Why watching ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// The observer stopped.
    Stopped,
    /// All news were reported, and the caller did not want to wait for more.
    Complete,
    /// It was interrupted. The reports so far are recorded.
    Interrupted,
}

/// Reports news until the observer stops, until interrupted, or, if only existing news are wanted,
/// until there are none left.
pub fn watch(
    root: &RunRoot,
    scope: WatchScope<'_>,
    once: bool,
    interrupts: &Interrupts,
    clock: &Clock,
    observer: &mut dyn WatchObserver,
) -> Result<WatchEnd, Error> {
    let mut watching = Watching::open(marks(root, scope)?, clock)?;
    loop {
        let mut news = watching.news()?;
        if news.is_empty() {
            settle_orphans(root, &watching, clock);
            news = watching.news()?;
        }
        for part in news.chunks(observer.batch().get()) {
            let reported = part
                .iter()
                .take_while(|one| observer.news(one).is_continue())
                .count();
            watching.told(&part[..reported])?;
            observer.recorded();
            if reported < part.len() {
                return Ok(WatchEnd::Stopped);
            }
            if interrupts.came() {
                return Ok(WatchEnd::Interrupted);
            }
        }
        if !news.is_empty() {
            continue;
        }
        if once {
            return Ok(WatchEnd::Complete);
        }
        watching.sleep(interrupts);
        if interrupts.came() {
            return Ok(WatchEnd::Interrupted);
        }
    }
}

/// The observer whose marks record what was reported.
fn marks(root: &RunRoot, scope: WatchScope<'_>) -> Result<Observer, Error> {
    let WatchScope { session, within } = scope;
    let bell = run::observer_dir(root, session.map(SessionId::as_str)).ok_or(Error::NoRoom)?;
    let around = within.map(|run| root.place(run)).filter(RunDir::exists);
    let folder = around.map_or_else(|| bell.clone(), |place| place.dir().join("watch"));
    Ok(Observer {
        runs: root.path().to_owned(),
        folder,
        bell,
        session: session.cloned(),
    })
}

/// The directories that change when a run begins, sends to its coordinator or ends. Creates missing
/// ones, because supervisors write only to existing directories.
pub fn bells(root: &RunRoot) -> Vec<std::path::PathBuf> {
    let observer = run::observer_dir(root, None);
    let dirs = [Some(root.path().to_owned()), observer];
    dirs.into_iter()
        .flatten()
        .filter(|dir| dir.is_dir() || dir::create_private(dir).is_ok())
        .collect()
}

/// Looks at runs whose supervisors died, which records their ends. A run that cannot be looked at
/// is retried at the next call.
fn settle_orphans(root: &RunRoot, watching: &Watching, clock: &Clock) {
    for run in watching.orphans() {
        let _recorded = run::look(&root.place(&run), clock);
    }
}
