//! `materia grid`: draws a loadout.

use clap::{Args, ValueEnum};
use materia_engine::api::{ApiError, ErrorKind, GridFormat, GridRequest};

use super::config::Config;
use crate::view::{OutputFormat, Screen, painted};
use crate::world::World;

/// Draw a loadout
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia grid\n  materia grid Release --format mermaid\n  \
    materia grid --config flow.json --format svg > flow.svg"
)]
pub(super) struct Grid {
    /// Its name or id; without it, the active one
    #[arg(value_name = "LOADOUT")]
    loadout: Option<String>,

    #[command(flatten)]
    config: Config,

    /// How it is shown
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

/// How a loadout is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Mermaid,
    Dot,
    Svg,
    Json,
}

impl Grid {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        voice: OutputFormat,
    ) -> Result<u8, ApiError> {
        let format = match (self.format, voice) {
            (None | Some(Format::Json), OutputFormat::Json)
            | (Some(Format::Json), OutputFormat::Human) => GridFormat::Json,
            (Some(_), OutputFormat::Json) => {
                let message =
                    "`--json` asks for the graph as JSON, and `--format` for something else";
                return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                    .hint("leave one of them out"));
            }
            (None | Some(Format::Text), OutputFormat::Human) => GridFormat::Text,
            (Some(Format::Mermaid), OutputFormat::Human) => GridFormat::Mermaid,
            (Some(Format::Dot), OutputFormat::Human) => GridFormat::Dot,
            (Some(Format::Svg), OutputFormat::Human) => GridFormat::Svg,
        };
        let grid = world.engine().grid(&GridRequest {
            loadout: self.loadout,
            config: self.config.named(),
        })?;
        screen.findings(&grid.warnings);
        let drawn = match screen.columns().filter(|_| format == GridFormat::Text) {
            Some(columns) => grid.drawn_within(columns),
            None => grid.text(format),
        };
        let colour = format == GridFormat::Text && screen.results_in_colour();
        screen.text(&painted(&drawn, colour));
        Ok(0)
    }
}
