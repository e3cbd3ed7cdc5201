//! The list: one row for each run and each cast, active ones first.
//!
//! Owns the content and the order of the rows.

use materia_engine::api::{CastListItem, ObservedStatus, RunListItem, TopReport, TopSubject};
use materia_model::run::RunStatus;
use materia_model::text::printable;
use materia_model::time::Timestamp;

use crate::view::amounts;

/// The status of a run or a cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowStatus {
    /// Of a run.
    Run(RunStatus),
    /// Of a cast.
    Cast(ObservedStatus),
}

impl RowStatus {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Run(status) => status.as_str(),
            Self::Cast(status) => status.as_str(),
        }
    }

    /// Whether it has not ended.
    pub(super) fn is_open(self) -> bool {
        match self {
            Self::Run(status) => !status.is_terminal(),
            Self::Cast(status) => status.is_open(),
        }
    }

    /// Whether processes are working on it.
    pub(super) fn is_running(self) -> bool {
        match self {
            Self::Run(status) => !status.is_terminal(),
            Self::Cast(status) => status == ObservedStatus::Running,
        }
    }

    pub(super) fn is_cast(self) -> bool {
        matches!(self, Self::Cast(_))
    }
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) status: RowStatus,
    /// Its recipe or its loadout.
    pub(super) what: String,
    /// The current step, the request, or how it ended.
    pub(super) note: String,
    /// The running time, or the time since it ended, in milliseconds.
    pub(super) age: Option<u64>,
    /// The directory of a cast.
    pub(super) folder: String,
    /// The process that drives a cast.
    pub(super) driver: Option<u32>,
}

impl Row {
    /// Its name.
    pub(super) fn name(&self) -> String {
        match self.status {
            RowStatus::Run(_) => format!("run:{}", self.id),
            RowStatus::Cast(_) => format!("cast {}", self.id),
        }
    }

    /// The key that identifies this row.
    pub(super) fn key(&self) -> (bool, String) {
        (self.status.is_cast(), self.id.clone())
    }

    /// The run or cast, as the engine identifies it.
    pub(super) fn subject(&self) -> TopSubject {
        let id = self.id.clone();
        match self.status {
            RowStatus::Run(_) => TopSubject::Run(id),
            RowStatus::Cast(_) => TopSubject::Cast {
                id,
                dir: self.folder.clone().into(),
                driver: self.driver,
            },
        }
    }

    /// Whether it is a cast that waits for an answer.
    pub(super) fn is_paused_cast(&self) -> bool {
        self.status == RowStatus::Cast(ObservedStatus::Paused)
    }

    /// Whether the row contains all words of the filter.
    pub(super) fn fits(&self, filter: &str) -> bool {
        let all = format!(
            "{} {} {} {}",
            self.name(),
            self.status.as_str(),
            self.what,
            self.note
        )
        .to_lowercase();
        filter
            .to_lowercase()
            .split_whitespace()
            .all(|word| all.contains(word))
    }

    /// Formats the age for people.
    pub(super) fn time(&self) -> String {
        let Some(age) = self.age else {
            return String::new();
        };
        if self.status.is_running() {
            amounts::time(age.max(1000) / 1000 * 1000).replace(".0 s", " s")
        } else {
            amounts::ago(age)
        }
    }
}

/// The rows of all runs and casts: active ones first, then the newest.
pub(super) fn rows(found: &TopReport, now: Timestamp) -> Vec<Row> {
    let runs = found.runs.iter().map(|run| of_run(run, now));
    let mut rows: Vec<Row> = runs.chain(found.casts.iter().map(of_cast)).collect();
    rows.sort_by_key(|row| (!row.status.is_open(), row.age));
    rows
}

fn of_run(one: &RunListItem, now: Timestamp) -> Row {
    let status = RowStatus::Run(one.status);
    let since = one
        .ended_at
        .filter(|_| !status.is_open())
        .or(one.started_at);
    let age = since.and_then(|since| u64::try_from(now.as_millis() - since.as_millis()).ok());
    let code = one
        .code
        .filter(|code| *code != 0)
        .map(|code| format!("exit code {code}"));
    let session = one
        .session
        .as_ref()
        .map(|session| format!("session {session}"));
    let parent = one.parent.as_ref().map(|parent| format!("in {parent}"));
    let note: Vec<String> = [code, session, parent].into_iter().flatten().collect();
    let what = one.recipe.as_deref().or(one.tool.as_deref());
    Row {
        id: one.run.clone(),
        status,
        what: printable(what.unwrap_or_default()).into_owned(),
        note: printable(&note.join(", ")).into_owned(),
        age,
        folder: String::new(),
        driver: None,
    }
}

fn of_cast(one: &CastListItem) -> Row {
    let at = one.at.as_ref().map(|at| {
        let materia = at.materia.as_deref().unwrap_or(&at.socket);
        match &at.item {
            Some(item) => format!("{materia}, item {} of {} · ", item.number, item.count),
            None => format!("{materia} · "),
        }
    });
    Row {
        id: one.cast_id.clone(),
        status: RowStatus::Cast(one.status),
        what: printable(&one.loadout).into_owned(),
        note: printable(&format!("{}{}", at.unwrap_or_default(), one.request)).into_owned(),
        age: one.age_ms,
        folder: one.run_dir.clone(),
        driver: one.driver,
    }
}

/// Renders the rows as plain lines.
pub(super) fn plain(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "nothing runs here\nnext: materia spawn --template 'sleep 60', or materia demo to see a cast\n".to_owned();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.status.as_str().to_owned(),
            row.name(),
            amounts::line(&row.what, 24),
            row.time(),
            amounts::line(&row.note, 60),
        ]
    });
    let mut text = amounts::columns(&cells.collect::<Vec<_>>(), &[]).join("\n");
    text.push('\n');
    text
}
