//! One run as an observer follows it: the position in its journal, and the news not yet reported.
//!
//! Owns reading. A journal stays open only while its run is active, and only for a bounded number
//! of runs: an observer of ten thousand finished runs has no file open. A journal that was replaced
//! or closed is read from its beginning again; the mark says which of its news were reported. A
//! journal that cannot be read now is retried later, and never delays the news of other runs.

use std::path::{Path, PathBuf};

use materia_model::message::event::{MailRecord, MessageHolder};
use materia_model::message::{Address, DeliveryUrgency, MailState, OutboxMessage};
use materia_model::name::{RunId, SessionId};
use materia_model::record;

use super::error::Error;
use super::marks::ObserverMark;
use super::news::{News, NewsEvent, terminal};
use crate::store::journal::{From, JournalError, Reader};

/// A run that is followed.
#[derive(Debug)]
pub(super) struct Followed {
    journal: PathBuf,
    /// Inode, length and modification time of the journal when it was last read to its end.
    seen: Option<(u64, u64, i64)>,
    open: Option<(Reader, MailState)>,
    /// The first generation.
    pub(super) first: Option<String>,
    /// The supervisor, while the run is active.
    pub(super) supervisor: Option<MessageHolder>,
    /// The sequence number of the last record.
    pub(super) seq: u64,
    /// News that were not reported yet.
    pub(super) pending: Vec<News>,
}

/// Whether a journal stays open after it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// It stays open while its run is active.
    Open,
    /// It is closed.
    Closed,
}

impl Followed {
    /// The run in a directory; `None` if there is no journal yet.
    pub(super) fn at(dir: &Path) -> Option<Self> {
        let journal = dir.join("journal.jsonl");
        let new = Self {
            seen: None,
            open: None,
            first: None,
            supervisor: None,
            seq: 0,
            pending: Vec::new(),
            journal,
        };
        new.journal.exists().then_some(new)
    }

    /// Whether its journal is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads new records of the run's journal. With a `session`, reports only runs of that session;
    /// without one, all runs.
    pub(super) fn catch_up(
        &mut self,
        session: Option<&SessionId>,
        run: &RunId,
        mark: Option<&ObserverMark>,
        keep: Keep,
    ) -> Result<(), Error> {
        use std::os::unix::fs::MetadataExt;
        let Ok(metadata) = std::fs::metadata(&self.journal) else {
            return Ok(());
        };
        let changed = metadata
            .mtime()
            .wrapping_mul(1_000_000_000)
            .wrapping_add(metadata.mtime_nsec());
        let now = (metadata.ino(), metadata.len(), changed);
        if self.seen == Some(now) {
            return Ok(());
        }
        let same = self.seen.is_some_and(|seen| seen.0 == now.0);
        let (mut reader, mut mail) = match self.open.take().filter(|_| same) {
            Some(open) => open,
            None => match Reader::open(&self.journal, From::Beginning) {
                Ok(reader) => {
                    self.pending.clear();
                    (reader, MailState::default())
                }
                Err(_) => return Ok(()),
            },
        };
        self.seen = Some(now);
        for record in reader.by_ref() {
            match record {
                Ok(record) => {
                    mail.apply(&record);
                    self.pending
                        .extend(news(&mail, session, run, &record, mark));
                }
                Err(JournalError::Io { .. }) => {
                    self.seen = None;
                    return Ok(());
                }
                // A run that was pruned meanwhile, or is damaged, must not delay the news of other
                // runs.
                Err(JournalError::Damaged { .. } | JournalError::Newer { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        self.first.clone_from(&mail.first_generation);
        self.supervisor = mail.supervisor.clone().filter(|_| mail.is_on());
        self.seq = mail.seq;
        if mail.is_on() && keep == Keep::Open {
            self.open = Some((reader, mail));
        }
        Ok(())
    }
}

/// The news that a record amounts to, for an observer that has not received it.
fn news(
    mail: &MailState,
    session: Option<&SessionId>,
    run: &RunId,
    record: &record::Record,
    mark: Option<&ObserverMark>,
) -> Option<News> {
    let known = MailRecord::read(record)?;
    let ours = session.is_none() || session == mail.session.as_ref();
    let told = mark.is_some_and(|mark| {
        Some(&mark.first) == mail.first_generation.as_ref() && record.seq <= mark.seq
    });
    if !ours || told {
        return None;
    }
    let event = match known {
        MailRecord::Message(message) if is_outbound(&message.envelope.to) => {
            let posted = OutboxMessage::new(record.at, &message);
            if posted.delivery == DeliveryUrgency::Log {
                return None;
            }
            NewsEvent::Message(Box::new(posted))
        }
        // The session requested this end, and received it as the answer.
        MailRecord::End(end)
            if session.is_some() && mail.asked_by.as_ref() == session && is_asked(&end.status) =>
        {
            return None;
        }
        MailRecord::End(end) => terminal(run, record, end.status),
        _ => return None,
    };
    let (generation, session) = (mail.generation.clone(), mail.session.clone());
    Some(News {
        event,
        run: run.clone(),
        generation,
        session,
        seq: record.seq,
    })
}

/// Whether a run ends with this status only on request.
fn is_asked(status: &str) -> bool {
    matches!(status, "killed" | "cancelled")
}

fn is_outbound(to: &Address) -> bool {
    matches!(to, Address::Coordinator | Address::Session(_))
}
