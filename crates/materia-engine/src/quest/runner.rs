//! `quest`: the board of queued requests, and running them one after another.
//!
//! Owns the reports and the order of a run: begin a cast, record its id on the board, drive the
//! cast, record its result on the board. After a crash the next reader takes the result from the
//! cast. The runner stops on request, when the user interrupts or aborts, when a cast needs the
//! user and, with `stop_on_failure`, when a quest fails (C17).

use materia_model::cast::CastStatus;
use materia_model::quest::{
    Quest, QuestBoard, QuestLookupError, QuestProblem, QuestRefusal, QuestStatus, QuestTarget,
};
use materia_model::text;
use serde::Serialize;

use crate::cast::Error as CastError;
use crate::cast::start::CastReport;
use crate::clock::Clock;
use crate::quest::{self, Store};

/// The longest prompt, in bytes.
const MAX_PROMPT: usize = 256 << 10;

/// Why a quest was not added, changed or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The board cannot be read or written.
    #[error(transparent)]
    Board(#[from] quest::Error),
    /// The given name matches no quest, or several.
    #[error(transparent)]
    Unfound(#[from] QuestLookupError),
    /// The quest's status does not allow it.
    #[error(transparent)]
    Refused(#[from] QuestRefusal),
    /// The prompt is empty.
    #[error("a quest without words asks for nothing")]
    Empty,
    /// The prompt is too long.
    #[error("a quest may have {MAX_PROMPT} bytes")]
    TooLong,
}

/// The board, or a part of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QuestListReport {
    /// Always true.
    pub ok: bool,
    /// Where it is.
    pub file: String,
    /// Who runs the quests.
    pub runner: QuestRunner,
    /// How many quests there are in all.
    pub total: usize,
    /// The quests, in the order in which they are run.
    pub quests: Vec<Quest>,
}

/// Who runs the quests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QuestRunner {
    /// Whether one runs them now.
    pub running: bool,
    /// Which process.
    pub pid: Option<u32>,
    /// Whether it goes on when a quest is done.
    pub enabled: bool,
    /// The quest that is running.
    pub active_quest_id: Option<String>,
}

/// One quest, and what was done with it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QuestReport {
    /// Always true.
    pub ok: bool,
    /// `added`, `moved`, `requeued`, `removed` or `shown`.
    pub did: &'static str,
    /// The quest.
    pub quest: Quest,
    /// Its number among those that wait, from 1.
    pub place: Option<usize>,
}

/// The result of running quests.
#[derive(Debug, Serialize)]
pub struct QuestRunReport {
    /// Whether every quest succeeded.
    pub ok: bool,
    /// The quests that ran, with their current status.
    pub quests: Vec<Quest>,
    /// Why it stopped: `empty`, `once`, `stopped`, `failed`, `needs_you`, `interrupted` or
    /// `halted`.
    pub stopped: &'static str,
    /// How many are still queued.
    pub pending: usize,
}

/// How quests are run.
#[derive(Debug, Clone, Default)]
pub struct QuestRunOptions {
    /// Run this one first.
    pub quest: Option<String>,
    /// Run only one.
    pub once: bool,
    /// Stop after a failure.
    pub stop_on_failure: bool,
}

/// Why no cast could be driven for a quest.
#[derive(Debug)]
pub enum QuestHalt {
    /// This quest has a problem; the next one may succeed.
    Quest(QuestProblem),
    /// No quest can be driven. This quest stays unchanged, and the runner stops.
    Runner,
}

/// The quest to run next.
pub struct QuestTurn<'a> {
    /// The quest.
    pub quest: &'a Quest,
    /// Receives the cast's id after it has begun and before it is driven.
    pub began: &'a dyn Fn(&str) -> Result<(), CastError>,
}

/// Lists the board.
pub fn list(
    store: &Store,
    status: Option<&str>,
    limit: usize,
    clock: &Clock,
) -> Result<QuestListReport, Error> {
    let board = store.look(clock)?;
    let pid = store.runner();
    let listed = |quest: &&Quest| status.is_none_or(|status| status == quest.status.as_str());
    Ok(QuestListReport {
        ok: true,
        file: store.file().to_string_lossy().into_owned(),
        runner: QuestRunner {
            running: pid.is_some(),
            pid,
            enabled: board.runner.enabled,
            active_quest_id: board.runner.active_quest_id.clone(),
        },
        total: board.quests.len(),
        quests: board
            .quests
            .iter()
            .filter(listed)
            .take(limit)
            .cloned()
            .collect(),
    })
}

/// Shows one quest.
pub fn show(store: &Store, given: &str, clock: &Clock) -> Result<QuestReport, Error> {
    let board = store.look(clock)?;
    one(&board, &board.find(given)?, "shown")
}

/// Adds a quest at the end of the queue.
pub fn add(
    store: &Store,
    prompt: &str,
    title: Option<&str>,
    loadout: Option<&str>,
    clock: &Clock,
) -> Result<QuestReport, Error> {
    if prompt.trim().is_empty() {
        return Err(Error::Empty);
    }
    if prompt.len() > MAX_PROMPT {
        return Err(Error::TooLong);
    }
    store.change(clock, |board| {
        let id = fresh(board, clock);
        board.add(id.clone(), prompt, title, loadout, clock.now());
        one(board, &id, "added")
    })
}

/// An id that is not on the board yet.
fn fresh(board: &QuestBoard, clock: &Clock) -> String {
    loop {
        let random = clock.fresh_id();
        let id = format!("quest-{}", &random[random.len() - 8..]);
        if board.get(&id).is_none() {
            return id;
        }
    }
}

/// The new position of a quest.
#[derive(Debug, Clone)]
pub enum QuestPosition {
    /// Before all others.
    First,
    /// Before this one.
    Before(String),
    /// Behind this one.
    After(String),
}

/// Moves a queued quest.
pub fn reorder(
    store: &Store,
    given: &str,
    to: &QuestPosition,
    clock: &Clock,
) -> Result<QuestReport, Error> {
    store.change(clock, |board| {
        let id = board.find(given)?;
        let target = match to {
            QuestPosition::First => String::new(),
            QuestPosition::Before(target) | QuestPosition::After(target) => board.find(target)?,
        };
        let place = match to {
            QuestPosition::First => QuestTarget::First,
            QuestPosition::Before(_) => QuestTarget::Before(&target),
            QuestPosition::After(_) => QuestTarget::After(&target),
        };
        board.reorder(&id, place, clock.now())?;
        one(board, &id, "moved")
    })
}

/// Queues a quest again.
pub fn requeue(store: &Store, given: &str, clock: &Clock) -> Result<QuestReport, Error> {
    store.change(clock, |board| {
        let id = board.find(given)?;
        board.requeue(&id, clock.now())?;
        one(board, &id, "requeued")
    })
}

/// Removes a quest from the board.
pub fn remove(store: &Store, given: &str, clock: &Clock) -> Result<QuestReport, Error> {
    store.change(clock, |board| {
        let id = board.find(given)?;
        let quest = board.remove(&id, clock.now())?;
        Ok(QuestReport {
            ok: true,
            did: "removed",
            quest,
            place: None,
        })
    })
}

/// Makes the runner stop after the quest that is running.
pub fn stop(store: &Store, clock: &Clock) -> Result<QuestListReport, Error> {
    store.change(clock, |board| {
        board.enable(false, clock.now());
        Ok::<_, Error>(())
    })?;
    list(store, None, usize::MAX, clock)
}

fn one(board: &QuestBoard, id: &str, did: &'static str) -> Result<QuestReport, Error> {
    let quest = board
        .get(id)
        .cloned()
        .ok_or_else(|| QuestRefusal::Gone(id.to_owned()))?;
    let mut waiting = board
        .quests
        .iter()
        .filter(|quest| quest.status == QuestStatus::Pending);
    let place = waiting
        .position(|quest| quest.id == id)
        .map(|position| position + 1);
    Ok(QuestReport {
        ok: true,
        did,
        quest,
        place,
    })
}

/// Runs quests one after another. `drive` casts one and returns the report, or why no cast could be
/// started.
pub fn run<F>(
    store: &Store,
    options: &QuestRunOptions,
    clock: &Clock,
    mut drive: F,
) -> Result<QuestRunReport, Error>
where
    F: FnMut(&QuestTurn<'_>) -> Result<CastReport, QuestHalt>,
{
    // Settle what a dead runner left. Later, our own lock would look like one of that runner.
    store.change(clock, |_| Ok::<_, Error>(()))?;
    let _runner = store.become_runner()?;
    store.change(clock, |board| {
        board.enable(true, clock.now());
        Ok::<_, Error>(())
    })?;
    let mut had_turn: Vec<String> = Vec::new();
    let mut first = options.quest.as_deref();
    let stopped = loop {
        let Some(quest) = next(store, first.take(), clock)? else {
            break why_no_next(store, clock)?;
        };
        had_turn.push(quest.id.clone());
        let status = play(store, &quest, clock, &mut drive)?;
        match status {
            Ending::Halted => break "halted",
            Ending::Interrupted => break "interrupted",
            Ending::NeedsPerson => break "needs_you",
            Ending::Aborted => break "failed",
            Ending::Failed if options.stop_on_failure => break "failed",
            _ if options.once => break "once",
            Ending::Failed | Ending::Succeeded => {}
        }
    };
    let board = store.change(clock, |board| {
        board.enable(false, clock.now());
        Ok::<_, Error>(board.clone())
    })?;
    let quests: Vec<Quest> = had_turn
        .iter()
        .filter_map(|id| board.get(id).cloned())
        .collect();
    Ok(QuestRunReport {
        ok: quests
            .iter()
            .all(|quest| quest.status == QuestStatus::Succeeded),
        quests,
        stopped,
        pending: board
            .quests
            .iter()
            .filter(|quest| quest.status == QuestStatus::Pending)
            .count(),
    })
}

/// How a quest's run ended.
enum Ending {
    Succeeded,
    Failed,
    Aborted,
    NeedsPerson,
    Interrupted,
    Halted,
}

/// The next quest: the requested one, else the first in the queue, unless the runner was stopped.
fn next(store: &Store, asked: Option<&str>, clock: &Clock) -> Result<Option<Quest>, Error> {
    let board = store.look(clock)?;
    if let Some(given) = asked {
        let id = board.find(given)?;
        let quest = board
            .get(&id)
            .cloned()
            .ok_or_else(|| QuestRefusal::Gone(id.clone()))?;
        if quest.status != QuestStatus::Pending {
            return Err(QuestRefusal::NotNow {
                id,
                status: quest.status,
                needed: "pending",
                action: "run",
            }
            .into());
        }
        return Ok(Some(quest));
    }
    Ok(board.next().filter(|_| board.runner.enabled).cloned())
}

fn why_no_next(store: &Store, clock: &Clock) -> Result<&'static str, Error> {
    Ok(if store.look(clock)?.runner.enabled {
        "empty"
    } else {
        "stopped"
    })
}

fn play<F>(store: &Store, quest: &Quest, clock: &Clock, drive: &mut F) -> Result<Ending, Error>
where
    F: FnMut(&QuestTurn<'_>) -> Result<CastReport, QuestHalt>,
{
    let began = |cast: &str| {
        let marked = store.change(clock, |board| {
            Ok::<_, Error>(board.start(&quest.id, cast, clock.now())?)
        });
        // The cast can be resumed, but is not driven for a quest that does not record its id.
        marked.map_err(|error| CastError::Output(std::io::Error::other(error.to_string())))
    };
    let driven = drive(&QuestTurn {
        quest,
        began: &began,
    });
    let at = clock.now();
    let (ending, status, why) = match driven {
        Err(QuestHalt::Runner) => return Ok(Ending::Halted),
        Err(QuestHalt::Quest(why)) => (Ending::Failed, QuestStatus::Blocked, Some(why)),
        Ok(report) if report.interrupted => (
            Ending::Interrupted,
            QuestStatus::Blocked,
            quest::interrupted(&report.cast_id, at),
        ),
        Ok(report) => match report.status {
            CastStatus::Complete => (Ending::Succeeded, QuestStatus::Succeeded, None),
            CastStatus::Paused => (
                Ending::NeedsPerson,
                QuestStatus::Blocked,
                quest::waiting(&report.cast_id, at),
            ),
            CastStatus::Aborted => (Ending::Aborted, QuestStatus::Failed, failed(&report, clock)),
            CastStatus::Failed | CastStatus::Running => {
                (Ending::Failed, QuestStatus::Failed, failed(&report, clock))
            }
        },
    };
    store.change(clock, |board| {
        Ok::<_, Error>(board.settle(&quest.id, status, why, at)?)
    })?;
    Ok(ending)
}

fn failed(report: &CastReport, clock: &Clock) -> Option<QuestProblem> {
    let message = report.error.as_ref().map_or_else(
        || "the cast failed".to_owned(),
        |error| error.message.clone(),
    );
    Some(QuestProblem {
        message: text::bounded(&message, 1000).into_owned(),
        occurred_at: clock.now(),
        cast_id: Some(report.cast_id.clone()),
        code: Some("cast_failed".to_owned()),
    })
}
