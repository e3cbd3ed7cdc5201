//! `materia trust`, and the question that other verbs ask before they run what a project brings
//! (S1).

use std::io::BufRead;
use std::path::PathBuf;

use clap::Args;
use materia_engine::config::Files;
use materia_engine::home::Home;
use materia_engine::process;
use materia_engine::trust::Error;
use materia_engine::trust::project::{self, TrustReport, TrustStanding};

use super::config::Config;
use crate::view::{Report, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Variables that programs inside a run have (S2).
const INSIDE: [&str; 4] = [
    "MATERIA_RUN",
    "MATERIA_SESSION",
    "MATERIA_LEAF",
    "MATERIA_DETACHED",
];

/// Agree to what this project's own config would run
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia trust\n  materia trust --show\n  materia trust --list\n  \
    materia trust --revoke .\n\n\
    Shows what would run and asks. What you agree to is kept by the SHA-256 of every file: one changed byte, and you are \
    asked again. Needs a terminal; a program that runs inside a cast or a run cannot agree for you. `MATERIA_TRUST=1` accepts \
    for one process, such as in CI."
)]
pub(super) struct Trust {
    /// Show what would run, and agree to nothing
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    show: bool,

    /// List everything that you agreed to
    #[arg(long, conflicts_with = "revoke")]
    list: bool,

    /// Take it back: for a file, or for everything in a directory
    #[arg(long, value_name = "PATH")]
    revoke: Option<PathBuf>,
}

impl Trust {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let home = world.home()?;
        let failed = |error: Error| failure(&error);
        if self.list {
            screen.report(&project::list(&home).map_err(failed)?, voice);
            return Ok(0);
        }
        if let Some(path) = &self.revoke {
            screen.report(
                &project::revoke(&home, &world.path(path)).map_err(failed)?,
                voice,
            );
            return Ok(0);
        }
        let files = Config::default().files(world)?;
        let shown = project::show(&files, Some(&home)).map_err(failed)?;
        if self.show
            || matches!(
                shown.standing,
                TrustStanding::Nothing | TrustStanding::Trusted
            )
        {
            screen.report(&shown, voice);
            return Ok(0);
        }
        operator(world)?;
        if !accepts(world) && !agrees(world, screen, voice, &shown)? {
            return Err(declined());
        }
        project::grant(&files, &home, &shown, &world.clock()).map_err(failed)?;
        screen.report(&project::show(&files, Some(&home)).map_err(failed)?, voice);
        Ok(0)
    }
}

/// Whether the person accepts what the project brings, for this process (S1). On a terminal they
/// are asked first where they have not agreed to it as it is; what they agree to is kept.
pub(super) fn settled(
    world: &World,
    files: &Files,
    home: Option<&Home>,
    screen: Screen,
    voice: Voice,
) -> Result<bool, ApiError> {
    let is_asked = world.terminals.stdin && world.terminals.stderr && voice == Voice::Human;
    let (false, true, Some(home)) = (accepts(world), is_asked, home) else {
        return Ok(accepts(world));
    };
    let shown = project::show(files, Some(home)).map_err(|error| failure(&error))?;
    if matches!(
        shown.standing,
        TrustStanding::Nothing | TrustStanding::Trusted
    ) || is_inside(world)
    {
        return Ok(false);
    }
    if !agrees(world, screen, voice, &shown)? {
        return Err(declined());
    }
    project::grant(files, home, &shown, &world.clock()).map_err(|error| failure(&error))?;
    Ok(false)
}

/// How an error about trust leaves the house.
pub(super) fn failure(error: &Error) -> ApiError {
    error.into()
}

/// Whether the person accepts everything for this process.
pub(super) fn accepts(world: &World) -> bool {
    world
        .variable("MATERIA_TRUST")
        .is_some_and(|accepts| accepts == "1")
}

fn is_inside(world: &World) -> bool {
    INSIDE.iter().any(|name| world.variable(name).is_some()) || process::inside()
}

/// Refuses everybody but a person: what runs inside a cast or a run cannot agree to anything (S2).
fn operator(world: &World) -> Result<(), ApiError> {
    if !is_inside(world) {
        return Ok(());
    }
    let message = "a program inside a cast or a run cannot agree to what a project brings";
    Err(ApiError::new(ErrorKind::Refused, "operator_only", message)
        .hint("type `materia trust` in a terminal of your own"))
}

/// Shows what would run and asks.
fn agrees(
    world: &World,
    screen: Screen,
    voice: Voice,
    shown: &TrustReport,
) -> Result<bool, ApiError> {
    if !(world.terminals.stdin && world.terminals.stderr) || voice == Voice::Json {
        let message =
            "trust needs somebody who reads what would run, and there is no terminal here";
        let failure = ApiError::new(ErrorKind::Refused, "no_terminal", message);
        return Err(failure
            .hint("type `materia trust` in a terminal; MATERIA_TRUST=1 accepts without asking"));
    }
    screen.ask(&shown.human(screen.talks_in_colour()), "Trust this? [y/N]");
    let mut answer = String::new();
    let read = std::io::Read::take(std::io::stdin().lock(), 100).read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn declined() -> ApiError {
    ApiError::new(
        ErrorKind::Refused,
        "untrusted",
        "you did not agree, so nothing was run",
    )
    .hint("`materia trust` asks again")
}
