//! The command line: one file per subcommand, and the grammar they share.
//!
//! Owns the parsing of argv and the choice of the output format. A subcommand's file turns
//! arguments into one call of the engine's API and passes the report to the view. Contains no logic
//! of its own.

mod usage;
mod help;
mod input;
mod budget;
mod agent;
mod cast;
mod cast_show;
mod casts;
mod demo;
mod doctor;
mod explain;
mod fork;
mod go_on;
mod config;
mod complete;
mod completions;
mod grid;
mod init;
mod export;
mod import;
mod link;
mod inspect;
mod loadout;
mod man;
mod mcp;
mod plan;
mod quest;
mod message;
mod receive;
mod recipe;
mod run;
mod schema;
mod skill;
mod spawn;
mod split;
mod status;
mod ui;
mod trust;
mod tool;
mod top;
mod utility;
mod validate;
mod wait;
mod watch;

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::door::{Doors, Listener};
use crate::view::style::ColorChoice;
use crate::view::{OutputFormat, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, ResumeAction};

/// Run coding agents as casts and actors: one binary, plain files, nothing lost.
#[derive(Debug, Parser)]
#[command(
    name = "materia",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    help_template = help::PAGE
)]
struct CommandLine {
    #[command(flatten)]
    common: Common,

    #[command(subcommand)]
    verb: Verb,
}

/// What every command understands.
#[derive(Debug, Args)]
struct Common {
    /// Print one JSON document on stdout
    #[arg(long, global = true)]
    json: bool,

    /// When to use colour
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        hide_possible_values = true
    )]
    color: ColorChoice,

    /// Work in this directory
    #[arg(short = 'C', global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// What the program can be asked to do, one variant per file of this module.
#[derive(Debug, Subcommand)]
enum Verb {
    Cast(cast::Cast),
    Resume(go_on::Resume),
    Continue(go_on::Continue),
    /// Go on with a cast that failed, where it failed
    #[command(
        after_help = "Examples:\n  materia recast\n  materia recast 2026-01-01T00-00 --agent pi"
    )]
    Recast(go_on::Resume),
    /// Give a cast that ran out of retries some more
    #[command(after_help = "Examples:\n  materia revive\n  materia revive 2026-01-01T00-00")]
    Revive(go_on::Resume),
    /// End a cast
    #[command(
        after_help = "Examples:\n  materia abort\n  materia abort 2026-01-01T00-00\n\nWhat it made stays; `materia recast` goes on with it after all."
    )]
    Abort(go_on::Resume),
    Casts(casts::Casts),
    Demo(demo::Demo),
    CastShow(cast_show::CastShow),
    Status(status::Status),
    Fork(fork::Fork),
    Link(link::Link),
    Autocast(link::Autocast),
    Quest(quest::Quest),
    Budget(budget::Budget),
    Agent(agent::Agent),
    Run(run::Run),
    Spawn(Box<spawn::Spawn>),
    Message(message::Message),
    Receive(receive::Receive),
    Wait(wait::Wait),
    Watch(watch::Watch),
    Inspect(inspect::Inspect),
    Explain(explain::Explain),
    Split(split::Split),
    Recipe(recipe::Recipe),
    Tool(tool::Tool),
    Utility(utility::Utility),
    Grid(grid::Grid),
    Export(export::Export),
    Import(import::Import),
    Loadout(loadout::Loadout),
    Plan(plan::Plan),
    Validate(validate::Validate),
    Schema(schema::Schema),
    Trust(trust::Trust),
    Skill(skill::Skill),
    Mcp(mcp::Mcp),
    /// Serve a host that wakes its agent when runs end
    #[command(hide = true)]
    Bridge(mcp::Mcp),
    /// Let the host of this session play one turn, which is read from stdin
    #[command(hide = true)]
    Turn,
    Doctor(doctor::Doctor),
    Ui(ui::Ui),
    Top(top::Top),
    Init(init::Init),
    Completions(completions::Completions),
    /// Say what could stand at the end of a line
    #[command(hide = true)]
    Complete(complete::Complete),
    Man(man::Man),
}

/// The complete grammar with the help of every subcommand, for generated pages.
pub fn grammar() -> clap::Command {
    let mut grammar = CommandLine::command();
    grammar.build();
    grammar
}

/// Parses the arguments, runs the subcommand and reports the result. Returns the exit code.
pub fn run(mut world: World, doors: &Doors) -> u8 {
    let line = match CommandLine::try_parse_from(&world.args) {
        Ok(line) => line,
        Err(error) => return usage::tell(&error, &world),
    };
    let screen = Screen::new(&world, line.common.color);
    let format = if line.common.json {
        OutputFormat::Json
    } else {
        OutputFormat::Human
    };
    let done = settle(&mut world, &line.common).and_then(|()| match line.verb {
        Verb::Cast(verb) => verb.run(&world, screen, format),
        Verb::Resume(verb) => verb.run(ResumeAction::Resume, &world, screen, format),
        Verb::Continue(verb) => verb.run(&world, screen, format),
        Verb::Recast(verb) => verb.run(ResumeAction::Recast, &world, screen, format),
        Verb::Revive(verb) => verb.run(ResumeAction::Revive, &world, screen, format),
        Verb::Abort(verb) => verb.run(ResumeAction::Abort, &world, screen, format),
        Verb::Demo(verb) => verb.run(&world, screen, format),
        Verb::Casts(verb) => verb.run(&world, screen, format),
        Verb::CastShow(verb) => verb.run(&world, screen, format),
        Verb::Link(verb) => verb.run(&world, screen, format),
        Verb::Quest(verb) => verb.run(&world, screen, format),
        Verb::Autocast(verb) => verb.run(&world, screen, format),
        Verb::Fork(verb) => verb.run(&world, screen, format),
        Verb::Budget(verb) => verb.run(&world, screen, format),
        Verb::Status(verb) => verb.run(&world, screen, format),
        Verb::Agent(verb) => verb.run(&world, screen, format),
        Verb::Run(verb) => verb.run(&world, screen, format),
        Verb::Spawn(verb) => verb.run(&world, screen, format),
        Verb::Message(verb) => verb.run(&world, screen, format),
        Verb::Receive(verb) => verb.run(&world, screen, format),
        Verb::Wait(verb) => verb.run(&world, screen, format),
        Verb::Watch(verb) => verb.run(&world, screen, format),
        Verb::Inspect(verb) => verb.run(&world, screen, format),
        Verb::Explain(verb) => verb.run(&world, screen, format),
        Verb::Split(verb) => verb.run(screen, format),
        Verb::Recipe(verb) => verb.run(&world, screen, format),
        Verb::Tool(verb) => verb.run(&world, screen, format),
        Verb::Utility(verb) => verb.run(&world, screen, format),
        Verb::Grid(verb) => verb.run(&world, screen, format),
        Verb::Export(verb) => verb.run(&world, screen, format),
        Verb::Import(verb) => verb.run(&world, screen, format),
        Verb::Plan(verb) => verb.run(&world, screen, format),
        Verb::Loadout(verb) => verb.run(&world, screen, format),
        Verb::Validate(verb) => Ok(verb.run(&world, screen, format)),
        Verb::Schema(verb) => Ok(verb.run(screen)),
        Verb::Trust(verb) => verb.run(&world, screen, format),
        Verb::Skill(verb) => verb.run(&world, screen, format),
        Verb::Mcp(verb) => Ok((doors.mcp)(&world, &verb.wish(Listener::Client, screen))),
        Verb::Bridge(verb) => Ok((doors.mcp)(&world, &verb.wish(Listener::Host, screen))),
        Verb::Turn => Ok((doors.turn)(&world, screen)),
        Verb::Doctor(verb) => verb.run(&world, screen, format),
        Verb::Init(verb) => verb.run(&world, screen, format),
        Verb::Completions(verb) => Ok(verb.run(screen)),
        Verb::Complete(verb) => Ok(verb.run(&world, screen)),
        Verb::Man(verb) => verb.run(screen),
        Verb::Top(verb) => Ok((doors.top)(&world, &verb.wish(screen, format))),
        Verb::Ui(verb) => Ok((doors.web)(&world, &verb.wish(screen, format))),
    });
    done.unwrap_or_else(|failure| {
        screen.failure(&failure, format);
        failure.kind.exit_code()
    })
}

/// Applies `-C`. Test builds also arm a failpoint here.
fn settle(world: &mut World, common: &Common) -> Result<(), ApiError> {
    #[cfg(feature = "test-fakes")]
    if let Some(spec) = world.variable("MATERIA_FAILPOINT") {
        materia_engine::api::arm_failpoint(&spec.to_string_lossy())?;
    }
    if let Some(directory) = &common.directory {
        world.cwd = usage::directory(world, directory).map(Ok)?;
    }
    Ok(())
}
