//! One run that a page watches: its output, state, messages and processes.
//!
//! Owns when to read the run again: when its directory changes, and periodically for its processes,
//! which are in no file.

use std::time::Duration;

use axum::response::sse::Event;
#[cfg(feature = "typescript")]
use materia_engine::api::OutputChunk;
use materia_engine::api::{ApiError, ErrorKind, RunOutput, Stopwatch};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::super::api;
use super::super::reply::beside;
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::event;
use super::waking::Waking;

/// Maximum time between two reads of the run.
const LOOK: Duration = Duration::from_secs(2);
/// How long to collect output before it is sent.
const GATHER: Duration = Duration::from_millis(40);

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<OutputChunk>();
}

/// A run and the page that watches it.
pub(super) struct LiveRun {
    state: State,
    output: Waking<RunOutput>,
    looked: Option<(Stopwatch, Option<u64>)>,
    sent: String,
    page: mpsc::Sender<Event>,
}

/// The page is gone, or the run cannot be read any more.
struct Over;

impl LiveRun {
    /// Watches a run from the positions that the page has reached.
    pub(super) fn open(
        state: State,
        output: RunOutput,
        page: mpsc::Sender<Event>,
    ) -> Result<Self, ApiError> {
        let output = Waking::new(output)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))?;
        Ok(Self {
            state,
            output,
            looked: None,
            sent: String::new(),
            page,
        })
    }

    /// Sends every update until the page is gone.
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
        while let Some(chunk) = self.output.get().next_chunk().map_err(|_| Over)? {
            self.send(event("output", &chunk)).await?;
        }
        let journal = self.output.get().journal_len();
        let fresh =
            |(when, seen): &(Stopwatch, Option<u64>)| when.elapsed() < LOOK && *seen == journal;
        if self.looked.as_ref().is_some_and(fresh) {
            return Ok(());
        }
        self.looked = Some((Stopwatch::start(), journal));
        let (state, run) = (self.state.clone(), self.output.get().run().to_owned());
        let overview = beside(move || state.engine.run_overview(&run, api::LINES));
        if let Ok(overview) = overview.await {
            let now = serde_json::to_string(&overview).unwrap_or_default();
            if now != self.sent {
                self.send(Event::default().event("run").data(&now)).await?;
                self.sent = now;
            }
        }
        Ok(())
    }

    async fn send(&self, news: Event) -> Result<(), Over> {
        self.page.send(news).await.map_err(|_| Over)
    }
}
