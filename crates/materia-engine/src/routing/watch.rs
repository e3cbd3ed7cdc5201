//! `watch`: what runs say to their coordinator, and how they end, told once.
//!
//! Owns whose mark it is, and the loop: news go out, then the mark that they did. A run whose
//! supervisor died is looked at, which ends what it left and records it, so its end is news too.

use std::num::NonZeroUsize;

use materia_model::name::{RunId, SessionId};

use crate::clock::Clock;
use crate::post::{self, News, Observer, Watching};
use crate::process::Interrupts;
use crate::run::{self, Place, Root};
use crate::store::dir;

/// Why nobody watches.
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

/// Who watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Whose<'a> {
    /// The session whose runs are told; all of them where there is none.
    pub session: Option<&'a SessionId>,
    /// The run that the watcher is a program of. It has a mark of its own, in the run's directory:
    /// what it is told is not taken from the host of the session.
    pub within: Option<&'a RunId>,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listening {
    /// Yes.
    Yes,
    /// Nobody listens any more.
    No,
}

/// Who is told.
pub trait Listener {
    /// Tells one piece; whether to go on.
    fn tell(&mut self, news: &News) -> Listening;

    /// What was told so far is remembered, durably.
    fn remembered(&mut self) {}

    /// How many pieces are told before that is so: a sync is paid for each time.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MAX
    }
}

impl<F: FnMut(&News) -> Listening> Listener for F {
    fn tell(&mut self, news: &News) -> Listening {
        self(news)
    }
}

/// Why nothing more is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Nobody listens any more.
    Unheard,
    /// Everything was told, and no more was wanted.
    Told,
    /// The person interrupted it. What was told is remembered.
    Interrupted,
}

/// Tells news until nobody listens, until we are interrupted, or until there are none where only
/// those that are there are wanted.
pub fn watch(
    root: &Root,
    whose: Whose<'_>,
    once: bool,
    interrupts: &Interrupts,
    clock: &Clock,
    mut listener: impl Listener,
) -> Result<Over, Error> {
    let mut watching = Watching::open(observer(root, whose)?, clock)?;
    loop {
        let mut news = watching.news()?;
        if news.is_empty() {
            settle_orphans(root, &watching, clock);
            news = watching.news()?;
        }
        for part in news.chunks(listener.at_once().get()) {
            let heard = part
                .iter()
                .take_while(|one| listener.tell(one) == Listening::Yes)
                .count();
            watching.told(&part[..heard])?;
            listener.remembered();
            if heard < part.len() {
                return Ok(Over::Unheard);
            }
            if interrupts.came() {
                return Ok(Over::Interrupted);
            }
        }
        if !news.is_empty() {
            continue;
        }
        if once {
            return Ok(Over::Told);
        }
        watching.sleep(interrupts);
        if interrupts.came() {
            return Ok(Over::Interrupted);
        }
    }
}

fn observer(root: &Root, whose: Whose<'_>) -> Result<Observer, Error> {
    let Whose { session, within } = whose;
    let bell = run::observer_dir(root, session.map(SessionId::as_str)).ok_or(Error::NoRoom)?;
    let around = within.map(|run| root.place(run)).filter(Place::exists);
    let folder = around.map_or_else(|| bell.clone(), |place| place.dir().join("watch"));
    Ok(Observer {
        runs: root.path().to_owned(),
        folder,
        bell,
        session: session.cloned(),
    })
}

/// The directories in which something happens when a run begins, says something to its coordinator
/// or ends. They are made where they are missing, because nobody rings where nobody listens.
pub fn bells(root: &Root) -> Vec<std::path::PathBuf> {
    let observer = run::observer_dir(root, None);
    let dirs = [Some(root.path().to_owned()), observer];
    dirs.into_iter()
        .flatten()
        .filter(|dir| dir.is_dir() || dir::create_private(dir).is_ok())
        .collect()
}

/// Looks at runs whose supervisors died, which records their ends. One that cannot be looked at is
/// left to the next.
fn settle_orphans(root: &Root, watching: &Watching, clock: &Clock) {
    for run in watching.orphans() {
        let _recorded = run::look(&root.place(&run), clock);
    }
}
