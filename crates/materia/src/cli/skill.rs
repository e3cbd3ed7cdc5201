//! `materia skill`: installs the skill that teaches an agent to use materia.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use materia_engine::api::{ApiError, SKILL_AGENTS, SkillInstallRequest};

use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Teach an agent to use materia
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia skill install --agent pi\n  \
    materia skill install --dir .agents/skills\n  materia skill show")]
pub(super) struct Skill {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Put the skill where an agent looks for skills
    #[command(
        after_help = "Examples:\n  materia skill install --agent pi\n  materia skill install --dir .agents/skills"
    )]
    Install {
        /// The agent
        #[arg(long, value_name = "A", value_parser = PossibleValuesParser::new(SKILL_AGENTS), required_unless_present = "dir")]
        agent: Option<String>,
        /// Another directory of skills
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Replace a copy that was changed
        #[arg(long)]
        force: bool,
    },
    /// Print the skill
    #[command(after_help = "Examples:\n  materia skill show")]
    Show,
}

impl Skill {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        match self.verb {
            Verb::Install { agent, dir, force } => {
                let request = SkillInstallRequest { agent, dir, force };
                screen.report(&engine.install_skill(&request)?, format);
            }
            Verb::Show => screen.report(&engine.skill(), format),
        }
        Ok(0)
    }
}
