//! `status`: the position of a cast, its remaining budget and what it needs.
//!
//! Owns the report: its position in the graph, its budget, what the user has to do and the commands
//! to type next. Changes nothing.

use materia_model::cast::state::PendingInput;
use materia_model::cast::{CastFailureCode, CastState};
use materia_model::loadout::settings::BudgetSettings;
use serde::Serialize;
use serde_json::Value;

use crate::cast::glance::{self, CastPosition, ManifestHead};
use crate::cast::list::first_line;
use crate::cast::{CastUsage, Definition, Error, Folder, ObservedCast, ObservedStatus, usage};
use crate::clock::Clock;

/// Maximum size of an agent's text, in bytes.
const MAX_TEXT: usize = 600;

/// The status of a cast.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CastStatusReport {
    /// Always true.
    pub ok: bool,
    /// The cast.
    pub cast_id: String,
    /// Its status.
    pub status: ObservedStatus,
    /// The process that drives it.
    pub driver: Option<u32>,
    /// Its loadout.
    pub loadout: String,
    /// The first line of the request.
    pub request: String,
    /// How long it has run, without its pauses.
    pub active_ms: u64,
    /// The time since the last event, in milliseconds.
    pub age_ms: Option<u64>,
    /// Where it is.
    pub at: Option<CastPosition>,
    /// What its agent is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<CurrentActivity>,
    /// The sockets, in the order written.
    pub graph: Vec<SocketProgress>,
    /// The limits, and what is used of each.
    pub budget: Vec<BudgetShare>,
    /// What it used.
    pub usage: CastUsage,
    /// What went wrong.
    pub error: Option<materia_model::cast::CastFailure>,
    /// What the user has to do; `None` if the cast continues by itself.
    pub needs: Option<String>,
    /// Commands to type next.
    pub next: Vec<String>,
    /// Its directory.
    pub run_dir: String,
}

/// What an agent is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CurrentActivity {
    /// The running tool and its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The end of what the agent said.
    pub text: String,
    /// What the turn used so far, in tokens.
    pub tokens: u64,
}

impl CurrentActivity {
    /// Folds the last lines of an activity file.
    fn of(lines: &[Value]) -> Self {
        let mut doing = Self::default();
        for line in lines {
            let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default();
            match text("type") {
                "text" => doing.text.push_str(text("text")),
                "tool_start" => {
                    doing.tool = Some(
                        format!("{} {}", text("name"), text("input"))
                            .trim_end()
                            .to_owned(),
                    );
                }
                "tool_end" => {
                    doing.tool = None;
                    doing.text.push('\n');
                }
                "usage" => {
                    doing.tokens = line
                        .get("total")
                        .and_then(Value::as_u64)
                        .unwrap_or(doing.tokens);
                }
                _ => {}
            }
        }
        let from = doing
            .text
            .ceil_char_boundary(doing.text.len().saturating_sub(MAX_TEXT));
        doing.text = doing.text[from..].trim().to_owned();
        doing
    }
}

/// A socket with the progress of the cast.
#[derive(Debug, Serialize)]
pub struct SocketProgress {
    /// Its id.
    pub socket: String,
    /// The materia in it.
    pub materia: String,
    /// How often it was visited.
    pub visits: u64,
    /// Whether the cast is there.
    pub current: bool,
}

/// One limit and how much of it is used.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BudgetShare {
    /// What is limited.
    pub what: BudgetUnit,
    /// How much is used.
    pub used: f64,
    /// How much may be; nothing where there is no limit.
    pub limit: Option<f64>,
}

/// What a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum BudgetUnit {
    /// Tokens of models.
    Tokens,
    /// Money, in US dollars.
    Cost,
    /// Turns of agents.
    Turns,
    /// Minutes under way.
    Minutes,
}

impl BudgetUnit {
    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Turns => "turns",
            Self::Minutes => "minutes",
        }
    }
}

/// Reports the status of a cast.
pub fn status(folder: &Folder, clock: &Clock) -> Result<CastStatusReport, Error> {
    let read = || glance::replay(folder, |_, _, _| {});
    let (state, standing) = glance::observe(folder.path(), read, |state| state.status)?;
    let definition = Definition::reopen(&folder.read_definition()?)?;
    let head = ManifestHead::of(&state, 0);
    let age = state
        .updated_at
        .map(|then| clock.now().as_millis() - then.as_millis());
    let here = head
        .at
        .as_ref()
        .filter(|_| standing != ObservedCast::Complete)
        .map(|at| at.socket.clone());
    let graph = definition
        .graph()
        .sockets()
        .iter()
        .map(|socket| SocketProgress {
            socket: socket.id.to_string(),
            materia: socket.materia.title().to_owned(),
            visits: state.visits.get(socket.id.as_str()).copied().unwrap_or(0),
            current: here.as_deref() == Some(socket.id.as_str()),
        });
    let (needs, next) = advice(&state, &standing);
    let visit = state
        .visit()
        .filter(|_| matches!(standing, ObservedCast::Running(_)));
    let seen = visit
        .map(|visit| folder.seen(&visit.place, visit.attempt))
        .filter(|lines| !lines.is_empty());
    Ok(CastStatusReport {
        ok: true,
        status: standing.status(),
        driver: standing.driver(),
        request: first_line(&head.request),
        active_ms: state.spending.active_ms,
        age_ms: age.and_then(|age| u64::try_from(age).ok()),
        doing: seen.map(|lines| CurrentActivity::of(&lines)),
        graph: graph.collect(),
        budget: shares(&definition.settings().budget, &state),
        usage: usage(&state),
        needs,
        next,
        run_dir: folder.path().to_string_lossy().into_owned(),
        cast_id: head.cast_id,
        loadout: head.loadout,
        at: head.at.filter(|_| standing != ObservedCast::Complete),
        error: head.error,
    })
}

/// What is used of each limit. Tokens, money and turns are included even without a limit.
pub fn shares(budget: &BudgetSettings, state: &CastState) -> Vec<BudgetShare> {
    let (spent, raised) = (&state.spending, &state.raised);
    let tokens = raised
        .max_tokens
        .or(budget.max_tokens)
        .map(|limit| limit as f64);
    let turns = raised
        .max_turns
        .or(budget.max_turns)
        .map(|limit| limit as f64);
    let minutes = raised.max_minutes.or(budget.max_minutes);
    let mut shares = vec![
        BudgetShare {
            what: BudgetUnit::Tokens,
            used: spent.total.total as f64,
            limit: tokens,
        },
        BudgetShare {
            what: BudgetUnit::Cost,
            used: spent.total.cost,
            limit: raised.max_cost_usd.or(budget.max_cost_usd),
        },
        BudgetShare {
            what: BudgetUnit::Turns,
            used: spent.turns as f64,
            limit: turns,
        },
    ];
    let used = (spent.active_ms as f64 / 600.0).round() / 100.0;
    shares.extend(minutes.map(|limit| BudgetShare {
        what: BudgetUnit::Minutes,
        used,
        limit: Some(limit),
    }));
    shares
}

/// What the user has to do, and which commands to type.
fn advice(state: &CastState, standing: &ObservedCast) -> (Option<String>, Vec<String>) {
    let id = &state.cast_id;
    let typed = |words: &[&str]| {
        words
            .iter()
            .map(|word| format!("materia {word} {id}"))
            .collect()
    };
    let exhausted = state.recovery.exhausted;
    match standing {
        ObservedCast::Running(_) => (None, typed(&["cast-show", "abort"])),
        ObservedCast::Interrupted => (
            Some("nobody drives it: it goes on when you resume it".to_owned()),
            typed(&["resume", "abort"]),
        ),
        ObservedCast::Paused => {
            let asks = match ManifestHead::of(state, 0).at.and_then(|at| at.waits_for) {
                Some(PendingInput::Interrupted) => {
                    "a step was interrupted: let it run again, or abort the cast"
                }
                _ => "it waits for your answer; without words it finishes the step",
            };
            let answer = format!("materia continue {id} \"…\"");
            let mut next = vec![answer];
            next.extend::<Vec<String>>(typed(&["continue", "abort"]));
            (Some(asks.to_owned()), next)
        }
        ObservedCast::Failed if exhausted => (
            Some("it ran out of tries".to_owned()),
            typed(&["revive", "recast", "cast-show"]),
        ),
        ObservedCast::Failed => {
            let over = state
                .failure
                .as_ref()
                .is_some_and(|failure| failure.code == CastFailureCode::BudgetLimit);
            let needs = if over {
                "its budget is used up: raise it, then recast"
            } else {
                "look at why, then recast"
            };
            let mut next: Vec<String> = typed(&["recast", "cast-show"]);
            if over {
                next.insert(0, format!("materia budget {id} TOKENS"));
            }
            (Some(needs.to_owned()), next)
        }
        ObservedCast::Aborted => (None, typed(&["recast", "cast-show"])),
        ObservedCast::Complete | ObservedCast::Unreadable(_) => (None, typed(&["cast-show"])),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_done_just_now_is_the_end_of_what_was_seen() {
        let lines = [
            json!({"type": "text", "text": "I will "}),
            json!({"type": "text", "text": "look."}),
            json!({"type": "tool_start", "name": "bash", "input": "ls"}),
            json!({"type": "usage", "total": 12}),
        ];
        let doing = CurrentActivity::of(&lines);
        assert_eq!(
            (doing.tool.as_deref(), doing.text.as_str(), doing.tokens),
            (Some("bash ls"), "I will look.", 12)
        );
        let more = [
            &lines[..],
            &[
                json!({"type": "tool_end", "name": "bash"}),
                json!({"type": "text", "text": "é".repeat(900)}),
            ],
        ]
        .concat();
        let doing = CurrentActivity::of(&more);
        assert_eq!((doing.tool, doing.text.len()), (None, 600));
    }
}
