//! What an observer receives: messages to the coordinator and ends of runs, each of them once (A4).
//!
//! Owns the order of reports; `marks` stores what was reported. The journals of the runs are the
//! queue: the records after a mark are the news. A run that is pruned or archived leaves its
//! journal to its observers, and they report it from there first. Wake-ups (the wake file, new
//! directories, the end of a supervisor) only say when to look; a slow timer covers lost ones. A
//! mark is written after its news were sent, so an observer killed in between receives them again,
//! with the same ids.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use materia_model::name::{RunId, SessionId};

use super::error::Error;
use super::followed::{Followed, Keep};
use super::marks::{ObserverMark, ObserverMarks};
use super::news::{News, NewsEvent};
use crate::clock::Clock;
use crate::process::{Interrupts, ProcessHandle};
use crate::run::{self, DroppedRuns, identity, is_dead};
use crate::store::{dir, tree};
use crate::wake::DirectoryWatch;

/// The longest sleep before an observer checks again by itself.
const RECONCILE: Duration = Duration::from_secs(15);

/// The most news of one batch.
const BATCH: usize = 100;

/// How many supervisors are watched. The ends of others are found at the next check.
const MOST_WATCHED: usize = 512;

/// How many journals are kept open. The others are read from their beginning when they change.
const MOST_OPEN: usize = 128;

/// What an observer watches, and where its marks are.
#[derive(Debug, Clone)]
pub struct Observer {
    /// The directory of all runs.
    pub runs: PathBuf,
    /// The directory of the observer.
    pub folder: PathBuf,
    /// The directory with the file that wakes it.
    pub bell: PathBuf,
    /// The session whose runs it watches; all runs if `None`.
    pub session: Option<SessionId>,
}

/// An observer that watches.
#[derive(Debug)]
pub struct Watching {
    observer: Observer,
    marks: ObserverMarks,
    followed: BTreeMap<RunId, Followed>,
    /// Removed runs whose journals were not reported to their end, with the directories they left;
    /// one per id at a time.
    left: BTreeMap<RunId, (PathBuf, Followed)>,
    /// All removed runs, including those not followed yet.
    gone: BTreeSet<RunId>,
    dropped: Option<DroppedRuns>,
    wake: DirectoryWatch,
}

impl Watching {
    /// Begins to watch. Fails while another process watches for the same observer.
    pub fn open(observer: Observer, clock: &Clock) -> Result<Self, Error> {
        let io = |path: &std::path::Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::Io {
                path,
                source: error,
            }
        };
        let left = run::pending_dir(&observer.folder);
        for folder in [&observer.runs, &observer.bell, &observer.folder] {
            dir::create_private(folder)?;
        }
        let whose = observer
            .session
            .as_ref()
            .map_or_else(|| "all runs".to_owned(), |own| format!("session {own}"));
        let marks = ObserverMarks::open(&observer.folder, &whose, clock)?;
        // From now on, runs that are removed leave their journals here.
        dir::create_private(&left)?;
        let wake = DirectoryWatch::new().map_err(io(&observer.folder))?;
        for folder in [&observer.runs, &observer.bell, &observer.folder, &left] {
            wake.on(folder).map_err(io(folder))?;
        }
        let mut watching = Self {
            observer,
            marks,
            followed: BTreeMap::new(),
            left: BTreeMap::new(),
            gone: BTreeSet::new(),
            dropped: None,
            wake,
        };
        if watching.marks.fresh && watching.observer.session.is_none() {
            // A user who begins to watch all runs wants new events, not old ones.
            watching.skip_the_past()?;
        }
        Ok(watching)
    }

    /// The next batch of news, without waiting. The news of one run come from one directory.
    pub fn news(&mut self) -> Result<Vec<News>, Error> {
        self.wake.drain().map_err(|source| Error::Io {
            path: self.observer.folder.clone(),
            source,
        })?;
        // The order matters: a run that is missing here has already left its journal.
        self.find_runs();
        self.find_left()?;
        let (session, mut news) = (self.observer.session.as_ref(), Vec::new());
        self.dropped = run::dropped(&self.observer.folder);
        news.extend(
            self.dropped
                .as_ref()
                .and_then(|out| News::dropped(out, session.cloned())),
        );
        for (_, followed) in self.left.values_mut() {
            let more = BATCH.saturating_sub(news.len());
            news.extend(
                followed
                    .pending
                    .drain(..more.min(followed.pending.len()))
                    .map(News::gone),
            );
        }
        let mut open = self
            .followed
            .values()
            .filter(|followed| followed.is_open())
            .count();
        for (run, followed) in self
            .followed
            .iter_mut()
            .filter(|(run, _)| !self.gone.contains(run))
        {
            let keep = if followed.is_open() || open < MOST_OPEN {
                Keep::Open
            } else {
                Keep::Closed
            };
            open -= usize::from(followed.is_open());
            followed.catch_up(session, run, self.marks.get(run), keep)?;
            open += usize::from(followed.is_open());
            let more = BATCH.saturating_sub(news.len());
            news.extend(followed.pending.drain(..more.min(followed.pending.len())));
        }
        Ok(news)
    }

    /// Records, durably, that these news were reported.
    pub fn told(&mut self, news: &[News]) -> Result<(), Error> {
        let mut marks: BTreeMap<&RunId, ObserverMark> = BTreeMap::new();
        for one in news
            .iter()
            .filter(|one| !matches!(one.event, NewsEvent::Missed(_)))
        {
            let left = self.left.get(&one.run).map(|(_, left)| left);
            let first = left
                .or_else(|| self.followed.get(&one.run))
                .and_then(|run| run.first.clone());
            let mark = ObserverMark {
                run: one.run.clone(),
                first: first.unwrap_or_default(),
                seq: one.seq,
            };
            marks.insert(&one.run, mark);
        }
        if !marks.is_empty() {
            let there = |run: &RunId| self.followed.contains_key(run) || self.gone.contains(run);
            self.marks.set(marks.into_values(), there)?;
        }
        if let Some(out) = self.dropped.take_if(|_| {
            matches!(
                news,
                [
                    News {
                        event: NewsEvent::Missed(_),
                        ..
                    },
                    ..
                ]
            )
        }) {
            run::forget_dropped(&self.observer.folder, &out)?;
        }
        Ok(())
    }

    /// The runs whose supervisors ended without recording the end of the run.
    pub fn orphans(&self) -> Vec<RunId> {
        let orphaned = |followed: &Followed| followed.supervisor.as_ref().is_some_and(is_dead);
        self.followed
            .iter()
            .filter(|(_, followed)| orphaned(followed))
            .map(|(run, _)| run.clone())
            .collect()
    }

    /// Sleeps until there may be news, or until interrupted.
    pub fn sleep(&self, interrupts: &Interrupts) {
        use std::os::fd::AsFd;

        use rustix::event::{PollFd, PollFlags, Timespec};
        let on = self
            .followed
            .values()
            .filter_map(|followed| followed.supervisor.as_ref());
        let supervisors: Vec<ProcessHandle> = on
            .filter_map(|supervisor| ProcessHandle::of(&identity(supervisor)))
            .take(MOST_WATCHED)
            .collect();
        let mut fds = vec![PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN)];
        let others = supervisors.iter().map(AsFd::as_fd).chain(interrupts.fds());
        fds.extend(others.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let timeout = Timespec::try_from(RECONCILE).ok();
        let _woken = rustix::event::poll(&mut fds, timeout.as_ref());
    }

    fn skip_the_past(&mut self) -> Result<(), Error> {
        self.find_runs();
        let mut marks = Vec::new();
        for (run, followed) in &mut self.followed {
            followed.catch_up(None, run, None, Keep::Closed)?;
            followed.pending.clear();
            let first = followed.first.clone().unwrap_or_default();
            marks.push(ObserverMark {
                run: run.clone(),
                first,
                seq: followed.seq,
            });
        }
        self.marks.set(marks, |_| true)
    }

    /// Follows new runs, and drops those that are gone.
    fn find_runs(&mut self) {
        let ids = run::RunRoot::new(&self.observer.runs)
            .ids()
            .unwrap_or_default();
        let there: BTreeSet<RunId> = ids.into_iter().collect();
        self.followed.retain(|run, _| there.contains(run));
        for run in there {
            if !self.followed.contains_key(&run)
                && let Some(followed) = Followed::at(&self.observer.runs.join(run.as_str()))
            {
                self.followed.insert(run, followed);
            }
        }
    }

    /// Follows the journals of removed runs, the oldest of each id and a bounded number in total,
    /// and deletes those that were reported.
    fn find_left(&mut self) -> Result<(), Error> {
        loop {
            self.gone.clear();
            for path in run::pending(&self.observer.folder) {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or_default();
                let run = name
                    .split_once('.')
                    .and_then(|(_, run)| run.parse::<RunId>().ok());
                let Some(run) = run else { continue };
                if self.left.len() < BATCH
                    && !self.left.contains_key(&run)
                    && let Some(mut followed) = Followed::at(&path)
                {
                    let (session, mark) = (self.observer.session.as_ref(), self.marks.get(&run));
                    followed.catch_up(session, &run, mark, Keep::Closed)?;
                    self.left.insert(run.clone(), (path, followed));
                }
                self.gone.insert(run);
            }
            let told = |followed: &Followed| followed.pending.is_empty();
            let over = self
                .left
                .extract_if(.., |_, (_, followed)| told(followed))
                .collect::<Vec<_>>();
            if over.is_empty() {
                return Ok(());
            }
            for (run, (path, _)) in over {
                tree::discard(&path, &Clock::system().fresh_id())?;
                // A new run with the same id is a different run, so read it from its beginning.
                // Close the journal of one that is being removed.
                if self.followed.remove(&run).is_some()
                    && let Some(another) = Followed::at(&self.observer.runs.join(run.as_str()))
                {
                    self.followed.insert(run, another);
                }
            }
        }
    }
}
