//! `materia export`: writes a loadout for other programs, or a cast as one HTML page to share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::config::Config;
use crate::view::{OutputFormat, Screen, page, style::Role};
use crate::world::World;
use materia_engine::api::{ApiError, CastExportRequest, GridFormat, GridRequest};

/// Write a loadout as Mermaid, DOT, SVG or JSON, or a cast as one page of HTML
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia export Full-Auto --format svg > full-auto.svg\n  \
    materia export --config flow.json --format mermaid\n  materia export --html report.html\n  \
    materia export 2026-01-01T00-00 --html report.html\n\n\
    The page has the graph, the time line, the steps, why work went back, what it cost and the texts of the artifacts. It \
    loads nothing, runs nothing, follows the reader's light or dark theme, and has no secrets that materia knows of. Read \
    it before you send it."
)]
pub(super) struct Export {
    /// A loadout's name or id; with --html, a cast's id, the beginning of it, or its directory
    #[arg(value_name = "LOADOUT|CAST")]
    what: Option<String>,

    /// How the loadout is written
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "mermaid",
        conflicts_with = "html"
    )]
    format: Format,

    /// Write a cast as a page to this file; `-` is stdout
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    config: Config,
}

/// How a loadout is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Mermaid,
    Dot,
    Svg,
    Json,
}

impl Export {
    pub(super) fn run(
        mut self,
        world: &World,
        screen: Screen,
        voice: OutputFormat,
    ) -> Result<u8, ApiError> {
        match self.html.take() {
            Some(file) => self.cast(&file, world, screen, voice),
            None => self.loadout(world, screen),
        }
    }

    fn loadout(self, world: &World, screen: Screen) -> Result<u8, ApiError> {
        let format = match self.format {
            Format::Mermaid => GridFormat::Mermaid,
            Format::Dot => GridFormat::Dot,
            Format::Svg => GridFormat::Svg,
            Format::Json => GridFormat::Json,
        };
        let grid = world.engine().grid(&GridRequest {
            loadout: self.what,
            config: self.config.named(),
        })?;
        screen.findings(&grid.warnings);
        screen.text(&grid.text(format));
        Ok(0)
    }

    fn cast(
        self,
        file: &Path,
        world: &World,
        screen: Screen,
        voice: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        let export = engine.export_cast(&CastExportRequest {
            cast: self.what,
            config: self.config.named(),
        })?;
        let text = page(&export);
        if file.as_os_str() == "-" {
            screen.text(&text);
            return Ok(0);
        }
        screen.report(&engine.save_export(&export, &text, file)?, voice);
        if voice == OutputFormat::Human {
            screen.talk(
                Role::Quiet,
                "note",
                "everybody who gets this file can read the prompts and answers in it",
            );
        }
        Ok(0)
    }
}
