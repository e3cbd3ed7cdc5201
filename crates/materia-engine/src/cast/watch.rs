//! Watching a turn: who is told, what is kept of it, and when the budget ends it.
//!
//! Owns the artifact `activity.jsonl` of a turn, which other processes can follow while it grows. It is bounded, not
//! synced, and nothing is ever read back from it: what counts is in the log. A turn that spends more than the budget
//! has left is ended at once, unless the person raised it meanwhile (C11).

use std::io::Write;

use materia_model::agent::Usage;
use materia_model::cast::budget::{Limit, Spending};
use materia_model::cast::event::Place;

use super::driver::Listener;
use super::folder::{ACTIVITY, Folder};
use crate::agent::{Activity, Order, Watch};
use crate::store::artifact::NewArtifact;

/// How much of what a turn does is kept, in bytes.
const MAX_KEPT: usize = 512 << 10;

/// Somebody who watches a turn for the cast.
pub(super) struct Watcher<'a> {
    folder: &'a Folder,
    place: &'a Place,
    attempt: u64,
    limit: Limit,
    raised: &'a dyn Fn() -> Limit,
    spent: &'a Spending,
    listener: &'a mut dyn Listener,
    kept: Kept,
    last: Usage,
}

enum Kept {
    Nothing,
    Some(NewArtifact, usize),
    Enough,
}

impl<'a> Watcher<'a> {
    /// A watcher of one attempt of a visit, in a cast that spent this much; `raised` says which limit holds by now.
    pub(super) fn new(
        folder: &'a Folder,
        place: &'a Place,
        attempt: u64,
        raised: &'a dyn Fn() -> Limit,
        spent: &'a Spending,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let (limit, kept, last) = (raised(), Kept::Nothing, Usage::default());
        Self { folder, place, attempt, limit, raised, spent, listener, kept, last }
    }

    /// Adds a line to the artifact. That it cannot be written hurts nobody but those who wanted to look on.
    fn keep(&mut self, activity: &Activity) {
        if let Kept::Nothing = self.kept {
            let made = self.folder.artifact(self.place, self.attempt, ACTIVITY);
            self.kept = made.map_or(Kept::Enough, |(_, artifact)| Kept::Some(artifact, 0));
        }
        let Kept::Some(artifact, written) = &mut self.kept else { return };
        let Ok(mut line) = serde_json::to_vec(activity) else { return };
        line.push(b'\n');
        *written += line.len();
        let enough = *written > MAX_KEPT;
        if enough {
            line = b"{\"type\":\"cut\"}\n".to_vec();
        }
        if artifact.write_all(&self.folder.clean(&line)).is_err() || enough {
            self.kept = Kept::Enough;
        }
    }
}

impl Watch for Watcher<'_> {
    fn see(&mut self, activity: &Activity) -> Order {
        if let Activity::Usage { usage } = activity {
            if std::mem::replace(&mut self.last, *usage) == *usage {
                return Order::GoOn;
            }
            if self.limit.stops_during(self.spent, usage) {
                self.limit = (self.raised)();
            }
            if self.limit.stops_during(self.spent, usage) {
                return Order::Stop("the budget was used up during the turn".to_owned());
            }
        }
        self.keep(activity);
        self.listener.sees(self.place, activity);
        Order::GoOn
    }
}
