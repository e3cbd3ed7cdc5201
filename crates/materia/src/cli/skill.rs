//! `materia skill`: teaches an agent to use this program.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use materia_engine::agent;
use materia_engine::skill::{self, Replace};

use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

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
        #[arg(long, value_name = "A", value_parser = PossibleValuesParser::new(agent::SKILLED), required_unless_present = "dir")]
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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let Verb::Install { agent, dir, force } = self.verb else {
            match voice {
                Voice::Human => screen.text(skill::TEXT),
                Voice::Json => {
                    screen.document(&serde_json::json!({"ok": true, "text": skill::TEXT}));
                }
            }
            return Ok(0);
        };
        let skills = match (&dir, &agent) {
            (Some(dir), _) => Some(world.path(dir)),
            (None, Some(name)) => {
                let home_dir = world.variable("HOME").map(Path::new);
                agent::skills(name, &world.home()?, home_dir, |name| {
                    world.variable(name).map(PathBuf::from)
                })
            }
            (None, None) => None,
        };
        let Some(skills) = skills else {
            return Err(
                ApiError::new(ErrorKind::Invalid, "no_home", "there is no home directory")
                    .hint("name a directory with --dir"),
            );
        };
        let replace = if force {
            Replace::Always
        } else {
            Replace::Never
        };
        screen.report(&skill::install(agent.as_deref(), &skills, replace)?, voice);
        Ok(0)
    }
}
