//! One run that a page looks at: what it writes as it writes it, how it stands, what is said, which
//! processes it has.
//!
//! Owns when to look: the run's directory wakes us, and a slow look is for processes, which are in
//! no file.

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

/// How long nothing may happen before we look by ourselves.
const LOOK: Duration = Duration::from_secs(2);
/// How long output is gathered before it is sent.
const GATHER: Duration = Duration::from_millis(40);

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<OutputChunk>();
}

/// One page and what it was sent.
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
    /// Looks at a run from where the page left off.
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
