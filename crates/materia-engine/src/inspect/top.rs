//! `top`: everything that runs here, at a glance, and waking up when something of it changes.
//!
//! Owns the look over runs and casts and the set of watched directories. What changed is never read
//! from an event: it only means "look again", so a lost one loses nothing. Whoever looks adds a
//! slow look of its own, for what no file tells, such as a supervisor that was killed.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::WatchFlags;

use crate::cast::list;
use crate::clock::Clock;
pub use crate::inspect::processes;
use crate::inspect::{self, Filter};
use crate::process::{Below, Identity, below};
use crate::run::{Error, Listed, Root};
use crate::wake::inotify::InotifyWatch;

/// How many casts are looked at.
const MOST_CASTS: usize = 100;
/// How many directories are watched at a time.
const MOST_WATCHED: usize = 400;

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The directory of all runs.
    pub root: &'a Root,
    /// The directory of the project's casts.
    pub casts: &'a Path,
    /// The session that asks; the operator has none.
    pub caller: Option<&'a str>,
}

/// What there is.
#[derive(Debug)]
pub struct Looked {
    /// The runs, the newest first.
    pub runs: Vec<Listed>,
    /// The casts, the newest first.
    pub casts: Vec<list::CastListItem>,
}

/// Looks at everything, proved (P4).
pub fn look(place: Place<'_>, clock: &Clock) -> Result<Looked, Error> {
    let mut runs =
        inspect::inventory(place.root, None, place.caller, Filter::default(), clock)?.runs;
    runs.sort_by_key(|run| std::cmp::Reverse(run.started_at));
    let filter = list::Filter {
        limit: Some(MOST_CASTS),
        status: None,
    };
    // A session's casts are seen through its runs.
    let casts = if place.caller.is_none() {
        list::list(place.casts, &filter, clock).casts
    } else {
        Vec::new()
    };
    Ok(Looked { runs, casts })
}

/// The processes of a cast that somebody drives.
pub fn processes_of(driver: u32) -> Vec<Below> {
    i32::try_from(driver)
        .ok()
        .and_then(Identity::of)
        .map(|driver| below(&driver))
        .unwrap_or_default()
}

/// Somebody who sleeps until something changes.
#[derive(Debug)]
pub struct Vigil {
    watch: InotifyWatch,
    watched: BTreeMap<PathBuf, i32>,
}

impl Vigil {
    /// Watches nothing yet.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            watch: InotifyWatch::new()?,
            watched: BTreeMap::new(),
        })
    }

    /// Watches where new runs and casts appear, and the directories of those that are still going.
    pub fn over(&mut self, place: Place<'_>, looked: &Looked) {
        let open = looked.runs.iter().filter(|run| !run.status.is_terminal());
        let runs = open.map(|run| place.root.path().join(&run.run));
        let casts = looked
            .casts
            .iter()
            .filter(|cast| matches!(cast.status, "running" | "paused"));
        let casts = casts.map(|cast| PathBuf::from(&cast.run_dir));
        let roots = [place.root.path().to_owned(), place.casts.to_owned()];
        let wanted: Vec<PathBuf> = roots
            .into_iter()
            .chain(runs)
            .chain(casts)
            .take(MOST_WATCHED)
            .collect();
        let gone: Vec<PathBuf> = self
            .watched
            .keys()
            .filter(|path| !wanted.contains(path))
            .cloned()
            .collect();
        for path in gone {
            if let Some(watched) = self.watched.remove(&path) {
                self.watch.remove(watched);
            }
        }
        let flags =
            WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
        for path in wanted {
            if !self.watched.contains_key(&path)
                && let Ok(watched) = self.watch.add(&path, flags)
            {
                self.watched.insert(path, watched);
            }
        }
    }

    /// Whether something changed since the last time.
    pub fn stirred(&self) -> bool {
        self.watch.drain_any().unwrap_or(true)
    }
}

impl AsFd for Vigil {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}
