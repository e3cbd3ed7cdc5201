//! `materia export`: a loadout for other programs, or a cast as one page to hand on.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use materia_engine::cast::export;
use materia_engine::cast::list;
use materia_engine::cast::start;
use serde_json::json;

use super::cast::failure;
use super::config::{Config, project};
use crate::view::{Screen, Voice, page, style::Role};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind, GridFormat, GridRequest};

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        match &self.html {
            Some(file) => self.cast(file, world, screen, voice),
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
        &self,
        file: &std::path::Path,
        world: &World,
        screen: Screen,
        voice: Voice,
    ) -> Result<u8, ApiError> {
        let cwd = project(world)?;
        let folder = start::casts(cwd, &self.config.files(world)?);
        let exported = list::looked_at(cwd, &folder, self.what.as_deref())
            .and_then(|cast| export::cast(&cast, &world.variables, &world.clock()))
            .map_err(|error| failure(&error))?;
        let text = page(&exported);
        if file.as_os_str() == "-" {
            screen.text(&text);
            return Ok(0);
        }
        let path = world.path(file);
        export::save(&path, &text).map_err(|error| {
            ApiError::new(
                ErrorKind::Failed,
                "not_written",
                format!("{}: {error}", path.display()),
            )
            .hint("name a file in a directory that you can write to")
        })?;
        let (shown, bytes) = (path.display().to_string(), text.len());
        match voice {
            Voice::Json => screen.text(&format!(
                "{}\n",
                json!({"ok": true, "castId": exported.cast.cast_id, "file": shown, "bytes": bytes})
            )),
            Voice::Human => {
                screen.text(&format!("{shown}\n"));
                screen.talk(
                    Role::Quiet,
                    "note",
                    "everybody who gets this file can read the prompts and answers in it",
                );
            }
        }
        Ok(0)
    }
}
