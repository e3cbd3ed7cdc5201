//! `materia agent act`: this program as the inside of a run that is an agent. Nobody types it.

use clap::Args;
use materia_engine::actor::{self, Error, Hands};
use materia_engine::agent::{Backend, Players, Scripted};
use materia_engine::run::{self, Root};
use materia_model::actor::Order;
use materia_model::finding::Source;
use materia_model::secret::Secrets;

use super::super::cast::foreground;
use super::super::config::Config;
use super::super::input::read_text;
use super::{roster, scope};
use crate::view::{ActorView, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Play the agent that this run is
#[derive(Debug, Args)]
pub(super) struct Act {}

impl Act {
    pub(super) fn run(world: &World, screen: Screen) -> Result<u8, ApiError> {
        let Some(run) = world.within() else {
            return Err(ApiError::new(
                ErrorKind::Invalid,
                "usage",
                "this is no place inside a run",
            )
            .hint("materia spawn --agent NAME --as run:ID"));
        };
        let root = Root::new(world.home()?.runs());
        let recorded = root.find(&run).and_then(|place| run::recorded(&place))?;
        let Some(order) = recorded
            .start
            .as_ref()
            .and_then(|start| actor::order(start))
        else {
            return Err(failure(&Error::NoActor(run.to_string())));
        };
        let mut player = player(world, &order)?;
        let texts = world
            .variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let hands = Hands {
            root: &root,
            run: &run,
            tools: &scope(order.tools.as_deref().unwrap_or("coding")),
            clock: &world.clock(),
            secrets: &Secrets::new(texts, &[]),
            agent: &mut *player,
            nursery: &mut foreground()?,
            listener: &mut ActorView::new(screen),
        };
        actor::act(hands).map_err(|error| failure(&error))?;
        Ok(ErrorKind::Interrupted.exit_code())
    }
}

/// Who plays, as the order says.
pub(in super::super) fn player(world: &World, order: &Order) -> Result<Box<dyn Backend>, ApiError> {
    if let Some(script) = &order.script {
        let source = Source::new(script, &read_text(world, script.as_ref())?);
        return Ok(Box::new(
            Scripted::read(&source).map_err(ApiError::from_findings)?,
        ));
    }
    let config = Config::of(order.config.as_deref());
    Ok(Box::new(Players::new(
        roster(&config, Some(&order.name), world)?.0,
    )))
}

fn failure(error: &Error) -> ApiError {
    let (kind, code) = match error {
        Error::NoActor(_) => (ErrorKind::Invalid, "no_agent_run"),
        _ => (ErrorKind::Failed, "storage"),
    };
    ApiError::from_error(kind, code, error).hint("`materia inspect run:ID` says how the run stands")
}
