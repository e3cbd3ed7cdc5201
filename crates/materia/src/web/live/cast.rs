//! One cast that a page looks at: its events as the log has them, what they come to, and what its
//! agent does.
//!
//! Owns the order: events each once and with their number, then the state; of the turn that is
//! running everything that its agent says and does, from the position that the page names. Waking
//! up is the kernel's; a slow look makes up for what is in no log, such as a driver that died.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use axum::response::sse::Event;
use materia_engine::cast::Folder;
#[cfg(feature = "typescript")]
use materia_engine::cast::activity::ActivityReport;
use materia_engine::cast::activity::{self, Activity};
use materia_engine::cast::glance::{self, Head, Position};
use materia_engine::cast::show::CastEventRecord;
use materia_engine::cast::steer::Watched;
use materia_engine::cast::{CastUsage, usage};
use materia_model::cast::Failure as CastFailure;
use materia_model::cast::event::Raise;
use materia_model::cast::rework::Rework;
use materia_model::cast::state::Speaker;
use materia_model::record::Record;
use materia_model::time::Timestamp;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::sleep;

#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::waking::Waking;
use super::{LiveQuery, event};
use materia_engine::api::{ApiError, ErrorKind};

/// How long nothing may happen before we look by ourselves.
const LOOK: Duration = Duration::from_secs(2);
/// How long words are gathered before they are told.
const GATHER: Duration = Duration::from_millis(30);

/// What a cast's events come to, as far as a picture of it needs.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct CastStateReport {
    /// `running`, `interrupted`, `paused`, `complete`, `failed` or `aborted`: proved, not
    /// remembered.
    status: &'static str,
    at: Option<Position>,
    visits: BTreeMap<String, u64>,
    traversals: BTreeMap<String, u64>,
    usage: CastUsage,
    /// Who said what, the newest last.
    conversation: Vec<(Speaker, String)>,
    rework: Vec<Rework>,
    error: Option<CastFailure>,
    /// Limits that were raised.
    raised: Raise,
    started_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<ActivityReport>();
    types.add::<CastEventRecord>();
    types.add::<CastStateReport>();
}

/// One page and what it was told.
pub(super) struct Cast {
    log: Waking<Watched>,
    turn: Option<Waking<Activity>>,
    folder: Folder,
    after: u64,
    seen: Option<(String, u64)>,
    told: Option<CastStateReport>,
    page: mpsc::Sender<Event>,
}

/// The page is gone, or the cast cannot be read any more.
struct Over;

impl From<materia_engine::cast::Error> for Over {
    fn from(_: materia_engine::cast::Error) -> Self {
        Self
    }
}

impl From<io::Error> for Over {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl Cast {
    /// Looks at a cast from where the page left off.
    pub(super) fn open(
        folder: Folder,
        asked: &LiveQuery,
        after: u64,
        page: mpsc::Sender<Event>,
    ) -> Result<Self, ApiError> {
        let watched = Watched::open(&folder).map_err(|error| ApiError::from(&error))?;
        let log = Waking::new(watched)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))?;
        let seen = asked.turn.clone().zip(asked.seen);
        Ok(Self {
            log,
            turn: None,
            folder,
            after,
            seen,
            told: None,
            page,
        })
    }

    /// Tells everything until the page is gone.
    pub(super) async fn tell(mut self) {
        while self.look().await.is_ok() {
            let turn = async {
                match &mut self.turn {
                    Some(turn) => {
                        turn.woken().await;
                        sleep(GATHER).await;
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.log.woken() => {}
                () = turn => {}
                () = sleep(LOOK) => {}
                () = self.page.closed() => return,
            }
        }
    }

    async fn look(&mut self) -> Result<(), Over> {
        let mut begun = None;
        loop {
            let news = self.log.get().news()?;
            if news.is_empty() {
                break;
            }
            for record in &news {
                begun = activity::begun(record).or(begun);
                if record.seq > self.after {
                    self.after = record.seq;
                    self.send(told(record)).await?;
                }
            }
        }
        self.act().await?;
        if let Some(path) = begun {
            let from = self
                .seen
                .take()
                .filter(|(seen, _)| *seen == path)
                .map_or(0, |(_, at)| at);
            let turn = Activity::open(&self.folder, &path, from)?;
            let nothing = turn.nothing();
            self.turn = Some(Waking::new(turn)?);
            if from == 0 {
                self.send(event("doing", &nothing)).await?;
            }
            self.act().await?;
        }
        let now = state_of(self.log.get(), self.folder.path());
        if self.told.as_ref() != Some(&now) {
            self.send(event("state", &now)).await?;
            self.told = Some(now);
        }
        Ok(())
    }

    /// Tells what the agent said and did.
    async fn act(&mut self) -> Result<(), Over> {
        while let Some(turn) = &mut self.turn {
            let Some(more) = turn.get().more()? else {
                break;
            };
            self.send(event("doing", &more)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, news: Event) -> Result<(), Over> {
        self.page.send(news).await.map_err(|_| Over)
    }
}

fn told(record: &Record) -> Event {
    let told = CastEventRecord {
        seq: record.seq,
        at: record.at,
        kind: record.kind.clone(),
        data: record.data.clone(),
    };
    event("record", &told).id(record.seq.to_string())
}

fn state_of(watched: &Watched, path: &Path) -> CastStateReport {
    let state = watched.state();
    CastStateReport {
        status: glance::standing(path, state.status).as_str(),
        at: Head::of(state, 0).at,
        visits: state.visits.clone(),
        traversals: state.traversals.clone(),
        usage: usage(state),
        conversation: state.conversation.lines.clone(),
        rework: state.rework.clone(),
        error: state.failure.clone(),
        raised: state.raised.clone(),
        started_at: state.started_at,
        updated_at: state.updated_at,
    }
}
