//! `materia quest`: queues requests and runs them one after the other.

use clap::{Args, Subcommand};
use materia_engine::api::{
    ApiError, QuestAction, QuestListRequest, QuestPosition, QuestRequest, QuestRunOptions,
    QuestRunRequest,
};

use super::cast::AgentArgs;
use super::config::Config;
use crate::view::{CastView, OutputFormat, Screen};
use crate::world::World;

/// The number of quests shown to people without `--limit`.
const DEFAULT_LIMIT: usize = 50;

/// Keep requests on a board and run them one behind the other
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia quest add \"update the dependencies\"\n  \
    materia quest add --loadout Release \"prepare version 2\"\n  materia quest run --stop-on-failure\n  \
    materia quest move 3f2a --first\n  materia quest requeue 3f2a\n\n\
    The runner stops when it is told to, when you interrupt or abort a cast, and when a cast needs you."
)]
pub(super) struct Quest {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    config: Config,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the board, in the order in which quests are run
    #[command(after_help = "Examples:\n  materia quest list\n  materia quest list pending")]
    List {
        /// Only those that are pending, running, succeeded, failed or blocked
        #[arg(value_name = "STATUS", value_parser = ["pending", "running", "succeeded", "failed", "blocked"], hide_possible_values = true)]
        status: Option<String>,

        /// At most so many
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Add a request behind all others
    #[command(after_help = "Examples:\n  materia quest add \"mend the door\" --loadout Full-Auto")]
    Add {
        /// What should be done
        #[arg(value_name = "REQUEST")]
        request: String,

        /// The loadout to use instead of the active one
        #[arg(long, value_name = "NAME")]
        loadout: Option<String>,

        /// What to call it
        #[arg(long, value_name = "TITLE")]
        title: Option<String>,
    },
    /// Show one quest
    #[command(after_help = "Examples:\n  materia quest show 3f")]
    Show {
        /// Its id, or the beginning of it
        #[arg(value_name = "QUEST")]
        quest: String,
    },
    /// Move a quest that waits
    #[command(visible_alias = "reorder")]
    #[command(
        after_help = "Examples:\n  materia quest move 3f --first\n  materia quest move 3f --after 7a"
    )]
    Move {
        /// Its id, or the beginning of it
        #[arg(value_name = "QUEST")]
        quest: String,

        #[command(flatten)]
        to: Where,
    },
    /// Run what waits, one behind the other
    #[command(after_help = "Examples:\n  materia quest run\n  materia quest run 3f --once")]
    Run {
        /// This one first
        #[arg(value_name = "QUEST")]
        quest: Option<String>,

        /// Only one
        #[arg(long)]
        once: bool,

        /// Do not go on after a quest that failed
        #[arg(long)]
        stop_on_failure: bool,

        /// Answer at once and let the runner run on by itself
        #[arg(long)]
        detach: bool,

        #[command(flatten)]
        agents: AgentArgs,
    },
    /// Let the runner stop when the quest that is running is done
    #[command(after_help = "Examples:\n  materia quest stop")]
    Stop,
    /// Let a quest that ended wait for another turn
    #[command(after_help = "Examples:\n  materia quest requeue 3f")]
    Requeue {
        /// Its id, or the beginning of it
        #[arg(value_name = "QUEST")]
        quest: String,
    },
    /// Take a quest off the board
    #[command(after_help = "Examples:\n  materia quest remove 3f")]
    Remove {
        /// Its id, or the beginning of it
        #[arg(value_name = "QUEST")]
        quest: String,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Where {
    /// Before all others
    #[arg(long)]
    first: bool,

    /// Just before this one
    #[arg(long, value_name = "QUEST")]
    before: Option<String>,

    /// Just behind this one
    #[arg(long, alias = "onto", value_name = "QUEST")]
    after: Option<String>,
}

impl Quest {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let (engine, config) = (world.engine(), self.config.named());
        let default = Verb::List {
            status: None,
            limit: None,
        };
        let action = match self.verb.unwrap_or(default) {
            Verb::List { status, limit } => {
                let usual = (format == OutputFormat::Human).then_some(DEFAULT_LIMIT);
                let request = QuestListRequest {
                    status,
                    limit: limit.or(usual),
                    config,
                };
                screen.report(&engine.quest_list(&request)?, format);
                return Ok(0);
            }
            Verb::Stop => {
                screen.report(&engine.quest_stop(config.as_deref())?, format);
                return Ok(0);
            }
            Verb::Run {
                quest,
                once,
                stop_on_failure,
                detach,
                agents,
            } => {
                let options = QuestRunOptions {
                    quest,
                    once,
                    stop_on_failure,
                };
                let request = QuestRunRequest {
                    options,
                    config,
                    agents: agents.choice(),
                };
                return run(&request, detach, world, screen, format);
            }
            Verb::Add {
                request,
                loadout,
                title,
            } => QuestAction::Add {
                request,
                title,
                loadout,
            },
            Verb::Show { quest } => QuestAction::Show(quest),
            Verb::Move { quest, to } => QuestAction::Move(quest, to.position()),
            Verb::Requeue { quest } => QuestAction::Requeue(quest),
            Verb::Remove { quest } => QuestAction::Remove(quest),
        };
        screen.report(&engine.quest(&QuestRequest { action, config })?, format);
        Ok(0)
    }
}

impl Where {
    fn position(self) -> QuestPosition {
        match (self.before, self.after) {
            (Some(quest), _) => QuestPosition::Before(quest),
            (None, Some(quest)) => QuestPosition::After(quest),
            (None, None) => QuestPosition::First,
        }
    }
}

fn run(
    request: &QuestRunRequest,
    detach: bool,
    world: &World,
    screen: Screen,
    format: OutputFormat,
) -> Result<u8, ApiError> {
    let mut view = CastView::new(world, screen, format);
    if detach {
        screen.report(&world.engine().quest_spawn(request, &mut view)?, format);
        return Ok(0);
    }
    let report = world.engine().quest_run(request, &mut view)?;
    drop(view);
    screen.report(&report, format);
    Ok(report.exit_code())
}
