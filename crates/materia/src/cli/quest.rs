//! `materia quest`: requests that wait for their turn, and running them one behind the other.

use clap::{Args, Subcommand};
use materia_engine::cast::start::{self, Asked, CastReport};
use materia_engine::config::Files;
use materia_engine::launch::spawn::{self, RunSettings};
use materia_engine::quest::Store;
use materia_engine::quest::runner::{self, Error, Halt, To, Turn, Wanted};
use materia_engine::run::Root;
use materia_model::loadout::Config as Merged;
use materia_model::quest::Trouble;
use materia_model::run::Origin;
use serde_json::json;

use super::cast::{Player, failure, foreground, wanted};
use super::config::{Config, project};
use super::trust;
use crate::view::{CastView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

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
        player: Player,
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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let (cwd, clock) = (project(world)?, world.clock());
        let files = self.config.files(world)?;
        let store = Store::of(cwd, start::casts(cwd, &files));
        let one = |done: Result<runner::QuestReport, Error>| {
            screen.report(&done.map_err(|error| told(&error))?, voice);
            Ok(0)
        };
        match self.verb {
            None => list(&store, None, None, world, screen, voice),
            Some(Verb::List { status, limit }) => {
                list(&store, status.as_deref(), limit, world, screen, voice)
            }
            Some(Verb::Add {
                request,
                loadout,
                title,
            }) => {
                known(&files, loadout.as_deref())?;
                one(runner::add(
                    &store,
                    &request,
                    title.as_deref(),
                    loadout.as_deref(),
                    &clock,
                ))
            }
            Some(Verb::Show { quest }) => one(runner::show(&store, &quest, &clock)),
            Some(Verb::Move { quest, to }) => {
                let to = match (&to.before, &to.after) {
                    (Some(target), _) => To::Before(target),
                    (None, Some(target)) => To::After(target),
                    (None, None) => To::First,
                };
                one(runner::reorder(&store, &quest, to, &clock))
            }
            Some(Verb::Requeue { quest }) => one(runner::requeue(&store, &quest, &clock)),
            Some(Verb::Remove { quest }) => one(runner::remove(&store, &quest, &clock)),
            Some(Verb::Stop) => {
                screen.report(
                    &runner::stop(&store, &clock).map_err(|error| told(&error))?,
                    voice,
                );
                Ok(0)
            }
            Some(Verb::Run {
                quest,
                once,
                stop_on_failure,
                detach: true,
                player,
            }) => {
                let found = quest
                    .as_deref()
                    .map(|quest| runner::show(&store, quest, &clock))
                    .transpose();
                found.map_err(|error| told(&error))?;
                let mut words = vec!["quest".to_owned()];
                let config = self
                    .config
                    .path(world)
                    .map(|path| path.to_string_lossy().into_owned());
                words.extend(
                    config
                        .into_iter()
                        .flat_map(|path| ["--config".to_owned(), path]),
                );
                words.push("run".to_owned());
                words.extend(once.then(|| "--once".to_owned()));
                words.extend(stop_on_failure.then(|| "--stop-on-failure".to_owned()));
                words.extend(player.words(world));
                words.extend(quest.into_iter().flat_map(|quest| ["--".to_owned(), quest]));
                detached(words, &files, world, screen, voice)
            }
            Some(Verb::Run {
                quest,
                once,
                stop_on_failure,
                detach: false,
                player,
            }) => {
                let wanted = Wanted {
                    quest: quest.as_deref(),
                    once,
                    stop_on_failure,
                };
                Runner {
                    files: &files,
                    store: &store,
                    player,
                    world,
                    screen,
                    voice,
                }
                .run(wanted)
            }
        }
    }
}

/// Lets a run be the runner. What it would not be allowed to run is refused here, where somebody
/// hears it.
fn detached(
    words: Vec<String>,
    files: &Files,
    world: &World,
    screen: Screen,
    voice: Voice,
) -> Result<u8, ApiError> {
    trust::settled(world, files, screen, voice)?;
    let root = Root::new(world.home()?.runs());
    let wanted = RunSettings {
        origin: Origin::Spawn,
        ..wanted(world, None, None)?
    };
    let spawned = spawn::spawn_own(&root, &wanted, &words, None)?;
    screen.report(&spawned, voice);
    Ok(0)
}

fn list(
    store: &Store,
    status: Option<&str>,
    limit: Option<usize>,
    world: &World,
    screen: Screen,
    voice: Voice,
) -> Result<u8, ApiError> {
    let limit = limit.unwrap_or(if voice == Voice::Human {
        50
    } else {
        usize::MAX
    });
    let listing =
        runner::list(store, status, limit, &world.clock()).map_err(|error| told(&error))?;
    screen.report(&listing, voice);
    Ok(0)
}

/// A loadout that is not there is told when the quest is added, not when its turn comes.
fn known(files: &Files, loadout: Option<&str>) -> Result<(), ApiError> {
    let config = Merged::load(files.layers());
    match loadout.filter(|given| config.find(given).is_none()) {
        None => Ok(()),
        Some(given) => {
            let told = ApiError::from_findings(vec![config.unknown(given)]);
            Err(ApiError {
                kind: ErrorKind::NotFound,
                ..told
            })
        }
    }
}

/// Everything that running quests needs.
struct Runner<'a> {
    files: &'a Files,
    store: &'a Store,
    player: Player,
    world: &'a World,
    screen: Screen,
    voice: Voice,
}

impl Runner<'_> {
    fn run(&self, wanted: Wanted<'_>) -> Result<u8, ApiError> {
        let clock = self.world.clock();
        let mut fatal = None;
        let ran = runner::run(self.store, wanted, &clock, |turn| {
            self.drive(turn).map_err(|failure| {
                if failure.kind == ErrorKind::Agent
                    || failure.code == "untrusted"
                    || failure.kind == ErrorKind::Internal
                {
                    fatal = Some(failure);
                    return Halt::Runner;
                }
                let code = Some(failure.code);
                Halt::Quest(Trouble {
                    message: failure.message,
                    occurred_at: clock.now(),
                    cast_id: None,
                    code,
                })
            })
        });
        let ran = ran.map_err(|error| told(&error))?;
        if let Some(failure) = fatal {
            return Err(failure);
        }
        self.screen.report(&ran, self.voice);
        Ok(match (ran.stopped, ran.ok) {
            ("interrupted", _) => ErrorKind::Interrupted.exit_code(),
            ("needs_you", _) | (_, true) => 0,
            _ => ErrorKind::Failed.exit_code(),
        })
    }

    fn drive(&self, turn: &Turn<'_>) -> Result<CastReport, ApiError> {
        let quest = turn.quest;
        let home = self.world.home().ok();
        let trusting = trust::settled(self.world, self.files, self.screen, self.voice)?;
        let loadout = quest.loadout_override.as_deref();
        let asked = Asked {
            loadout,
            files: self.files,
            home: home.as_ref(),
            trusting,
            agent: self.player.name(),
        };
        let definition = start::choose(&asked).map_err(|error| failure(&error))?;
        let source = if loadout.is_some() {
            "override"
        } else {
            "fallback"
        };
        let note = json!({"questId": quest.id, "title": quest.title, "loadoutSource": source});
        let definition = definition.noting("quest", note);
        let mut view = CastView::new(self.screen, self.voice);
        view.turn(&quest.id, &quest.title);
        let settings = definition.settings().clone();
        self.player
            .play(self.world, &settings, foreground()?, &mut view, |hands| {
                start::start_telling(definition, &quest.prompt, hands, turn.began)
            })
    }
}

/// How an error of the board leaves the house.
fn told(error: &Error) -> ApiError {
    error.into()
}
