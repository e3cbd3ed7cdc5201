//! The list: one row for each run and each cast, what goes on first.
//!
//! Owns what stands in a row and in which order rows stand.

use materia_engine::cast::list;
use materia_engine::clock::Clock;
use materia_engine::inspect::top::Looked;
use materia_engine::run;
use materia_model::text::printable;

use crate::view::amounts;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run.
    Run,
    /// A cast.
    Cast,
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) status: &'static str,
    /// Its recipe or its loadout.
    pub(super) what: String,
    /// Where it is, what it was asked for, or how it ended.
    pub(super) note: String,
    /// How long it has run, or how long ago it ended, in milliseconds.
    pub(super) age: Option<u64>,
    /// Whether it still goes on or waits for somebody.
    pub(super) open: bool,
    /// Where its files are.
    pub(super) folder: String,
    /// The process that drives a cast.
    pub(super) driver: Option<u32>,
}

impl Row {
    /// What it is called.
    pub(super) fn name(&self) -> String {
        match self.kind {
            Kind::Run => format!("run:{}", self.id),
            Kind::Cast => format!("cast {}", self.id),
        }
    }

    /// Whether it is a cast that waits for what a person says.
    pub(super) fn waits(&self) -> bool {
        self.kind == Kind::Cast && self.status == "paused"
    }

    /// Whether it has all of these words in it.
    pub(super) fn fits(&self, filter: &str) -> bool {
        let all = format!(
            "{} {} {} {}",
            self.name(),
            self.status,
            self.what,
            self.note
        )
        .to_lowercase();
        filter
            .to_lowercase()
            .split_whitespace()
            .all(|word| all.contains(word))
    }

    /// Its age as people read it.
    pub(super) fn time(&self) -> String {
        let Some(age) = self.age else {
            return String::new();
        };
        match self.status {
            "running" | "starting" => {
                amounts::time(age.max(1000) / 1000 * 1000).replace(".0 s", " s")
            }
            _ => amounts::ago(age),
        }
    }
}

/// The rows of everything that was found: what goes on first, then the newest.
pub(super) fn rows(found: &Looked, clock: &Clock) -> Vec<Row> {
    let casts = found.casts.iter().map(cast);
    let mut rows: Vec<Row> = found
        .runs
        .iter()
        .map(|one| of_run(one, clock))
        .chain(casts)
        .collect();
    rows.sort_by_key(|row| (!row.open, row.age));
    rows
}

fn of_run(one: &run::Listed, clock: &Clock) -> Row {
    let open = !one.status.is_terminal();
    let since = one.ended_at.filter(|_| !open).or(one.started_at);
    let age =
        since.and_then(|since| u64::try_from(clock.now().as_millis() - since.as_millis()).ok());
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
    Row {
        kind: Kind::Run,
        id: one.run.clone(),
        status: one.status.as_str(),
        what: printable(
            one.recipe
                .as_deref()
                .or(one.tool.as_deref())
                .unwrap_or_default(),
        )
        .into_owned(),
        note: printable(&note.join(", ")).into_owned(),
        age,
        open,
        folder: String::new(),
        driver: None,
    }
}

fn cast(one: &list::CastListItem) -> Row {
    let open = matches!(one.status, "running" | "paused" | "interrupted");
    let at = one.at.as_ref().map(|at| {
        let materia = at.materia.as_deref().unwrap_or(&at.socket);
        match &at.item {
            Some(item) => format!("{materia}, item {} of {} · ", item.number, item.count),
            None => format!("{materia} · "),
        }
    });
    Row {
        kind: Kind::Cast,
        id: one.cast_id.clone(),
        status: one.status,
        what: printable(&one.loadout).into_owned(),
        note: printable(&format!("{}{}", at.unwrap_or_default(), one.request)).into_owned(),
        age: one.age_ms,
        open,
        folder: one.run_dir.clone(),
        driver: one.driver,
    }
}

/// The rows as plain lines.
pub(super) fn plain(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "nothing runs here\nnext: materia spawn --template 'sleep 60', or materia demo to see a cast\n".to_owned();
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.status.to_owned(),
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
