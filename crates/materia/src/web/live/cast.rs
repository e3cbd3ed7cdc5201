//! One cast that a page looks at: its events as the log has them, what they come to, and what its
//! agent does.
//!
//! Owns the order: events each once and with their number, then the state; of the turn that is
//! running everything that its agent says and does, from the position that the page names. Waking
//! up is the kernel's; a slow look makes up for what is in no log, such as a driver that died.

use std::io;
use std::time::Duration;

use axum::response::sse::Event;
use materia_engine::cast::Folder;
use materia_engine::cast::glance::{self, Head};
use materia_engine::cast::usage;
use materia_engine::verb::activity::{self, Activity};
use materia_engine::verb::steer::Watched;
use materia_model::record::Record;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::super::dto::{CastState, Doing, LiveQuery, Told};
use super::event;
use super::waking::Waking;
use crate::failure::{Failure, Kind};

/// How long nothing may happen before we look by ourselves.
const LOOK: Duration = Duration::from_secs(2);
/// How long words are gathered before they are told.
const GATHER: Duration = Duration::from_millis(30);

/// One page and what it was told.
pub(super) struct Cast {
    log: Waking<Watched>,
    turn: Option<Waking<Activity>>,
    folder: Folder,
    after: u64,
    seen: Option<(String, u64)>,
    told: Option<CastState>,
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
    ) -> Result<Self, Failure> {
        let watched = Watched::open(&folder).map_err(|error| Failure::from(&error))?;
        let log = Waking::new(watched)
            .map_err(|error| Failure::from_error(Kind::Failed, "no_watch", &error))?;
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
            self.turn = Some(Waking::new(Activity::open(&self.folder, &path, from)?)?);
            if from == 0 {
                self.send(event(
                    "doing",
                    &Doing {
                        path,
                        to: 0,
                        lines: Vec::new(),
                    },
                ))
                .await?;
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
            let turn = turn.get();
            let Some(more) = turn.more()? else { break };
            let doing = Doing {
                path: turn.path().to_owned(),
                to: more.to,
                lines: more.lines,
            };
            self.send(event("doing", &doing)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, news: Event) -> Result<(), Over> {
        self.page.send(news).await.map_err(|_| Over)
    }
}

fn told(record: &Record) -> Event {
    let told = Told {
        seq: record.seq,
        at: record.at.to_string(),
        kind: record.kind.clone(),
        data: record.data.clone(),
    };
    event("record", &told).id(record.seq.to_string())
}

fn state_of(watched: &Watched, path: &std::path::Path) -> CastState {
    let state = watched.state();
    CastState {
        status: glance::standing(path, state.status).as_str().to_owned(),
        at: spelled(&Head::of(state, 0).at),
        visits: spelled(&state.visits),
        traversals: spelled(&state.traversals),
        usage: usage(state),
        conversation: spelled(&state.conversation.lines),
        rework: spelled(&state.rework),
        error: spelled(&state.failure),
        raised: spelled(&state.raised),
        started_at: state.started_at.map(|at| at.to_string()),
        updated_at: state.updated_at.map(|at| at.to_string()),
    }
}

fn spelled<T: Serialize>(document: &T) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}
