//! Watching a turn: passes on its activity, stores it, and ends the turn at the budget limit.
//!
//! Owns the artifact `activity.jsonl` of a turn, which other processes can follow while it grows.
//! Its name is derived from the turn's `prompt.md`, which the log names, so that readers need not
//! search. It is bounded, not synced, and never read back: the log is authoritative. A turn that
//! exceeds the remaining budget is ended at once, unless the user raised the limit meanwhile (C11).

use std::io::Write;

use materia_model::agent::Usage;
use materia_model::cast::budget::{BudgetLimit, Spending};
use materia_model::cast::event::VisitId;
use materia_model::secret::RedactedStream;
use serde::Serialize;

use super::context::CastObserver;
use super::folder::Folder;
use crate::agent::{Activity, TurnCommand, Watch};
use crate::store::artifact::NewArtifact;

/// Maximum size of a turn's activity file, in bytes.
const MAX_KEPT: usize = 512 << 10;

/// The path of a turn's activity file, from the path of its prompt.
pub fn activity_of(prompt: &str) -> Option<String> {
    Some(format!(
        "{}.activity.jsonl",
        prompt.strip_suffix(".prompt.md")?
    ))
}

/// One line of the artifact.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum ActivityLine<'a> {
    /// What was seen.
    Seen(&'a Activity),
    /// It is the last one.
    End(ActivityEnd),
}

impl ActivityLine<'_> {
    fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Why nothing follows.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ActivityEnd {
    /// The artifact has the size that it may have.
    Cut,
}

/// Watches a turn for the cast.
pub(super) struct CastTurnWatcher<'a> {
    folder: &'a Folder,
    place: &'a VisitId,
    prompt: &'a str,
    limit: BudgetLimit,
    raised: &'a dyn Fn() -> BudgetLimit,
    spent: &'a Spending,
    observer: &'a mut dyn CastObserver,
    kept: Kept,
    last: Usage,
    /// Redacts the agent's text on its way to the artifact: a key may arrive in pieces (S3).
    said: RedactedStream<'a>,
}

enum Kept {
    Nothing,
    Some(NewArtifact, usize),
    Enough,
}

impl<'a> CastTurnWatcher<'a> {
    /// A watcher of the turn with this prompt, in a cast that used this much. `raised` returns the
    /// current limits.
    pub(super) fn new(
        folder: &'a Folder,
        place: &'a VisitId,
        prompt: &'a str,
        raised: &'a dyn Fn() -> BudgetLimit,
        spent: &'a Spending,
        observer: &'a mut dyn CastObserver,
    ) -> Self {
        let (limit, kept, last, said) = (
            raised(),
            Kept::Nothing,
            Usage::default(),
            folder.secrets().stream(),
        );
        Self {
            folder,
            place,
            prompt,
            limit,
            raised,
            spent,
            observer,
            kept,
            last,
            said,
        }
    }

    /// Writes the text that the redactor held back, at the end of the turn.
    pub(super) fn finish(&mut self) {
        let mut rest = Vec::new();
        std::mem::replace(&mut self.said, self.folder.secrets().stream()).finish(&mut rest);
        self.keep_text(&rest);
    }

    /// Writes the part of a text piece that the redactor released.
    fn keep_said(&mut self, piece: &str) {
        let mut certain = Vec::new();
        self.said.push(piece.as_bytes(), &mut certain);
        self.keep_text(&certain);
    }

    fn keep_text(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.keep(&Activity::Text {
                text: String::from_utf8_lossy(bytes).into_owned(),
            });
        }
    }

    /// Appends a line to the artifact. A write error only affects observers, so it is ignored.
    fn keep(&mut self, activity: &Activity) {
        if let Kept::Nothing = self.kept {
            let made = activity_of(self.prompt).map(|name| self.folder.growing(&name));
            self.kept = made
                .and_then(Result::ok)
                .map_or(Kept::Enough, |artifact| Kept::Some(artifact, 0));
        }
        let Kept::Some(artifact, written) = &mut self.kept else {
            return;
        };
        let Ok(mut line) = ActivityLine::Seen(activity).bytes() else {
            return;
        };
        *written += line.len();
        let enough = *written > MAX_KEPT;
        if enough {
            let Ok(end) = ActivityLine::End(ActivityEnd::Cut).bytes() else {
                return;
            };
            line = end;
        }
        if artifact.write_all(&self.folder.clean(&line)).is_err() || enough {
            self.kept = Kept::Enough;
        }
    }
}

impl Watch for CastTurnWatcher<'_> {
    fn see(&mut self, activity: &Activity) -> TurnCommand {
        if let Activity::Usage { usage } = activity {
            if std::mem::replace(&mut self.last, *usage) == *usage {
                return TurnCommand::GoOn;
            }
            if self.limit.stops_during(self.spent, usage) {
                self.limit = (self.raised)();
            }
            if self.limit.stops_during(self.spent, usage) {
                return TurnCommand::Stop("the budget was used up during the turn".to_owned());
            }
        }
        match activity {
            Activity::Text { text } => self.keep_said(text),
            other => self.keep(other),
        }
        self.observer.activity(self.place, activity);
        TurnCommand::GoOn
    }
}
