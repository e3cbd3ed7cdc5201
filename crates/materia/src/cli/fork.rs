//! `materia fork`: a new cast that begins behind a finished step of another one.

use clap::Args;
use materia_engine::cast::fork_point;
use materia_engine::cast::list;
use materia_engine::cast::start::{self, Asked, Wish};
use materia_engine::process::Nursery;

use super::cast::{Player, driven, exit_code, failure, foreground, wanted};
use super::config::{Config, project};
use super::trust;
use crate::view::{CastView, Screen, Voice};
use crate::world::World;
use materia_engine::api::ApiError;

/// Begin a new cast behind a finished step of another one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia fork 2026-01-01T00-00 --at 3\n  \
    materia fork 2026-01-01T00-00 --at Socket-4:1 --hold\n\n\
    `materia cast-show ID` numbers the steps. The new cast has everything that the other one had come to behind that \
    step, and goes on from there; the other one stays as it is. The files of the project are not turned back: do that \
    with your version control.")]
pub(super) struct Fork {
    /// The id of the other cast, the beginning of its id, or its directory
    #[arg(value_name = "ID")]
    id: String,

    /// A finished step: its number, or its socket and visit
    #[arg(long, value_name = "STEP")]
    at: String,

    /// Only make the new cast; `materia resume` goes on with it
    #[arg(long)]
    hold: bool,

    /// Answer at once and let the new cast run on by itself
    #[arg(long, conflicts_with = "hold")]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: Player,
}

impl Fork {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let (cwd, clock) = (project(world)?, world.clock());
        let files = self.config.files(world)?;
        let home = world.home().ok();
        let trusting = trust::settled(world, &files, screen, voice)?;
        let asked = Asked {
            loadout: None,
            files: &files,
            home: home.as_ref(),
            trusting,
            agent: None,
        };
        let kept = start::casts(cwd, &files);
        let made = list::looked_at(cwd, &kept, Some(&self.id))
            .and_then(|folder| start::may_go_on(&folder, &asked).map(|()| folder))
            .and_then(|folder| fork_point::fork(&folder, &kept, &self.at, &clock))
            .map_err(|error| failure(&error))?;
        if self.hold {
            let report = materia_engine::cast::status::status(&made, &clock)
                .map_err(|error| failure(&error))?;
            screen.report(&report, voice);
            return Ok(0);
        }
        let mut view = CastView::new(screen, voice);
        let settings = start::settings(&made).unwrap_or_default();
        if self.detach {
            let wanted = wanted(world, None, None)?;
            // A nursery that adopts orphans would take the supervisor for one.
            let report =
                self.player
                    .play(world, &settings, Nursery::new(), &mut view, |hands| {
                        start::leave(made, hands)
                    })?;
            view.report(&driven(report, &self.player, world, &wanted)?.0);
            return Ok(0);
        }
        let report = self
            .player
            .play(world, &settings, foreground()?, &mut view, |hands| {
                start::go_on(made, Wish::Resume, hands)
            })?;
        view.report(&report);
        Ok(exit_code(&report))
    }
}
