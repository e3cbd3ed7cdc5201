//! `watch`: what runs say to their coordinator, and how they end, reported once.
//!
//! Owns whose mark it is, and the loop: news go out, then the mark that they did. A run whose
//! supervisor died is looked at, which ends what it left and records it, so its end is news too.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use materia_model::name::{RunId, SessionId};

use crate::clock::Clock;
use crate::post::{self, News, Observer, Watching};
use crate::process::Interrupts;
use crate::run::{self, RunDir, RunRoot};
use crate::store::dir;

/// Why nothing is watched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no place for what an observer remembers.
    #[error("the runs root has no directory above it")]
    NoRoom,
    /// The post.
    #[error(transparent)]
    Post(#[from] post::Error),
}

impl Error {
    /// What the caller can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoRoom => "set MATERIA_HOME to a directory of yours".to_owned(),
            Self::Post(error) => error.hint(),
        }
    }
}

/// Whose news are reported.
#[derive(Debug, Clone, Copy, Default)]
pub struct WatchScope<'a> {
    /// The session whose runs are watched; all of them where there is none.
    pub session: Option<&'a SessionId>,
    /// The run that the watcher is a program of. It has a mark of its own, in the run's directory:
    /// what is reported to it is still news for the host of the session.
    pub within: Option<&'a RunId>,
}

/// Gets the news.
pub trait WatchObserver {
    /// One piece of news; whether to continue.
    fn news(&mut self, news: &News) -> ControlFlow<()>;

    /// That the news so far were reported is recorded, durably.
    fn recorded(&mut self) {}

    /// How many pieces are reported before that is recorded: each time costs a sync.
    fn batch(&self) -> NonZeroUsize {
        NonZeroUsize::MAX
    }
}

/// Why nothing more is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// The observer stopped.
    Stopped,
    /// Everything was reported, and no more was asked for.
    Complete,
    /// It was interrupted. What was reported is recorded.
    Interrupted,
}

/// Reports news until the observer stops, until we are interrupted, or until there are none where
/// only those that are there are asked for.
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

/// Where it is recorded what was reported.
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

/// The directories in which something happens when a run begins, says something to its coordinator
/// or ends. They are made where they are missing: supervisors write only to those that exist.
pub fn bells(root: &RunRoot) -> Vec<std::path::PathBuf> {
    let observer = run::observer_dir(root, None);
    let dirs = [Some(root.path().to_owned()), observer];
    dirs.into_iter()
        .flatten()
        .filter(|dir| dir.is_dir() || dir::create_private(dir).is_ok())
        .collect()
}

/// Looks at runs whose supervisors died, which records their ends. One that cannot be looked at is
/// left to the next.
fn settle_orphans(root: &RunRoot, watching: &Watching, clock: &Clock) {
    for run in watching.orphans() {
        let _recorded = run::look(&root.place(&run), clock);
    }
}
