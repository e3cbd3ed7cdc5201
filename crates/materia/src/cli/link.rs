//! `materia link` and `materia autocast`: casts of what stands in no config as one loadout.

use clap::Args;
use materia_engine::cast::Definition;
use materia_engine::cast::link::{self, Wanted};
use materia_engine::cast::start::{self};
use materia_model::picture;

use super::cast::{Player, detach, exit_code, failure, foreground, wanted};
use super::config::{Config, project};
use super::trust;
use crate::view::{CastView, Screen, Voice, painted};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Cast several loadouts and materia, one behind the other
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia link Planning-Consult Full-Auto -- \"rewrite the parser\"\n  \
    materia link materia:Cover loadout:Release materia:Narrate -- \"raise the coverage\"\n  \
    materia link --from 2026-01-01T00-00 Chain-Context Full-Auto -- \"go on with it\"\n  \
    materia link Planning-Consult Full-Auto --draw\n\n\
    Every end of one part leads into the next. Nothing is written to a config."
)]
pub(super) struct Link {
    /// Loadouts and materia: `loadout:NAME`, `materia:NAME`, or the bare name
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,

    /// An earlier cast whose results the parts see as `state.previousCastContext`
    #[arg(long, value_name = "ID")]
    from: Option<String>,

    /// Only draw what would be cast
    #[arg(long)]
    draw: bool,

    /// Answer at once and let the cast run on by itself
    #[arg(long, conflicts_with = "draw")]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: Player,

    /// What should be done
    #[arg(value_name = "REQUEST", last = true)]
    request: Vec<String>,
}

/// Cast one loadout or materia by name; the active loadout stays what it is
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia autocast materia:Narrate \"tell what changed last week\"\n  \
    materia autocast Release \"prepare version 2\""
)]
pub(super) struct Autocast {
    /// `loadout:NAME`, `materia:NAME`, or the bare name
    #[arg(value_name = "TARGET")]
    target: String,

    /// What should be done
    #[arg(value_name = "REQUEST")]
    request: String,

    /// Answer at once and let the cast run on by itself
    #[arg(long)]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: Player,
}

impl Link {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let files = self.config.files(world)?;
        let home = world.home().ok();
        // Drawing runs nothing.
        let trusting = self.draw || trust::settled(world, &files, screen, voice)?;
        let wanted = Wanted {
            targets: &self.targets,
            home: home.as_ref(),
            trusting,
            agent: self.player.name(),
        };
        let mut definition = link::link(&files, &wanted).map_err(|error| failure(&error))?;
        if self.draw {
            match voice {
                Voice::Human => {
                    screen.text(&painted(
                        &picture::text(definition.graph()),
                        screen.results_in_colour(),
                    ));
                }
                Voice::Json => screen.document(&picture::json(definition.graph())),
            }
            return Ok(0);
        }
        if self.request.is_empty() {
            let message = "it is not said what should be done";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("write it behind `--`: materia link Planning-Consult Full-Auto -- \"…\""));
        }
        if let Some(from) = &self.from {
            let cwd = project(world)?;
            let earlier = link::earlier(cwd, &start::casts(cwd, &files), from)
                .map_err(|error| failure(&error))?;
            definition = definition.with_state("previousCastContext", earlier);
        }
        play(
            definition,
            &self.request.join(" "),
            &self.player,
            self.detach,
            world,
            screen,
            voice,
        )
    }
}

impl Autocast {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let files = self.config.files(world)?;
        let home = world.home().ok();
        let trusting = trust::settled(world, &files, screen, voice)?;
        let targets = std::slice::from_ref(&self.target);
        let wanted = Wanted {
            targets,
            home: home.as_ref(),
            trusting,
            agent: self.player.name(),
        };
        let definition = link::link(&files, &wanted).map_err(|error| failure(&error))?;
        play(
            definition,
            &self.request,
            &self.player,
            self.detach,
            world,
            screen,
            voice,
        )
    }
}

fn play(
    definition: Definition,
    request: &str,
    player: &Player,
    detached: bool,
    world: &World,
    screen: Screen,
    voice: Voice,
) -> Result<u8, ApiError> {
    let mut view = CastView::new(screen, voice);
    view.notice(definition.strange());
    if detached {
        let wanted = wanted(world, None, None)?;
        let (report, _) = detach(definition, request, player, world, &mut view, &wanted)?;
        view.report(&report);
        return Ok(0);
    }
    let settings = definition.settings().clone();
    let report = player.play(world, &settings, foreground()?, &mut view, |hands| {
        start::start(definition, request, hands)
    })?;
    view.report(&report);
    Ok(exit_code(&report))
}
