//! `materia import`: converts recipes of other tools.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use materia_model::import::ShellLines;

use crate::view::{OutputFormat, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, ImportRequest, ImportSource};

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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let (source, into) = match self.what {
            What::Goose { file, into } => (ImportSource::Goose(file), into.into),
            What::Justfile { file, shell, into } => {
                let shell = if shell {
                    ShellLines::Allowed
                } else {
                    ShellLines::AsWritten
                };
                (ImportSource::Justfile { file, shell }, into.into)
            }
        };
        let imported = world.engine().import(&ImportRequest { source, into });
        let report = imported.map_err(|failure| {
            screen.findings(&failure.findings);
            failure.error
        })?;
        screen.findings(&report.notes);
        screen.report(&report, format);
        Ok(0)
    }
}
