//! `materia import`: recipes of other tools.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use materia_engine::editor::import::{self, NotImported};
use materia_model::import::Shell;

use super::config::project;
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Turn goose recipes and justfiles into recipes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia import goose review.yaml > review.json\n  \
    materia import goose review.yaml --into ~/.pi/agent/recipes\n  materia import justfile --into recipes\n  \
    materia import justfile ci/justfile --shell --into recipes\n\n\
    Without --into nothing is written. What cannot be carried over is said with its line, on stderr. Profiles and projects \
    of pi-materia and recipes of pi-actors need no import: they are used where they are, see `materia doctor`."
)]
pub(super) struct Import {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A goose recipe, YAML or JSON, with its sub-recipes
    #[command(after_help = "Examples:\n  materia import goose review.yaml > review.json")]
    Goose {
        /// The recipe
        #[arg(value_name = "FILE")]
        file: PathBuf,

        #[command(flatten)]
        into: Into,
    },
    /// A justfile; every recipe in it becomes one of ours
    #[command(
        after_help = "Examples:\n  materia import justfile ci/justfile --shell --into recipes"
    )]
    Justfile {
        /// The justfile; without it, the one in this directory
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,

        /// Let lines that need a shell be run by `sh -cu`, as just does
        #[arg(long)]
        shell: bool,

        #[command(flatten)]
        into: Into,
    },
}

#[derive(Debug, Args)]
struct Into {
    /// Write the recipes into this directory; a file that is there is never replaced
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl Import {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let cwd = project(world)?;
        let report = match self.what {
            What::Goose { file, into } => import::goose(
                &world.path(&file),
                into.into.map(|into| world.path(&into)).as_deref(),
            ),
            What::Justfile { file, shell, into } => {
                let shell = if shell {
                    Shell::Allowed
                } else {
                    Shell::AsWritten
                };
                let (file, into) = (
                    file.map(|file| world.path(&file)),
                    into.into.map(|into| world.path(&into)),
                );
                import::justfile(file.as_deref(), cwd, shell, into.as_deref())
            }
        };
        let report = report.map_err(|error| failure(&error, screen))?;
        screen.findings(&report.notes);
        screen.report(&report, voice);
        Ok(0)
    }
}

fn failure(error: &NotImported, screen: Screen) -> ApiError {
    let told = |kind, code, hint| ApiError::from_error(kind, code, error).hint(hint);
    match error {
        NotImported::Missing(_) => told(ErrorKind::NotFound, "not_found", "name the file"),
        NotImported::Unreadable { .. } => told(
            ErrorKind::Invalid,
            "unreadable",
            "name a text file that you can read",
        ),
        NotImported::Taken(_) => told(
            ErrorKind::Conflict,
            "exists",
            "name another directory, or move that file away",
        ),
        NotImported::NotWritten { .. } => told(
            ErrorKind::Failed,
            "not_written",
            "name a directory that you can write to",
        ),
        NotImported::Wrong(findings) => {
            screen.findings(findings);
            told(
                ErrorKind::Invalid,
                "invalid_import",
                "name a file of that kind",
            )
        }
    }
}
