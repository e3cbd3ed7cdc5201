//! `materia recipe`: which recipes there are, what one of them is made of, what is wrong with them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use materia_engine::editor::validate;
use materia_engine::recipe::{self, NotResolved};
use materia_model::template;

use super::input::library;
use super::validate::told;
use crate::view::{Screen, Voice};
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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let library = library(world)?;
        let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
        match self.verb {
            Verb::List => screen.report(&recipe::list(&library), voice),
            Verb::Show { name } => {
                let shown = recipe::show(&library, &world.home()?, &name, cwd)?;
                screen.report(&shown, voice);
            }
            Verb::Validate { files } => {
                return Ok(told(
                    &validate::validate_recipes(&library, cwd, &files),
                    screen,
                    voice,
                ));
            }
            Verb::Doctor => {
                let diagnosis = recipe::doctor(&library, &world.home()?);
                screen.report(&diagnosis, voice);
                return Ok(if diagnosis.ok {
                    0
                } else {
                    materia_engine::api::ErrorKind::Invalid.exit_code()
                });
            }
            Verb::Schema { name } => {
                let located = library.find(&name, cwd).map_err(NotResolved::NotFound)?;
                let linked = library.link(&located).map_err(NotResolved::Invalid)?;
                screen.document(&template::schema(&linked.template.args()));
            }
        }
        Ok(0)
    }
}
