//! `top`: all runs and casts, the details of one of them, and a wake-up when something changes.
//!
//! Owns what is listed, the sides of a run or cast that can be shown, and the set of watched
//! directories. A watch event only means "look again", so a lost event loses nothing. A killed
//! process changes no file, so callers also look periodically.

mod detail;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::inotify::WatchFlags;
use serde::Serialize;

pub use detail::{TopDetail, TopError, TopMessage, TopSide, TopSubject};

use super::StatusFilter;
use crate::cast::ObservedStatus;
use crate::cast::list::{self, CastListItem};
use crate::clock::Clock;
use crate::process::ProcessSet;
use crate::run::{Error, RunListItem, RunRoot};
use crate::wake::inotify::InotifyWatch;

/// How many casts are listed.
const MAX_CASTS: usize = 100;
/// How many directories are watched at a time.
const MAX_WATCHED: usize = 400;

/// The directories of runs and casts, and the caller's session.
#[derive(Debug)]
pub struct TopContext {
    /// The directory of all runs.
    pub root: RunRoot,
    /// The directory of the project's casts.
    pub casts: PathBuf,
    /// The session of the caller; `None` for the operator.
    pub session: Option<String>,
    /// The clock.
    pub clock: Clock,
}

/// All runs and casts.
#[derive(Debug, Serialize)]
pub struct TopReport {
    /// Always true.
    pub ok: bool,
    /// The runs, the newest first.
    pub runs: Vec<RunListItem>,
    /// The casts, the newest first.
    pub casts: Vec<CastListItem>,
}

impl TopContext {
    /// Lists all runs and casts.
    pub fn list(&self) -> Result<TopReport, Error> {
        // A session sees its casts through its runs.
        let casts = match &self.session {
            None => list::list(&self.casts, Some(MAX_CASTS), None, &self.clock).casts,
            Some(_) => Vec::new(),
        };
        let (runs, ok) = (self.runs()?, true);
        Ok(TopReport { ok, runs, casts })
    }

    fn runs(&self) -> Result<Vec<RunListItem>, Error> {
        let session = self.session.as_deref();
        let inventory = super::inventory(
            &self.root,
            None,
            session,
            StatusFilter::default(),
            &self.clock,
        )?;
        let mut runs = inventory.runs;
        runs.sort_by_key(|run| std::cmp::Reverse(run.started_at));
        Ok(runs)
    }
}

/// A list of runs and casts that reports when to look again.
#[derive(Debug)]
pub struct TopWatch {
    context: TopContext,
    inotify: InotifyWatch,
    watched: BTreeMap<PathBuf, i32>,
    /// Spawns nothing: it only catches interrupts.
    signals: ProcessSet,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopWake {
    /// Whether something changed.
    pub changed: bool,
    /// Whether the process was asked to end.
    pub interrupted: bool,
}

impl TopWatch {
    /// Catches interrupts from now on. Watches nothing yet.
    pub fn open(context: TopContext) -> io::Result<Self> {
        let mut signals = ProcessSet::new();
        signals.catch_interrupts()?;
        Ok(Self {
            context,
            inotify: InotifyWatch::new()?,
            watched: BTreeMap::new(),
            signals,
        })
    }

    /// Lists all runs and casts, and watches the directories of new and active ones.
    pub fn list(&mut self) -> Result<TopReport, Error> {
        let report = self.context.list()?;
        let root = self.context.root.path();
        let runs = report.runs.iter().filter(|run| !run.status.is_terminal());
        let casts = report.casts.iter().filter(|cast| {
            matches!(
                cast.status,
                ObservedStatus::Running | ObservedStatus::Paused
            )
        });
        let directories: Vec<PathBuf> = [root.to_owned(), self.context.casts.clone()]
            .into_iter()
            .chain(runs.map(|run| root.join(&run.run)))
            .chain(casts.map(|cast| PathBuf::from(&cast.run_dir)))
            .take(MAX_WATCHED)
            .collect();
        self.watch(directories);
        Ok(report)
    }

    /// Watches exactly these directories.
    fn watch(&mut self, directories: Vec<PathBuf>) {
        self.watched.retain(|path, watched| {
            let stays = directories.contains(path);
            if !stays {
                self.inotify.remove(*watched);
            }
            stays
        });
        let flags =
            WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
        for path in directories {
            if !self.watched.contains_key(&path)
                && let Ok(watched) = self.inotify.add(&path, flags)
            {
                self.watched.insert(path, watched);
            }
        }
    }

    /// Reads one side of a run or cast.
    pub fn detail(&self, subject: &TopSubject, side: TopSide) -> Result<TopDetail, TopError> {
        self.context.detail(subject, side)
    }

    /// Sleeps until there is input, something changes, a signal comes or the timeout expires.
    pub fn wait(&mut self, input: BorrowedFd<'_>, timeout: Duration) -> TopWake {
        let mut fds = [
            PollFd::from_borrowed_fd(input, PollFlags::IN),
            PollFd::new(&self.inotify, PollFlags::IN),
        ];
        let timeout = Timespec::try_from(timeout).ok();
        // A signal, such as a resize of the terminal, ends the sleep early.
        let _interrupted = rustix::event::poll(&mut fds, timeout.as_ref());
        TopWake {
            changed: self.inotify.drain_any().unwrap_or(true),
            interrupted: self.signals.rest(Duration::ZERO).is_some(),
        }
    }
}
