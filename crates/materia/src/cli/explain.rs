//! `materia explain`: shows what a template would run, without starting it.

use clap::Args;

use super::input::Template;
use crate::view::{OutputFormat, Screen};
use crate::world::World;
use materia_engine::api::ApiError;

/// Show what a template or a recipe would run, and start nothing
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia explain --template 'echo {name=world}' name=you\n  \
    materia explain --file build.json --values values.json --json\n  \
    materia explain --file build.json --schema\n  materia explain utility-git-log count=3"
)]
pub(super) struct Explain {
    #[command(flatten)]
    template: Template,

    /// Print the JSON Schema of the template's arguments instead; needs no values
    #[arg(long, conflicts_with_all = ["values", "stdin"])]
    schema: bool,
}

impl Explain {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        if self.schema {
            let (source, _) = self.template.source()?;
            screen.document(&engine.template_schema(&source)?);
            return Ok(0);
        }
        screen.report(&engine.explain(self.template.request()?)?, format);
        Ok(0)
    }
}
