//! An agent that is a run: starting it, and playing it inside of the run (A12).

use std::path::{Path, PathBuf};

use materia_model::actor::ActorSettings;
use materia_model::loadout::ConfigSettings;
use materia_model::materia::AgentTools;
use materia_model::message::MessageDraft;
use materia_model::run::RunOrigin;
use materia_model::secret::Secrets;
use serde_json::Value;

use super::agent::AgentOptions;
use super::spawn::{RunOptions, SpawnReport};
use super::{AgentChoice, ApiError, Engine, ErrorKind};
use crate::actor::{self, ActorContext};
use crate::agent::Backend;
use crate::agent_turn;
use crate::launch::spawn;
use crate::process::ProcessSet;
use crate::routing::{self, Sender};
use crate::run;
use crate::trust::TrustObserver;

pub use crate::actor::{ActorEvent, ActorObserver, ActorStatus, TranscriptReport};

/// How long the instructions of an agent may be, in bytes: the run's journal has them.
const MAX_SYSTEM_BYTES: usize = 64 << 10;

/// An agent that becomes a run.
#[derive(Debug, Clone, Default)]
pub struct SpawnAgentRequest {
    /// The agent, or the replies that it plays.
    pub agent: AgentChoice,
    /// How it plays.
    pub options: AgentOptions,
    /// Its first message.
    pub message: Option<String>,
    /// The run.
    pub run: RunOptions,
}

impl Engine {
    /// Starts a run that is an agent: its messages become turns (A12). Everything is checked before
    /// anything is started (T21).
    pub fn spawn_agent(
        &self,
        request: SpawnAgentRequest,
        observer: &mut dyn TrustObserver,
    ) -> Result<SpawnReport, ApiError> {
        let order = self.agent_order(&request, observer)?;
        let root = self.runs()?;
        let settings = self.run_settings(&request.run, RunOrigin::Agent)?;
        let mut report = spawn::spawn_agent(&root, &settings, &order)?;
        let message = request.message.filter(|text| !text.trim().is_empty());
        if let Some(message) = message {
            let sender = Sender {
                root: &root,
                session: settings.session.as_deref(),
                within: self.calling_run(),
                clock: self.clock(),
            };
            let draft = MessageDraft {
                to: report.address.clone(),
                kind: "chat.message".to_owned(),
                body: Some(Value::String(message)),
                ..MessageDraft::default()
            };
            report
                .warnings
                .extend(routing::message(&sender, draft)?.warnings);
        }
        // Looks at the other runs only once a day.
        run::sweep_daily(&root, self.clock());
        Ok(report)
    }

    /// Plays the agent that the calling run is, until it is interrupted.
    pub fn act(&self, observer: &mut dyn ActorObserver) -> Result<(), ApiError> {
        let Some(run) = self.calling_run() else {
            let message = "this is no place inside a run";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("materia spawn --agent NAME --as run:ID"));
        };
        let root = self.runs()?;
        let recorded = root.find(run).and_then(|place| run::recorded(&place))?;
        let order = recorded
            .start
            .as_ref()
            .and_then(|start| actor::order(start));
        let order = order.ok_or_else(|| actor::Error::NoActor(run.to_string()))?;
        let texts = self.variables().iter();
        let texts = texts.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let tools = AgentTools::parse(order.tools.as_deref().unwrap_or("coding"));
        Ok(actor::act(ActorContext {
            root: &root,
            run,
            tools: &tools,
            clock: self.clock(),
            secrets: &Secrets::new(texts, &[]),
            agent: &mut *self.actor_backend(&order)?,
            processes: &mut ProcessSet::foreground().map_err(|error| ApiError::system(&error))?,
            observer,
        })?)
    }

    /// What the journal of a run says that is this agent.
    fn agent_order(
        &self,
        request: &SpawnAgentRequest,
        observer: &mut dyn TrustObserver,
    ) -> Result<ActorSettings, ApiError> {
        let (agent, options) = (&request.agent, &request.options);
        let absolute = |path: &PathBuf| self.path(path).to_string_lossy().into_owned();
        let name = match &agent.script {
            Some(_) => "scripted".to_owned(),
            None => {
                let roster = self.trusted_roster(agent.agent.as_deref(), options, observer)?;
                let chosen = roster.choose(None);
                chosen.map_err(agent_turn::Error::Missing)?.name
            }
        };
        let system = self.system(options)?;
        let timeout = options.timeout("--turn-timeout")?;
        let config = options.config.as_ref();
        let order = ActorSettings {
            name,
            model: options.model.clone(),
            thinking: options.thinking.clone(),
            tools: options.tools.clone(),
            config: config
                .filter(|path| !path.as_os_str().is_empty())
                .map(absolute),
            timeout_ms: timeout.and_then(|time| u64::try_from(time.as_millis()).ok()),
            script: agent.script.as_ref().map(absolute),
            system,
        };
        let length = order.system.as_ref().map_or(0, String::len);
        if length > MAX_SYSTEM_BYTES {
            let message =
                format!("what the agent is told besides is longer than {MAX_SYSTEM_BYTES} bytes");
            return Err(ApiError::new(ErrorKind::Invalid, "too_large", message)
                .hint("put it into a file it can read"));
        }
        if order.script.is_some() {
            self.actor_backend(&order)?;
        }
        Ok(order)
    }

    /// The agent that plays a run.
    fn actor_backend(&self, order: &ActorSettings) -> Result<Box<dyn Backend>, ApiError> {
        let choice = AgentChoice {
            agent: Some(order.name.clone()),
            script: order.script.as_ref().map(PathBuf::from),
        };
        let settings = match choice.script {
            Some(_) => ConfigSettings::default(),
            None => {
                let config = order.config.as_deref().map(Path::new);
                self.agent_config(&self.config_files(config)?).settings
            }
        };
        self.backend(&choice, &settings)
    }
}
