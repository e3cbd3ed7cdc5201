//! `materia recipe`: lists, shows and validates recipes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::validate::told;
use crate::view::{OutputFormat, Screen};
use crate::world::World;
use materia_engine::api::ApiError;

/// List, show and check recipes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia recipe list\n  materia recipe show pipeline-git-glance\n  \
    materia recipe validate recipes/*.json\n  materia recipe schema utility-git-log\n  materia recipe doctor"
)]
pub(super) struct Recipe {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the recipes by kind, yours and those that ship
    #[command(after_help = "Examples:\n  materia recipe list\n  materia recipe list --json")]
    List,
    /// Show what a recipe says, takes and is made of
    #[command(
        after_help = "Examples:\n  materia recipe show utility-git-log\n  materia recipe show ./review.json"
    )]
    Show {
        /// Its name, or a path
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Say everything that is wrong with recipe files
    #[command(after_help = "Examples:\n  materia recipe validate recipes/*.json")]
    Validate {
        /// Recipe files, JSON or Markdown
        #[arg(value_name = "PATH", required = true)]
        files: Vec<PathBuf>,
    },
    /// Say which recipes are hidden, broken, disabled or risky, and what to do first
    #[command(after_help = "Examples:\n  materia recipe doctor")]
    Doctor,
    /// Print the JSON Schema of a recipe's arguments
    #[command(after_help = "Examples:\n  materia recipe schema utility-git-log")]
    Schema {
        /// Its name, or a path
        #[arg(value_name = "NAME")]
        name: String,
    },
}

impl Recipe {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        match self.verb {
            Verb::List => screen.report(&engine.recipe_list()?, format),
            Verb::Show { name } => screen.report(&engine.recipe_show(&name)?, format),
            Verb::Validate { files } => {
                return Ok(told(&engine.recipe_validate(&files)?, screen, format));
            }
            Verb::Doctor => {
                let report = engine.recipe_doctor()?;
                screen.report(&report, format);
                return Ok(report.exit_code());
            }
            Verb::Schema { name } => screen.document(&engine.recipe_schema(&name)?),
        }
        Ok(0)
    }
}
