//! What an observer is told: messages to the coordinator, and runs that ended; each of them once (A4).
//!
//! Owns the order of telling; what was told is in `marks`. The journals of the runs are
//! the queue: news are whatever stands behind the mark. The wake-ups (a bell, new directories, the end of a supervisor)
//! only say when to look; a slow timer looks without them. A mark is written after its news went out, so an observer that
//! is killed in between hears them again, with the same ids.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use materia_model::message::event::Record;
use materia_model::message::{Address, Delivery, Level, Mail, Posted};
use materia_model::name::{RunId, SessionId};
use materia_model::record;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use super::marks::{Mark, Marks};
use super::office::{identity, is_dead};
use crate::clock::Clock;
use crate::process::Held;
use crate::store::dir;
use crate::store::journal::{From, JournalError, Reader};
use crate::store::wake::Wake;

/// How long an observer sleeps at most before it looks by itself.
const RECONCILE: Duration = Duration::from_secs(15);

/// How many news are told at once at most.
const BATCH: usize = 100;

/// How many supervisors are watched; the ends of the others are found at the next look.
const MOST_WATCHED: usize = 512;

/// Something an observer has to hear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct News {
    /// What it is.
    #[serde(flatten)]
    pub event: Event,
    /// The run it is about.
    pub run: RunId,
    /// Which start of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The session that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Its place in the run's journal; with the run, what tells a repeat.
    pub seq: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The run said something.
    Message(Box<Posted>),
    /// The run ended.
    Terminal(Box<Terminal>),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Terminal {
    /// How.
    pub status: String,
    /// When.
    pub at: Timestamp,
    /// How bad it is.
    pub level: Level,
    /// How urgently it is told.
    pub delivery: Delivery,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Value>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// One line for people.
    pub summary: String,
    /// What one can do next.
    pub next: Vec<String>,
}

/// Whom an observer watches, and where its marks are.
#[derive(Debug, Clone)]
pub struct Observer {
    /// The directory of all runs.
    pub runs: PathBuf,
    /// The directory of the observer; its bell is in it.
    pub folder: PathBuf,
    /// The session whose runs it watches; all of them where there is none.
    pub session: Option<SessionId>,
}

/// An observer that watches.
#[derive(Debug)]
pub struct Watching {
    observer: Observer,
    marks: Marks,
    followed: BTreeMap<RunId, Followed>,
    wake: Wake,
}

/// A run that is followed.
#[derive(Debug)]
struct Followed {
    /// The size and place of its journal when it was last read to the end.
    seen: Option<(u64, u64)>,
    reader: Reader,
    mail: Mail,
    pending: Vec<News>,
}

impl Watching {
    /// Begins to watch. Refused while another process watches for the same observer.
    pub fn open(observer: Observer, clock: &Clock) -> Result<Self, Error> {
        let io = |path: &std::path::Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::Io { path, source: error }
        };
        for folder in [&observer.runs, &observer.folder] {
            dir::create_private(folder)?;
        }
        let wake = Wake::new().map_err(io(&observer.folder))?;
        for folder in [&observer.runs, &observer.folder] {
            wake.on(folder).map_err(io(folder))?;
        }
        let marks = Marks::open(&observer.folder, clock)?;
        let mut watching = Self { observer, marks, followed: BTreeMap::new(), wake };
        if watching.marks.fresh && watching.observer.session.is_none() {
            // A person who begins to watch everything wants to hear what happens, not what once happened.
            watching.skip_the_past()?;
        }
        Ok(watching)
    }

    /// What is new, without waiting; at most so many at a time.
    pub fn news(&mut self) -> Result<Vec<News>, Error> {
        self.wake.quiet().map_err(|source| Error::Io { path: self.observer.folder.clone(), source })?;
        self.find_runs();
        let mut news = Vec::new();
        for run in self.followed.keys().cloned().collect::<Vec<_>>() {
            let more = BATCH - news.len();
            let Some(followed) = self.followed.get_mut(&run) else { continue };
            followed.catch_up(&self.observer, &run, self.marks.get(&run))?;
            news.extend(followed.pending.drain(..more.min(followed.pending.len())));
        }
        Ok(news)
    }

    /// Remembers, durably, that these were told.
    pub fn told(&mut self, news: &[News]) -> Result<(), Error> {
        let mut marks: BTreeMap<&RunId, Mark> = BTreeMap::new();
        for one in news {
            let first =
                self.followed.get(&one.run).and_then(|followed| followed.mail.first_generation.clone());
            let mark = Mark { run: one.run.clone(), first: first.unwrap_or_default(), seq: one.seq };
            marks.insert(&one.run, mark);
        }
        if marks.is_empty() {
            return Ok(());
        }
        self.marks.set(marks.into_values(), |run| self.followed.contains_key(run))
    }

    /// The runs whose supervisors have ended although nothing says that the runs did.
    pub fn orphans(&self) -> Vec<RunId> {
        let orphaned = |followed: &Followed| {
            followed.mail.is_on() && followed.mail.supervisor.as_ref().is_some_and(is_dead)
        };
        self.followed.iter().filter(|(_, followed)| orphaned(followed)).map(|(run, _)| run.clone()).collect()
    }

    /// Sleeps until there may be news.
    pub fn sleep(&self) {
        use std::os::fd::AsFd;

        use rustix::event::{PollFd, PollFlags, Timespec};
        let on = self.followed.values().filter(|followed| followed.mail.is_on());
        let supervisors: Vec<Held> = on
            .filter_map(|followed| Held::of(&identity(followed.mail.supervisor.as_ref()?)))
            .take(MOST_WATCHED)
            .collect();
        let mut fds = vec![PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN)];
        fds.extend(supervisors.iter().map(|held| PollFd::from_borrowed_fd(held.as_fd(), PollFlags::IN)));
        let timeout = Timespec::try_from(RECONCILE).ok();
        let _woken = rustix::event::poll(&mut fds, timeout.as_ref());
    }

    fn skip_the_past(&mut self) -> Result<(), Error> {
        self.find_runs();
        let mut marks = Vec::new();
        for (run, followed) in &mut self.followed {
            followed.catch_up(&self.observer, run, None)?;
            followed.pending.clear();
            let first = followed.mail.first_generation.clone().unwrap_or_default();
            marks.push(Mark { run: run.clone(), first, seq: followed.mail.seq });
        }
        self.marks.set(marks, |_| true)
    }

    /// Follows runs that appeared, and forgets those that are gone.
    fn find_runs(&mut self) {
        let names = std::fs::read_dir(&self.observer.runs).into_iter().flatten();
        let ids = names.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<RunId>().ok());
        let there: std::collections::BTreeSet<RunId> = ids.collect();
        self.followed.retain(|run, _| there.contains(run));
        for run in there {
            if !self.followed.contains_key(&run)
                && let Some(followed) = Followed::open(&self.observer, &run)
            {
                self.followed.insert(run, followed);
            }
        }
    }
}

impl Followed {
    fn open(observer: &Observer, run: &RunId) -> Option<Self> {
        let path = observer.runs.join(run.as_str()).join("journal.jsonl");
        let reader = Reader::open(&path, From::Beginning).ok()?;
        Some(Self { seen: None, reader, mail: Mail::default(), pending: Vec::new() })
    }

    /// Reads what is new in the run's journal, if anything is.
    fn catch_up(&mut self, observer: &Observer, run: &RunId, mark: Option<&Mark>) -> Result<(), Error> {
        use std::os::unix::fs::MetadataExt;
        let path = observer.runs.join(run.as_str()).join("journal.jsonl");
        let Ok(now) = std::fs::metadata(&path).map(|metadata| (metadata.ino(), metadata.len())) else {
            return Ok(());
        };
        if self.seen == Some(now) {
            return Ok(());
        }
        self.seen = Some(now);
        while let Some(record) = self.reader.next() {
            match record {
                Ok(record) => self.read(observer, run, &record, mark),
                // A run that was pruned under us, or is damaged, must not keep the others from being told.
                Err(JournalError::Io { .. } | JournalError::Damaged { .. } | JournalError::Newer { .. }) => {
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn read(&mut self, observer: &Observer, run: &RunId, record: &record::Record, mark: Option<&Mark>) {
        self.mail.apply(record);
        let Some(known) = Record::read(record) else { return };
        let ours = observer.session.is_none() || observer.session == self.mail.session;
        let told = mark.is_some_and(|mark| {
            Some(&mark.first) == self.mail.first_generation.as_ref() && record.seq <= mark.seq
        });
        if !ours || told {
            return;
        }
        let event = match known {
            Record::Message(message) if is_outbound(&message.envelope.to) => {
                let posted = Posted::new(record.at, &message);
                if posted.delivery == Delivery::Log {
                    return;
                }
                Event::Message(Box::new(posted))
            }
            Record::End(end) => terminal(run, record, end.status),
            _ => return,
        };
        let (generation, session) = (self.mail.generation.clone(), self.mail.session.clone());
        self.pending.push(News { event, run: run.clone(), generation, session, seq: record.seq });
    }
}

fn is_outbound(to: &Address) -> bool {
    matches!(to, Address::Coordinator | Address::Session(_))
}

fn terminal(run: &RunId, record: &record::Record, status: String) -> Event {
    let field = |name: &str| record.data.get(name).filter(|value| !value.is_null()).cloned();
    let (level, said) = match status.as_str() {
        "done" => (Level::Info, "completed successfully"),
        "failed" => (Level::Error, "failed"),
        "killed" => (Level::Warning, "was killed"),
        "cancelled" => (Level::Info, "was cancelled"),
        _ => (Level::Warning, "exited before it could say how it went"),
    };
    Event::Terminal(Box::new(Terminal {
        at: record.at,
        level,
        delivery: if status == "cancelled" { Delivery::Notify } else { Delivery::Followup },
        code: field("code"),
        error: field("error"),
        summary: format!("Run {run} {said}."),
        next: vec![format!("materia inspect run:{run}"), format!("materia inspect run:{run} --view tail")],
        status,
    }))
}
