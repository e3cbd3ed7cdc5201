//! Live updates: one stream per page, with the list of casts and the events of the one that is looked at.
//!
//! Owns the order: events as the log has them, each once and with its number, then what they come to. A page that was
//! cut off names the last number it saw and goes on behind it, also at another server. Waking up is the kernel's: the
//! log is watched, and a slow look makes up for what is in no log, such as a driver that died.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::PathBuf;
use std::time::Duration;

use axum::extract::{Query, State as Given};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use materia_engine::cast::glance::{self, Head};
use materia_engine::cast::usage;
use materia_engine::verb::cast;
use materia_engine::verb::casts::{self, Filter};
use materia_engine::verb::steer::Watched;
use materia_model::record::Record;
use serde::Serialize;
use serde_json::Value;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

use super::api;
use super::dto::{CastState, LiveQuery, Told};
use super::state::State;
use crate::failure::{Failure, Kind};

/// How long nothing may happen before we look by ourselves.
const LOOK: Duration = Duration::from_secs(2);
/// How many casts a page is told of.
const LISTED: usize = 200;

/// Something that is watched, as the runtime wants it.
struct Wake(Watched);

impl AsRawFd for Wake {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

impl Wake {
    /// Lets the runtime tell when to look again.
    #[expect(deprecated, reason = "its successor is unsafe, and what is registered here owns its descriptor")]
    fn register(self) -> io::Result<AsyncFd<Self>> {
        AsyncFd::with_interest(self, Interest::READABLE)
    }
}

/// One page and what it was told.
struct Page {
    state: State,
    cast: Option<(AsyncFd<Wake>, PathBuf)>,
    after: u64,
    ready: VecDeque<Event>,
    told: Option<CastState>,
    list: String,
    began: bool,
}

/// The stream of a page.
pub(super) async fn live(
    Given(state): Given<State>,
    Query(asked): Query<LiveQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let cast = match &asked.cast {
        None => None,
        Some(id) => {
            let folder = api::folder(&state, id)?;
            let watched = Watched::open(&folder).map_err(|error| Failure::from(&error))?;
            let waking = Wake(watched).register();
            let waking = waking.map_err(|error| Failure::from_error(Kind::Failed, "no_watch", &error))?;
            Some((waking, folder.path().to_owned()))
        }
    };
    let page = Page {
        state,
        cast,
        after: last.or(asked.after).unwrap_or(0),
        ready: VecDeque::new(),
        told: None,
        list: String::new(),
        began: false,
    };
    let events = unfold(page, |mut page| async move {
        let event = page.next().await?;
        Some((Ok::<Event, Infallible>(event), page))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response())
}

impl Page {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if std::mem::replace(&mut self.began, true) {
                self.wait().await;
            }
            if self.look().is_err() {
                return None;
            }
        }
    }

    /// Waits until something is new, or long enough.
    async fn wait(&mut self) {
        match &mut self.cast {
            Some((waking, _)) => {
                if let Ok(Ok(mut guard)) = timeout(LOOK, waking.readable_mut()).await {
                    guard.clear_ready();
                }
            }
            None => {
                let _over = timeout(LOOK, std::future::pending::<()>()).await;
            }
        }
    }

    /// Tells what is new.
    fn look(&mut self) -> Result<(), Failure> {
        if let Some((waking, path)) = &mut self.cast {
            loop {
                let news = waking.get_mut().0.news().map_err(|error| Failure::from(&error))?;
                if news.is_empty() {
                    break;
                }
                self.ready.extend(news.iter().filter(|record| record.seq > self.after).map(told));
            }
            let now = state_of(&waking.get_ref().0, path);
            if self.told.as_ref() != Some(&now) {
                self.ready.push_back(event("state", &now));
                self.told = Some(now);
            }
        }
        let casts = cast::casts(self.state.project(), &self.state.files()?);
        let filter = Filter { limit: Some(LISTED), status: None };
        let mut listing = casts::list(&casts, &filter, &self.state.clock);
        // How long ago something was changes by itself and is no news.
        for one in &mut listing.casts {
            one.age_ms = None;
        }
        let list = serde_json::to_string(&listing).unwrap_or_default();
        if list != self.list {
            self.ready.push_back(Event::default().event("casts").data(&list));
            self.list = list;
        }
        Ok(())
    }
}

fn event<T: Serialize>(name: &str, document: &T) -> Event {
    Event::default().event(name).data(serde_json::to_string(document).unwrap_or_default())
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
