//! One run that a page looks at: what it writes as it writes it, how it stands, what is said, which
//! processes it has.
//!
//! Owns the positions in its two outputs, from where the page names them. The directory of the run
//! tells when to look; a slow look is for processes, which no file tells of.

use std::time::Duration;

use axum::response::sse::Event;
use materia_engine::clock::Stopwatch;
use materia_engine::run::Place;
use materia_engine::store::stream::Growing;
use materia_model::text::Characters;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::super::api;
use super::super::reply::beside;
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::waking::Waking;
use super::{LiveQuery, event};
use materia_engine::api::{ApiError, ErrorKind};

/// How long nothing may happen before we look by ourselves.
const LOOK: Duration = Duration::from_secs(2);
/// How long output is gathered before it is told.
const GATHER: Duration = Duration::from_millis(40);
/// How much of what was written before a page is told at first.
const FIRST: u64 = 128 << 10;
const STREAMS: [Stream; 2] = [Stream::Stdout, Stream::Stderr];

/// One of the two outputs of a run.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OutputStream"))]
#[serde(rename_all = "lowercase")]
enum Stream {
    Stdout,
    Stderr,
}

/// A piece of what a run wrote.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct OutputChunk {
    stream: Stream,
    /// Where it stands in what was written.
    from: u64,
    to: u64,
    text: String,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<OutputChunk>();
}

/// One page and what it was told.
pub(super) struct Run {
    state: State,
    place: Place,
    output: Waking<Growing>,
    /// The beginnings of characters that are not written completely.
    halves: [Characters; 2],
    looked: Option<(Stopwatch, Option<u64>)>,
    told: String,
    page: mpsc::Sender<Event>,
}

/// The page is gone, or the run cannot be read any more.
struct Over;

impl Run {
    /// Looks at a run from where the page left off.
    pub(super) fn open(
        state: State,
        place: Place,
        asked: &LiveQuery,
        page: mpsc::Sender<Event>,
    ) -> Result<Self, ApiError> {
        let paths = [place.stdout(), place.stderr()];
        let length = |at: usize| paths[at].metadata().map_or(0, |metadata| metadata.len());
        let from = |at: usize, given: Option<u64>| match given {
            Some(given) if given <= length(at) => given,
            _ => length(at).saturating_sub(FIRST),
        };
        let from = [from(0, asked.stdout), from(1, asked.stderr)];
        let output = Growing::watch(&paths, from).and_then(Waking::new);
        let output =
            output.map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))?;
        Ok(Self {
            state,
            place,
            output,
            halves: Default::default(),
            looked: None,
            told: String::new(),
            page,
        })
    }

    /// Tells everything until the page is gone.
    pub(super) async fn tell(mut self) {
        while self.look().await.is_ok() {
            tokio::select! {
                () = self.output.woken() => sleep(GATHER).await,
                () = sleep(LOOK) => {}
                () = self.page.closed() => return,
            }
        }
    }

    async fn look(&mut self) -> Result<(), Over> {
        self.output.get().drain().map_err(|_| Over)?;
        for (at, stream) in STREAMS.into_iter().enumerate() {
            while let Some(bytes) = self.output.get().more(at).map_err(|_| Over)? {
                let end = self.output.get().at(at);
                let from = end.saturating_sub((bytes.len() + self.halves[at].waiting()) as u64);
                let text = self.halves[at].push(&bytes);
                let to = end - self.halves[at].waiting() as u64;
                self.send(event(
                    "output",
                    &OutputChunk {
                        stream,
                        from,
                        to,
                        text,
                    },
                ))
                .await?;
            }
        }
        let journal = self
            .place
            .journal()
            .metadata()
            .ok()
            .map(|metadata| metadata.len());
        let fresh =
            |(when, seen): &(Stopwatch, Option<u64>)| when.elapsed() < LOOK && *seen == journal;
        if self.looked.as_ref().is_some_and(fresh) {
            return Ok(());
        }
        self.looked = Some((Stopwatch::start(), journal));
        let (state, id) = (self.state.clone(), self.place.id().clone());
        if let Ok(view) = beside(move || api::run_view(&state, &id)).await {
            let now = serde_json::to_string(&view).unwrap_or_default();
            if now != self.told {
                self.send(Event::default().event("run").data(&now)).await?;
                self.told = now;
            }
        }
        Ok(())
    }

    async fn send(&self, news: Event) -> Result<(), Over> {
        self.page.send(news).await.map_err(|_| Over)
    }
}
