//! One cast that a page watches: its events, its agent's activity, and its state.
//!
//! Owns when to read the cast again: when the kernel reports a change, and periodically for changes
//! that are in no file, such as a driver that died.

use std::time::Duration;

use axum::response::sse::Event;
#[cfg(feature = "typescript")]
use materia_engine::api::{ActivityReport, CastEventRecord, CastStateReport};
use materia_engine::api::{ApiError, CastFollower, CastUpdate, ErrorKind};
use tokio::sync::mpsc;
use tokio::time::sleep;

#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::event;
use super::waking::Waking;

/// Maximum time between two reads of the cast.
const RECONCILE: Duration = Duration::from_secs(2);
/// How long to collect an agent's output before it is sent.
const GATHER: Duration = Duration::from_millis(30);

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<ActivityReport>();
    types.add::<CastEventRecord>();
    types.add::<CastStateReport>();
}

/// A cast and the page that watches it.
pub(super) struct LiveCast {
    cast: Waking<CastFollower>,
    page: mpsc::Sender<Event>,
}

impl LiveCast {
    pub(super) fn new(cast: CastFollower, page: mpsc::Sender<Event>) -> Result<Self, ApiError> {
        let cast = Waking::new(cast)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))?;
        Ok(Self { cast, page })
    }

    /// Sends every update until the page is gone, or the cast cannot be read any more.
    pub(super) async fn tell(mut self) {
        loop {
            let mut spoke = false;
            while let Some(update) = match self.cast.get().next_update() {
                Ok(update) => update,
                Err(_) => return,
            } {
                spoke |= matches!(update, CastUpdate::Activity(_));
                if self.page.send(rendered(&update)).await.is_err() {
                    return;
                }
            }
            if spoke {
                sleep(GATHER).await;
            }
            tokio::select! {
                () = self.cast.woken() => {}
                () = sleep(RECONCILE) => {}
                () = self.page.closed() => return,
            }
        }
    }
}

fn rendered(update: &CastUpdate) -> Event {
    match update {
        CastUpdate::Event(record) => event("record", record).id(record.seq.to_string()),
        CastUpdate::Activity(activity) => event("doing", activity),
        CastUpdate::State(state) => event("state", state),
    }
}
