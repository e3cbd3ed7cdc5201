//! What requests have in common: which config file is on top, and which agent plays.

use std::path::{Path, PathBuf};

use materia_model::finding::Source;
use materia_model::loadout::ConfigSettings;

use super::{ApiError, Engine};
use crate::agent::{Backend, Players, Roster, Scripted};
use crate::config::{ConfigFiles, Places};
use crate::store::text;

/// Which agent plays the roles of a cast. Without a choice it is the one that the cast remembers or
/// that the config names.
#[derive(Debug, Clone, Default)]
pub struct AgentChoice {
    /// The agent that plays roles which name none.
    pub agent: Option<String>,
    /// The file with the replies of a scripted agent.
    pub script: Option<PathBuf>,
}

impl AgentChoice {
    /// Whether the caller chose one.
    pub fn is_given(&self) -> bool {
        self.agent.is_some() || self.script.is_some()
    }
}

impl Engine {
    /// Reads every config layer there is, once; `flag` names the file on top of all others.
    pub(crate) fn config_files(&self, flag: Option<&Path>) -> Result<ConfigFiles, ApiError> {
        let home = self.home().ok();
        if let Some(home) = &home {
            self.sync_launchers(home);
        }
        Ok(ConfigFiles::find(Places {
            home: home.as_ref(),
            project: self.project()?,
            environment: self.variable("MATERIA_CONFIG").map(Path::new),
            flag: flag.filter(|path| !path.as_os_str().is_empty()),
        })?)
    }

    /// The agents that play a cast with these settings.
    pub(crate) fn backend(
        &self,
        choice: &AgentChoice,
        settings: &ConfigSettings,
    ) -> Result<Box<dyn Backend>, ApiError> {
        let Some(script) = &choice.script else {
            let roster = Roster::new(settings, choice.agent.as_deref(), self.project()?);
            return Ok(Box::new(Players::new(roster)));
        };
        let name = script.to_string_lossy();
        let source = Source::new(&name, &text::read_file(&self.path(script), &name)?);
        let scripted = Scripted::read(&source).map_err(ApiError::from_findings)?;
        Ok(Box::new(scripted))
    }

    /// The options by which another process of this program gets the same agents.
    pub(crate) fn driver_options(&self, choice: &AgentChoice) -> Vec<String> {
        let script = choice.script.iter().flat_map(|script| {
            let path = self.path(script).to_string_lossy().into_owned();
            ["--agent-script".to_owned(), path]
        });
        let agent = choice
            .agent
            .iter()
            .flat_map(|agent| ["--agent".to_owned(), agent.clone()]);
        script.chain(agent).collect()
    }
}
