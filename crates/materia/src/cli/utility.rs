//! `materia utility`: runs a shipped utility directly, as a cast would.

use clap::Args;

use super::input;
use crate::view::{OutputFormat, Screen, UtilityView};
use crate::world::World;
use materia_engine::api::{ApiError, UtilityRequest};

/// Run a shipped utility or a step of recipes: input on stdin, result on stdout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia utility\n  \
    echo '{}' | materia utility detect-vcs\n  \
    git log | materia utility artifact-write path=log.txt mode=overwrite\n  \
    echo '{\"params\": {\"patterns\": [\"out/\"]}}' | materia utility ensure-ignored\n\n\
    The input is the document of a utility socket: cwd, params, state, item and so on; what is absent counts as empty, \
    and cwd as the working directory. Exits with 0 and the result, 1 when the work failed, 2 when the input is wrong \
    and nothing was changed, 3 for an unknown name.")]
pub(super) struct Utility {
    /// Its name; without one they are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// What a step of recipes is told: key=value
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// List the utilities
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

impl Utility {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        let Some(name) = self.name.filter(|_| !self.list) else {
            screen.report(&engine.utility_list(), format);
            return Ok(0);
        };
        let request = UtilityRequest {
            name,
            arguments: self.words,
            stdin: input::stdin()?,
        };
        let mut view = UtilityView::new(world, screen);
        let report = engine.utility(request, &mut view)?;
        view.report(&report);
        Ok(report.exit_code())
    }
}
