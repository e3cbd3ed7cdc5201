//! `tool:materia --view triage`: what wants attention, among runs, messages and recipes.
//!
//! Owns the report and how much of each thing it looks at. Runs and messages can be asked for
//! alone: whoever looks on at every change has no use for a survey of all recipes.

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

/// How many runs, and how many of each thing, triage looks at.
const MOST_RUNS: usize = 100;
const MOST_FAILED: usize = 5;
const MOST_ATTENTION: usize = 10;
const MOST_ACTIONS: usize = 5;

/// How long a claim may take before it is worth a look.
const LONG_CLAIM_MS: i64 = 5 * 60 * 1000;

/// Everything that wants attention.
#[derive(Debug, Serialize)]
pub struct TriageReport {
    /// Always true.
    pub ok: bool,
    /// This program.
    pub runtime: RuntimeReport,
    /// What runs and messages want.
    #[serde(flatten)]
    pub waiting: Waiting,
    /// What recipes want.
    #[serde(flatten)]
    pub recipes: Recipes,
    /// What one can do next.
    pub next_actions: Vec<String>,
}

/// What wants attention among runs and their messages.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// The session that asks.
    pub current_session: Option<String>,
    /// Runs that are not over.
    pub active_runs: Vec<RunListItem>,
    /// How many runs belong to others.
    pub other_session_runs: usize,
    /// The last runs that failed or exited.
    pub recent_failed_runs: Vec<RunListItem>,
    /// Messages that somebody claimed long ago, or died over.
    pub stale_claims: Vec<StaleClaim>,
    /// Messages whose senders wait for an answer.
    pub attention_messages: Vec<Attention>,
}

/// What wants attention among recipes.
#[derive(Debug, Serialize)]
pub struct Recipes {
    /// Those that are broken.
    pub invalid_recipes: Vec<Remedy>,
    /// Those that keep one that works from being used.
    pub blocking_recipes: Vec<Remedy>,
    /// Tools that touch more than time.
    pub high_risk_recipes: Vec<Risky>,
    /// Captured recipes that are no tools yet.
    pub draft_recipes: Vec<CapturedRecipe>,
}

/// A tool that touches something.
#[derive(Debug, Serialize)]
pub struct Risky {
    /// Its name.
    pub id: String,
    /// Where it lies.
    pub path: String,
    /// What it touches.
    pub risks: Vec<&'static str>,
}

/// A message that somebody claimed and did not finish.
#[derive(Debug, Serialize)]
pub struct StaleClaim {
    /// Whose queue.
    pub address: Address,
    /// Which message.
    pub id: String,
    /// Since when.
    pub claimed_at: Timestamp,
    /// Whether whoever claimed it has ended.
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

/// What wants attention among everything that the caller may see.
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

/// What wants attention among the runs that the caller may see.
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

/// The tools that touch something. That one takes long is no risk.
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

/// Answers first, then what is broken.
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
    // Many failed runs must not hide that a recipe is broken.
    let others: Vec<String> = broken.chain(drafts).collect();
    next.truncate(MOST_ACTIONS - others.len());
    next.extend(others);
    next
}
