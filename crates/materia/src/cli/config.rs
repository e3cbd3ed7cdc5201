//! Which config files a command uses: those in their places, and the one that the command line
//! names.

use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::config::{Files, Places};
use materia_engine::home::Home;
use materia_engine::utility::launcher;

use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// The config on top of all others.
#[derive(Debug, Default, Args)]
pub(super) struct Config {
    /// A config file on top of yours and the project's
    #[arg(long, alias = "materia-config", value_name = "F")]
    config: Option<PathBuf>,
}

impl Config {
    /// The one on top of all others, as it was named.
    pub(super) fn named(&self) -> Option<PathBuf> {
        self.config.clone()
    }

    /// Reads every layer there is.
    pub(super) fn files(&self, world: &World) -> Result<Files, ApiError> {
        let home = world.home().ok();
        let places = Places {
            home: home.as_ref(),
            project: project(world)?,
            environment: environment(world),
            flag: self
                .config
                .as_deref()
                .filter(|path| !path.as_os_str().is_empty()),
        };
        home.as_ref().map(launched);
        Ok(Files::find(places)?)
    }
}

/// Brings the launchers in the profile up to date, as every load of a config does (C18).
///
/// Where that cannot be done, such as in a home that is read-only, nobody misses them: no command
/// of ours starts one.
pub(super) fn launched(home: &Home) {
    let _read_only = launcher::sync(home);
}

/// The file that `MATERIA_CONFIG` names.
pub(super) fn environment(world: &World) -> Option<&Path> {
    world.variable("MATERIA_CONFIG").map(Path::new)
}

/// The directory of the project.
pub(super) fn project(world: &World) -> Result<&Path, ApiError> {
    world.cwd.as_deref().map_err(|error| {
        ApiError::new(
            ErrorKind::Invalid,
            "no_directory",
            format!("the working directory is gone: {error}"),
        )
        .hint("change to a directory that exists, or name one with `-C`")
    })
}
