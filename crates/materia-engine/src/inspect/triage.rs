//! `tool:materia --view triage`: the runs, messages and recipes that need attention.
//!
//! Owns the report and its limits. Runs and messages can be requested alone: a caller that looks at
//! every change does not need a survey of all recipes.

use materia_model::message::{Address, MailState, MessageState, OutboxMessage, QueueId};
use materia_model::name::RunId;
use materia_model::run::RunStatus;
use materia_model::template::risk;
use materia_model::time::Timestamp;
use serde::Serialize;

use super::RuntimeReport;
use crate::clock::Clock;
use crate::home::Home;
use crate::library::Library;
use crate::post::MessageLog;
use crate::registry::{
    CapturedRecipe, RecipeState as Standing, Remedy, RemedyKind, Survey, drafts, remedies, survey,
};
use crate::run::{self, RunListItem, RunRoot, is_dead};

/// The limits of triage: how many runs it reads, and how many entries of each list it shows.
const MOST_RUNS: usize = 100;
const MOST_FAILED: usize = 5;
const MOST_ATTENTION: usize = 10;
const MOST_ACTIONS: usize = 5;

/// How long a claim may last before it is reported.
const LONG_CLAIM_MS: i64 = 5 * 60 * 1000;

/// All that needs attention.
#[derive(Debug, Serialize)]
pub struct TriageReport {
    /// Always true.
    pub ok: bool,
    /// This program.
    pub runtime: RuntimeReport,
    /// Runs and messages that need attention.
    #[serde(flatten)]
    pub waiting: Waiting,
    /// Recipes that need attention.
    #[serde(flatten)]
    pub recipes: Recipes,
    /// Suggested next commands.
    pub next_actions: Vec<String>,
}

/// Runs and messages that need attention.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// The session of the caller.
    pub current_session: Option<String>,
    /// Runs that are not over.
    pub active_runs: Vec<RunListItem>,
    /// The number of runs of other sessions.
    pub other_session_runs: usize,
    /// The last runs that failed or exited.
    pub recent_failed_runs: Vec<RunListItem>,
    /// Messages that were claimed long ago, or whose holder died.
    pub stale_claims: Vec<StaleClaim>,
    /// Messages whose senders wait for an answer.
    pub attention_messages: Vec<Attention>,
}

/// Recipes that need attention.
#[derive(Debug, Serialize)]
pub struct Recipes {
    /// Recipes that are invalid.
    pub invalid_recipes: Vec<Remedy>,
    /// Recipes that prevent a working one from being used.
    pub blocking_recipes: Vec<Remedy>,
    /// Tools with risks other than a long duration.
    pub high_risk_recipes: Vec<Risky>,
    /// Captured recipes that are not tools yet.
    pub draft_recipes: Vec<CapturedRecipe>,
}

/// A tool with risks.
#[derive(Debug, Serialize)]
pub struct Risky {
    /// Its name.
    pub id: String,
    /// The path of its recipe.
    pub path: String,
    /// Its risks.
    pub risks: Vec<&'static str>,
}

/// A message that was claimed and not settled.
#[derive(Debug, Serialize)]
pub struct StaleClaim {
    /// The address of the queue.
    pub address: Address,
    /// The id of the message.
    pub id: String,
    /// The time of the claim.
    pub claimed_at: Timestamp,
    /// Whether the holder has ended.
    pub abandoned: bool,
}

/// A message whose sender waits for an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "AttentionMessage")
)]
pub struct Attention {
    /// The run that waits.
    pub run: RunId,
    /// The message.
    #[serde(flatten)]
    pub message: OutboxMessage,
}

/// Everything that needs attention and that the caller may see.
pub fn triage(
    root: &RunRoot,
    home: &Home,
    library: &Library,
    caller: Option<&str>,
    clock: &Clock,
) -> Result<TriageReport, run::Error> {
    let waiting = waiting(root, caller, clock)?;
    let recipes = recipes(library);
    let next_actions = next(&waiting, &recipes);
    Ok(TriageReport {
        ok: true,
        runtime: super::runtime(home),
        waiting,
        recipes,
        next_actions,
    })
}

/// The runs and messages that need attention and that the caller may see.
pub fn waiting(root: &RunRoot, caller: Option<&str>, clock: &Clock) -> Result<Waiting, run::Error> {
    let listed = run::list(root, clock)?.runs;
    let (ours, others): (Vec<RunListItem>, Vec<RunListItem>) = listed
        .into_iter()
        .partition(|run| caller.is_none_or(|caller| run.session.as_deref() == Some(caller)));
    let failed = |run: &&RunListItem| matches!(run.status, RunStatus::Failed | RunStatus::Exited);
    let recent_failed_runs: Vec<RunListItem> = ours
        .iter()
        .rev()
        .filter(failed)
        .take(MOST_FAILED)
        .cloned()
        .collect();
    let active_runs: Vec<RunListItem> = ours
        .iter()
        .filter(|run| !run.status.is_terminal())
        .cloned()
        .collect();
    let (mut stale_claims, mut attention_messages) = (Vec::new(), Vec::new());
    for run in active_runs
        .iter()
        .chain(&recent_failed_runs)
        .take(MOST_RUNS)
    {
        let Ok(id) = run.run.parse::<RunId>() else {
            continue;
        };
        let Ok(mail) = MessageLog::read(&root.place(&id).journal()) else {
            continue;
        };
        stale_claims.extend(claims(&id, &mail, clock.now()));
        let waits = mail
            .outbox()
            .last()
            .rev()
            .filter(|posted| posted.attention)
            .cloned();
        attention_messages.extend(waits.map(|message| Attention {
            run: id.clone(),
            message,
        }));
    }
    attention_messages.truncate(MOST_ATTENTION);
    stale_claims.truncate(MOST_RUNS);
    Ok(Waiting {
        current_session: caller.map(str::to_owned),
        active_runs,
        other_session_runs: others.len(),
        recent_failed_runs,
        stale_claims,
        attention_messages,
    })
}

fn claims(run: &RunId, mail: &MailState, now: Timestamp) -> Vec<StaleClaim> {
    let own = (QueueId::Run, Address::Run(run.clone()));
    let branches = mail.branches().map(|branch| {
        (
            QueueId::Branch(branch.clone()),
            Address::Branch(run.clone(), branch.clone()),
        )
    });
    let mut stale = Vec::new();
    for (place, address) in std::iter::once(own).chain(branches) {
        for entry in mail.queue(&place).open() {
            let MessageState::Claimed { by, at } = &entry.state else {
                continue;
            };
            let abandoned = is_dead(by);
            if abandoned || now.as_millis() - at.as_millis() > LONG_CLAIM_MS {
                let (address, id) = (address.clone(), entry.id.clone());
                stale.push(StaleClaim {
                    address,
                    id,
                    claimed_at: *at,
                    abandoned,
                });
            }
        }
    }
    stale
}

fn recipes(library: &Library) -> Recipes {
    let survey = survey(library);
    let of = |kinds: &[RemedyKind]| -> Vec<Remedy> {
        remedies(&survey)
            .into_iter()
            .filter(|remedy| kinds.contains(&remedy.kind))
            .collect()
    };
    Recipes {
        invalid_recipes: of(&[RemedyKind::BlockingInvalid, RemedyKind::Invalid]),
        blocking_recipes: of(&[RemedyKind::BlockingInvalid, RemedyKind::BlockingDisabled]),
        high_risk_recipes: risky(&survey),
        draft_recipes: drafts(library),
    }
}

/// The tools with risks. A long duration is not a risk.
fn risky(survey: &Survey) -> Vec<Risky> {
    let long = risk::RiskLabel::LongRunning.as_str();
    let tools = survey
        .entries
        .iter()
        .filter(|entry| entry.tool && entry.state == Standing::Active);
    tools
        .map(|tool| Risky {
            id: tool.id.clone(),
            path: tool.path.clone(),
            risks: tool
                .risks
                .iter()
                .copied()
                .filter(|risk| *risk != long)
                .collect(),
        })
        .filter(|tool| !tool.risks.is_empty())
        .collect()
}

/// Suggests answers first, then repairs.
fn next(waiting: &Waiting, recipes: &Recipes) -> Vec<String> {
    let look = |run: &str| format!("materia inspect run:{run}");
    let asked = waiting
        .attention_messages
        .iter()
        .map(|asked| format!("{} --view messages", look(asked.run.as_str())));
    let failed = waiting
        .recent_failed_runs
        .iter()
        .map(|run| format!("{} --view tail", look(&run.run)));
    let broken = recipes
        .invalid_recipes
        .iter()
        .chain(&recipes.blocking_recipes);
    let broken = broken
        .take(1)
        .map(|_| "materia inspect recipes --view doctor".to_owned());
    let drafts = recipes
        .draft_recipes
        .iter()
        .take(1)
        .map(|_| "materia tool promote".to_owned());
    let mut next: Vec<String> = asked.chain(failed).collect();
    next.dedup();
    // Many failed runs must not hide an invalid recipe.
    let others: Vec<String> = broken.chain(drafts).collect();
    next.truncate(MOST_ACTIONS - others.len());
    next.extend(others);
    next
}
