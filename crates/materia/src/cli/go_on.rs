//! `materia resume`, `continue`, `recast`, `revive` and `abort`: going on with a cast that stopped.

use clap::Args;
use materia_engine::cast::list;
use materia_engine::cast::start::{self, Asked, Wish};

use super::cast::{Player, exit_code, failure, foreground};
use super::config::{Config, project};
use super::trust;
use crate::view::{CastView, Screen, Voice};
use crate::world::World;
use materia_engine::api::ApiError;

/// Go on with a cast that was killed or interrupted
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia resume 2026-01-01T00-00\n  materia resume .pi/pi-materia/2026-01-01T00-00-00-000Z"
)]
pub(super) struct Resume {
    /// Its id, the beginning of its id, or its directory; the newest that suits where nothing is
    /// said
    #[arg(value_name = "ID")]
    id: Option<String>,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: Player,
}

/// Answer a paused cast, or let it finish
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia continue 2026-01-01T00-00 \"focus on the tests\"\n  materia continue 2026-01-01T00-00\n\n\
    With words it is one more turn of the conversation; without, the agent gives its final answer."
)]
pub(super) struct Continue {
    #[command(flatten)]
    cast: Resume,

    /// What to say
    #[arg(value_name = "TEXT")]
    words: Option<String>,
}

impl Continue {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        // No id has a space in it, so that one who says only something means the cast that waits
        // for it.
        let (id, words) = match (self.cast.id, self.words) {
            (Some(only), None) if only.contains(char::is_whitespace) => (None, Some(only)),
            given => given,
        };
        let cast = Resume { id, ..self.cast };
        cast.run(Wish::Continue(words.as_deref()), world, screen, voice)
    }
}

impl Resume {
    pub(super) fn run(
        &self,
        wish: Wish<'_>,
        world: &World,
        screen: Screen,
        voice: Voice,
    ) -> Result<u8, ApiError> {
        let mut view = CastView::new(screen, voice);
        let files = self.config.files(world)?;
        let home = world.home().ok();
        // Ending a cast runs nothing.
        let trusting = matches!(wish, Wish::Abort) || trust::settled(world, &files, screen, voice)?;
        let asked = Asked {
            loadout: None,
            files: &files,
            home: home.as_ref(),
            trusting,
            agent: None,
        };
        let cwd = project(world)?;
        let found = list::meant(cwd, &start::casts(cwd, &files), self.id.as_deref(), wish)
            .and_then(|folder| start::may_go_on(&folder, &asked).map(|()| folder));
        let folder = found.map_err(|error| failure(&error))?;
        // One that cannot be read is told when it is opened.
        let settings = start::settings(&folder).unwrap_or_default();
        let nursery = foreground()?;
        let report = self
            .player
            .play(world, &settings, nursery, &mut view, |hands| {
                start::go_on(folder, wish, hands)
            })?;
        view.report(&report);
        Ok(exit_code(&report))
    }
}
