//! The status of a run, as every front end shows it.
//!
//! Owns the document. The compact form fits a model's context: id, status, one base path. The other
//! fields are for programs.

use std::collections::BTreeMap;
use std::path::Path;

use materia_model::run::{DrivenCast, RetireWhen, RunState, RunStatus};
use materia_model::run_fold::RunFold;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::actor::{self, ActorStatus};
use crate::cast::CastSummary;
use crate::run::{RunDir, RunLog};

/// How one run stands.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RunStatusFields")
)]
pub struct RunSnapshot {
    /// The run.
    pub run: String,
    /// Its address.
    pub address: String,
    /// How it stands.
    pub status: RunStatus,
    /// Which start this is about.
    pub generation: String,
    /// How often it was started.
    pub generations: u64,
    /// Its directory.
    pub state_dir: String,
    /// Its supervisor, while it runs.
    pub pid: Option<i32>,
    /// The session that owns it.
    pub session: Option<String>,
    /// The run inside which it was spawned.
    pub parent: Option<String>,
    /// Its recipe.
    pub recipe: Option<String>,
    /// Its tool.
    pub tool: Option<String>,
    /// The cast that it drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub cast: Option<CastOfRun>,
    /// The agent that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub agent: Option<ActorStatus>,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub retire_when: Option<RetireWhen>,
    /// Where its commands run.
    pub cwd: String,
    /// What it was given.
    pub values: Map<String, Value>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Commands that run, that are over, that failed.
    pub active: u64,
    /// Commands that are over.
    pub completed: u64,
    /// Commands that failed.
    pub failures: u64,
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended its last command.
    pub signal: Option<i32>,
    /// Whether something failed on the way to a success.
    pub degraded: bool,
    /// What went wrong.
    pub error: Option<String>,
    /// How we know, where nobody was there to see it.
    pub evidence: Option<String>,
    /// The runs that were spawned inside it, and how they ended.
    pub children: BTreeMap<String, Option<RunStatus>>,
}

/// A cast and its status: a run that is done may have left it waiting for an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CastOfRun {
    /// The cast.
    #[serde(flatten)]
    pub cast: DrivenCast,
    /// How it stands, proved.
    pub status: &'static str,
}

impl CastOfRun {
    fn new(cast: &DrivenCast) -> Self {
        let status = CastSummary::at(Path::new(&cast.dir)).standing.as_str();
        let cast = cast.clone();
        Self { cast, status }
    }
}

impl RunSnapshot {
    /// The document for a run.
    pub fn of(place: &RunDir, fold: &RunFold) -> Self {
        Self::new(place, &fold.run, actor::status(fold))
    }

    /// The document for a run of which only the status was read. The journal of an agent is read
    /// again for its turns.
    pub fn read(place: &RunDir, state: &RunState) -> Self {
        let is_agent = state
            .start
            .as_ref()
            .is_some_and(|start| start.agent.is_some());
        let log = is_agent.then(|| RunLog::<RunFold>::read(&place.journal()).ok());
        let agent = log.flatten().and_then(|log| actor::status(log.fold()));
        Self::new(place, state, agent)
    }

    fn new(place: &RunDir, state: &RunState, agent: Option<ActorStatus>) -> Self {
        let start = state.start.clone().unwrap_or_default();
        let end = state
            .ended
            .as_ref()
            .map(|ended| ended.end.clone())
            .unwrap_or_default();
        Self {
            run: place.id().to_string(),
            address: place.address(),
            status: state.status,
            generation: start.generation,
            generations: state.generations,
            state_dir: place.dir().to_string_lossy().into_owned(),
            pid: (state.status == RunStatus::Running).then_some(start.supervisor.pid),
            session: start.session,
            parent: start.parent,
            recipe: start.recipe,
            tool: start.tool,
            cast: start.cast.as_ref().map(CastOfRun::new),
            agent,
            retire_when: start.retire_when,
            cwd: start.cwd,
            values: start.values,
            started_at: state.started,
            ended_at: state.ended.as_ref().map(|ended| ended.at),
            active: state.active,
            completed: state.completed,
            failures: state.failures,
            code: end.code,
            signal: end.signal,
            degraded: end.degraded,
            error: end.error,
            evidence: end.evidence,
            children: state
                .children
                .iter()
                .map(|(run, (_, ended))| (run.clone(), *ended))
                .collect(),
        }
    }

    /// Suggested next commands.
    pub fn next(&self) -> Vec<String> {
        let run = &self.run;
        if self.agent.is_some() && !self.status.is_terminal() {
            return vec![
                format!("materia message run:{run} chat.message \"…\""),
                format!("materia inspect run:{run} --view transcript"),
                format!("materia message run:{run} control.kill"),
            ];
        }
        if self.status.is_terminal() {
            return vec![
                format!("materia inspect run:{run} --view tail"),
                format!("materia message run:{run} control.archive"),
            ];
        }
        vec![
            format!("materia inspect run:{run} --view tail"),
            format!("materia wait run:{run}"),
            format!("materia message run:{run} control.kill"),
        ]
    }
}
