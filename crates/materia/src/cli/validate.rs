//! `materia validate`: reports every problem in config files and recipes.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::{ValidateReport, ValidateRequest};

use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Say everything that is wrong with loadout configs and recipes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia validate .pi/pi-materia.json\n  \
    materia validate flow.json --json | jq '.files[].issues[]'\n\n\
    Exits with 2 when a file has errors; warnings alone are fine.")]
pub(super) struct Validate {
    /// Config files, each checked on top of what ships, and recipes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

impl Validate {
    pub(super) fn run(self, world: &World, screen: Screen, format: OutputFormat) -> u8 {
        let request = ValidateRequest { files: self.files };
        told(&world.engine().validate(&request), screen, format)
    }
}

/// Prints the report and returns the exit code.
pub(super) fn told(report: &ValidateReport, screen: Screen, format: OutputFormat) -> u8 {
    screen.report(report, format);
    report.exit_code()
}
