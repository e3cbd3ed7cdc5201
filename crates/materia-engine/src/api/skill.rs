//! `skill`: what an agent has to know about this program.

use std::path::PathBuf;

use serde::Serialize;

use super::{ApiError, Engine, ErrorKind};
use crate::{agent, skill};

pub use crate::agent::SKILLED as SKILL_AGENTS;
pub use crate::skill::SkillInstallReport;

/// Where to install the skill.
#[derive(Debug, Clone, Default)]
pub struct SkillInstallRequest {
    /// The agent it is for, one of [`SKILL_AGENTS`].
    pub agent: Option<String>,
    /// The directory of skills, instead of the agent's.
    pub dir: Option<PathBuf>,
    /// Whether a copy that was changed is replaced.
    pub force: bool,
}

/// The skill.
#[derive(Debug, Serialize)]
pub struct SkillReport {
    /// Always true.
    pub ok: bool,
    /// Its text.
    pub text: &'static str,
}

impl Engine {
    /// The skill as it ships.
    pub fn skill(&self) -> SkillReport {
        SkillReport {
            ok: true,
            text: skill::TEXT,
        }
    }

    /// Installs the skill where an agent looks for skills.
    pub fn install_skill(
        &self,
        request: &SkillInstallRequest,
    ) -> Result<SkillInstallReport, ApiError> {
        let agent = request.agent.as_deref();
        let skills = match (&request.dir, agent) {
            (Some(dir), _) => Some(self.path(dir)),
            (None, Some(name)) => agent::skills(name, &self.home()?, self.user_home(), |name| {
                self.variable(name).map(PathBuf::from)
            }),
            (None, None) => None,
        };
        let skills = skills.ok_or_else(|| {
            ApiError::new(ErrorKind::Invalid, "no_home", "there is no home directory")
                .hint("name a directory with --dir")
        })?;
        Ok(skill::install(agent, &skills, request.force)?)
    }
}
