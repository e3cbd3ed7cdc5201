//! Live updates: one stream per page, with the lists it shows and the one cast or run that it
//! watches.
//!
//! Owns combining them. A page that reconnects sends its last positions and gets everything after
//! them, also from another server. Each part is sent by its own task; all tasks end with the page.

mod cast;
mod run;
mod topic;
mod waking;

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Query, State as Given};
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::unfold;
use materia_engine::api::FollowCastRequest;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::api;
use super::reply::{Reply, beside};
use super::state::{State, Topic};
#[cfg(feature = "typescript")]
use super::types::Types;

/// Maximum number of events queued for a slow page; then the senders wait.
const WAITING: usize = 64;

/// What a page watches, and the positions that it has reached.
#[derive(Debug, Default, Deserialize)]
pub(super) struct LiveQuery {
    /// A cast, and the last event that the page has received.
    cast: Option<String>,
    after: Option<u64>,
    /// The turn whose activity the page has received up to `seen`.
    turn: Option<String>,
    seen: Option<u64>,
    /// A run, and how much of its output the page has received.
    run: Option<String>,
    stdout: Option<u64>,
    stderr: Option<u64>,
    /// Additional lists beside those that every page needs, separated by commas.
    also: Option<String>,
}

/// The types of the events that only come live, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    cast::declare(types);
    run::declare(types);
}

/// The stream of a page.
pub(super) async fn live(
    Given(state): Given<State>,
    Query(asked): Query<LiveQuery>,
    headers: HeaderMap,
) -> Reply {
    let last = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let (page, heard) = mpsc::channel(WAITING);
    if let Some(id) = &asked.cast {
        let request = FollowCastRequest {
            cast: Some(api::plain_id(id)?.to_owned()),
            after: last.or(asked.after).unwrap_or(0),
            activity: asked.turn.clone().zip(asked.seen),
        };
        let cast = cast::LiveCast::new(state.engine.follow_cast(request)?, page.clone())?;
        tokio::spawn(cast.tell());
    }
    if let Some(id) = asked.run.clone() {
        let (engine, from) = (state.engine.clone(), [asked.stdout, asked.stderr]);
        let output = beside(move || engine.run_output(&id, from)).await?;
        let run = run::LiveRun::open(state.clone(), output, page.clone())?;
        tokio::spawn(run.tell());
    }
    let also = asked
        .also
        .as_deref()
        .unwrap_or_default()
        .split(',')
        .filter_map(Topic::named);
    let mut topics: Vec<Topic> = [Topic::Casts, Topic::Needs]
        .into_iter()
        .chain(also)
        .collect();
    topics.sort_unstable();
    topics.dedup();
    for topic in topics {
        tokio::spawn(topic.tell(state.clone(), page.clone()));
    }
    let events = unfold(heard, |mut heard| async move {
        let event: Event = heard.recv().await?;
        Some((Ok::<Event, Infallible>(event), heard))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

fn event<T: Serialize>(name: &str, document: &T) -> Event {
    Event::default()
        .event(name)
        .data(serde_json::to_string(document).unwrap_or_default())
}
