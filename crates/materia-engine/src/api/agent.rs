//! `agent`: one turn of an agent, and which agents there are.
//!
//! Owns the checks of a request, and the trust question before an agent of the project's config is
//! started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::materia::AgentTools;
use materia_model::name::RunId;

use super::{ApiError, Engine, ErrorKind};
use crate::agent::{DEFAULT_TIMEOUT, Roster};
use crate::agent_turn::{self, AgentConfig, TurnRequest};
use crate::config::ConfigFiles;
use crate::process::ProcessSet;
use crate::recipe::InputSource;
use crate::store::text;
use crate::trust::TrustObserver;

pub use crate::agent_turn::{
    AgentListItem, AgentListReport, AgentObserver, AgentOutcome, AgentReport, AgentSelection,
};

/// Which agents to list.
#[derive(Debug, Clone, Default)]
pub struct AgentListRequest {
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

/// What every agent can be given.
#[derive(Debug, Clone, Default)]
pub struct AgentOptions {
    /// The model: `provider/id`, `provider:id` or `id`.
    pub model: Option<String>,
    /// How hard it thinks.
    pub thinking: Option<String>,
    /// The tools it may use: `none`, `readOnly`, `coding`, or names with commas between them. The
    /// default is `coding`.
    pub tools: Option<String>,
    /// A file whose text is added to its instructions.
    pub system: Option<PathBuf>,
    /// How many seconds a turn may take.
    pub timeout: Option<f64>,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

/// One turn of an agent.
#[derive(Debug)]
pub struct AgentRequest {
    /// The agent; without one, the one that the config names or that is found.
    pub agent: Option<String>,
    /// How it plays.
    pub options: AgentOptions,
    /// The prompt.
    pub prompt: AgentPrompt,
    /// Files whose texts go with the prompt; a name may consist of several lines, with one file on
    /// each.
    pub attachments: Vec<String>,
    /// The name of a session that is continued, or created.
    pub conversation: Option<RunId>,
}

/// The prompt of a turn.
#[derive(Debug)]
pub enum AgentPrompt {
    /// This text.
    Text(String),
    /// The text of a file, or of stdin.
    Input(InputSource),
}

impl Engine {
    /// Looks for all agents, and which one plays roles that name none.
    pub fn agents(&self, request: &AgentListRequest) -> Result<AgentListReport, ApiError> {
        let config = self.agent_config(&self.config_files(request.config.as_deref())?);
        let roster = Roster::new(&config.settings, None, self.project()?);
        Ok(agent_turn::list(&roster, &config))
    }

    /// Asks an agent for one turn.
    pub fn ask_agent(
        &self,
        request: AgentRequest,
        observer: &mut dyn AgentObserver,
    ) -> Result<AgentReport, ApiError> {
        let options = &request.options;
        let roster = self.trusted_roster(request.agent.as_deref(), options, observer)?;
        let timeout = options.timeout("--timeout")?.unwrap_or(DEFAULT_TIMEOUT);
        let system = self.system(options)?;
        let prompt = self.prompt(request.prompt, &request.attachments)?;
        let session = match &request.conversation {
            Some(name) => Some(self.home()?.sessions().join(name.as_str())),
            None => None,
        };
        let turn = TurnRequest {
            prompt: &prompt,
            system: system.as_deref(),
            tools: &options.tools(),
            model: options.model.as_deref(),
            thinking: options.thinking.as_deref(),
            session,
            timeout,
            cwd: self.project()?,
        };
        let mut processes = ProcessSet::foreground().map_err(|error| ApiError::system(&error))?;
        Ok(agent_turn::run(&turn, &roster, &mut processes, observer)?)
    }

    /// What the config says about agents, as far as it is trusted.
    pub(super) fn agent_config(&self, files: &ConfigFiles) -> AgentConfig {
        let home = self.home().ok();
        agent_turn::agent_config(files, home.as_ref(), self.trusts_everything())
    }

    /// The agents that may be started: a project that names agents has to be trusted, as in a cast.
    pub(super) fn trusted_roster(
        &self,
        agent: Option<&str>,
        options: &AgentOptions,
        observer: &mut dyn TrustObserver,
    ) -> Result<Roster, ApiError> {
        let files = self.config_files(options.config.as_deref())?;
        let mut config = self.agent_config(&files);
        if config.untrusted.is_some() {
            self.require_trust(&files, observer)?;
            config = agent_turn::agent_config(&files, None, true);
        }
        Ok(Roster::new(&config.settings, agent, self.project()?))
    }

    /// The text that is added to an agent's instructions.
    pub(super) fn system(&self, options: &AgentOptions) -> Result<Option<String>, ApiError> {
        let Some(path) = &options.system else {
            return Ok(None);
        };
        Ok(Some(text::read_file(
            &self.path(path),
            &path.to_string_lossy(),
        )?))
    }

    /// The prompt with its attachments, and with the recipes of the run that it belongs to.
    fn prompt(&self, prompt: AgentPrompt, attachments: &[String]) -> Result<String, ApiError> {
        let mut prompt = match prompt {
            AgentPrompt::Text(text) => text,
            AgentPrompt::Input(input) => input.text(&self.source_context())?,
        };
        if prompt.trim().is_empty() {
            return Err(
                ApiError::new(ErrorKind::Invalid, "usage", "the prompt is empty")
                    .hint("write it to stdin, or name a file with --prompt-file"),
            );
        }
        if !attachments.is_empty() {
            prompt = agent_turn::attach(&prompt, attachments, &self.path(Path::new("")))?;
        }
        let state_dir = self.variable("MATERIA_STATE_DIR").map(Path::new);
        let recipe = self
            .variable("MATERIA_RECIPE")
            .and_then(|name| name.to_str());
        Ok(agent_turn::add_context(prompt, state_dir, recipe))
    }
}

impl AgentOptions {
    /// How long a turn may take; `option` is what the user writes it with.
    pub(super) fn timeout(&self, option: &str) -> Result<Option<Duration>, ApiError> {
        let Some(seconds) = self.timeout else {
            return Ok(None);
        };
        let time = Duration::try_from_secs_f64(seconds).ok();
        // Journals have it in milliseconds.
        let fits = |time: &Duration| u64::try_from(time.as_millis()).is_ok_and(|time| time > 0);
        let time = time.filter(fits);
        time.map(Some).ok_or_else(|| {
            ApiError::new(ErrorKind::Invalid, "usage", "the timeout is not above 0")
                .hint(format!("write seconds: {option} 600"))
        })
    }

    fn tools(&self) -> AgentTools {
        AgentTools::parse(self.tools.as_deref().unwrap_or("coding"))
    }
}
