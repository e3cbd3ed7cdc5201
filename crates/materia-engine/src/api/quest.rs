//! `quest`: the board of requests that wait for their turn, and running them.

use std::path::{Path, PathBuf};

use materia_model::loadout::Config;
use materia_model::quest::{Quest, QuestProblem};
use materia_model::run::RunOrigin;
use serde_json::json;

use super::cast::{CastObserver, CastReport};
use super::spawn::{RunOptions, SpawnReport};
use super::{AgentChoice, ApiError, Engine, ErrorKind, TrustObserver};
use crate::cast::{self, Definition, start};
use crate::config::ConfigFiles;
use crate::launch::spawn;
use crate::quest::runner::{self, QuestHalt, QuestTurn};
use crate::quest::{self, Store};

pub use crate::quest::runner::{
    QuestListReport, QuestPosition, QuestReport, QuestRunOptions, QuestRunReport,
};

/// A request about one quest.
#[derive(Debug, Clone)]
pub struct QuestRequest {
    /// What is done with it.
    pub action: QuestAction,
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

/// What is done with a quest, which is named by its id or the beginning of it.
#[derive(Debug, Clone)]
pub enum QuestAction {
    /// It is added after all others.
    Add {
        /// What should be done.
        request: String,
        /// Its title.
        title: Option<String>,
        /// The loadout; without one, the loadout that is active when its turn comes.
        loadout: Option<String>,
    },
    /// It is shown.
    Show(String),
    /// It is moved, if it waits.
    Move(String, QuestPosition),
    /// It waits for another turn.
    Requeue(String),
    /// It is removed from the board.
    Remove(String),
}

/// A request for the board.
#[derive(Debug, Clone, Default)]
pub struct QuestListRequest {
    /// Only quests with this status.
    pub status: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

/// A request to run quests, one after the other.
#[derive(Debug, Clone, Default)]
pub struct QuestRunRequest {
    /// Which of them.
    pub options: QuestRunOptions,
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
    /// The agents.
    pub agents: AgentChoice,
}

/// Follows quests while they are run.
pub trait QuestObserver: CastObserver {
    /// It is the turn of this quest; a new cast follows.
    fn turn(&mut self, quest: &Quest);
}

impl Engine {
    /// Adds, shows or changes a quest.
    pub fn quest(&self, request: &QuestRequest) -> Result<QuestReport, ApiError> {
        let (files, store) = self.board(request.config.as_deref())?;
        let clock = self.clock();
        Ok(match &request.action {
            QuestAction::Add {
                request,
                title,
                loadout,
            } => {
                require_loadout(&files, loadout.as_deref())?;
                runner::add(&store, request, title.as_deref(), loadout.as_deref(), clock)?
            }
            QuestAction::Show(quest) => runner::show(&store, quest, clock)?,
            QuestAction::Move(quest, to) => runner::reorder(&store, quest, to, clock)?,
            QuestAction::Requeue(quest) => runner::requeue(&store, quest, clock)?,
            QuestAction::Remove(quest) => runner::remove(&store, quest, clock)?,
        })
    }

    /// Lists the board, in the order in which quests are run.
    pub fn quest_list(&self, request: &QuestListRequest) -> Result<QuestListReport, ApiError> {
        let (_, store) = self.board(request.config.as_deref())?;
        let limit = request.limit.unwrap_or(usize::MAX);
        let status = request.status.as_deref();
        Ok(runner::list(&store, status, limit, self.clock())?)
    }

    /// Makes the runner stop after the quest that is running.
    pub fn quest_stop(&self, config: Option<&Path>) -> Result<QuestListReport, ApiError> {
        let (_, store) = self.board(config)?;
        Ok(runner::stop(&store, self.clock())?)
    }

    /// Runs quests here, one after the other.
    pub fn quest_run(
        &self,
        request: &QuestRunRequest,
        observer: &mut dyn QuestObserver,
    ) -> Result<QuestRunReport, ApiError> {
        let (files, store) = self.board(request.config.as_deref())?;
        let mut fatal = None;
        let report = runner::run(&store, &request.options, self.clock(), |turn| {
            self.drive_quest(turn, &files, &request.agents, observer)
                .map_err(|error| {
                    let halts = matches!(error.kind, ErrorKind::Agent | ErrorKind::Internal);
                    if halts || error.code == "untrusted" {
                        fatal = Some(error);
                        return QuestHalt::Runner;
                    }
                    QuestHalt::Quest(QuestProblem {
                        message: error.message,
                        occurred_at: self.clock().now(),
                        cast_id: None,
                        code: Some(error.code),
                    })
                })
        })?;
        fatal.map_or(Ok(report), Err)
    }

    /// Lets a run of its own run quests. What would be refused there is refused here.
    pub fn quest_spawn(
        &self,
        request: &QuestRunRequest,
        observer: &mut dyn TrustObserver,
    ) -> Result<SpawnReport, ApiError> {
        let (files, store) = self.board(request.config.as_deref())?;
        if let Some(pid) = store.runner() {
            let running = quest::Error::Running { pid: Some(pid) };
            return Err(runner::Error::from(running).into());
        }
        if let Some(quest) = &request.options.quest {
            runner::show(&store, quest, self.clock())?;
        }
        self.require_trust(&files, observer)?;
        let settings = self.run_settings(&RunOptions::default(), RunOrigin::Spawn)?;
        let words = self.runner_words(request);
        Ok(spawn::spawn_own(&self.runs()?, &settings, &words, None)?)
    }

    /// The arguments of this program by which it runs these quests.
    fn runner_words(&self, request: &QuestRunRequest) -> Vec<String> {
        let mut words = vec!["quest".to_owned()];
        let config = request.config.as_ref();
        if let Some(config) = config.filter(|path| !path.as_os_str().is_empty()) {
            let path = self.path(config).to_string_lossy().into_owned();
            words.extend(["--config".to_owned(), path]);
        }
        words.push("run".to_owned());
        let QuestRunOptions {
            quest,
            once,
            stop_on_failure,
        } = &request.options;
        words.extend(once.then(|| "--once".to_owned()));
        words.extend(stop_on_failure.then(|| "--stop-on-failure".to_owned()));
        words.extend(self.driver_options(&request.agents));
        words.extend(
            quest
                .iter()
                .flat_map(|quest| ["--".to_owned(), quest.clone()]),
        );
        words
    }

    /// Casts a quest whose turn it is.
    fn drive_quest(
        &self,
        turn: &QuestTurn<'_>,
        files: &ConfigFiles,
        agents: &AgentChoice,
        observer: &mut dyn QuestObserver,
    ) -> Result<CastReport, ApiError> {
        let quest = turn.quest;
        let loadout = quest.loadout_override.as_deref();
        let definition = Definition::choose(files, loadout, agents.agent.as_deref())?;
        self.require_trust(files, observer)?;
        let source = if loadout.is_some() {
            "override"
        } else {
            "fallback"
        };
        let note = json!({"questId": quest.id, "title": quest.title, "loadoutSource": source});
        let definition = definition
            .sealed(self.home().ok().as_ref())?
            .noting("quest", note);
        observer.turn(quest);
        self.drive_cast(definition, &quest.prompt, agents, observer, turn.began)
    }

    /// The config files and the quest board of the project.
    fn board(&self, config: Option<&Path>) -> Result<(ConfigFiles, Store), ApiError> {
        let (files, project) = (self.config_files(config)?, self.project()?);
        let store = Store::of(project, start::casts(project, &files));
        Ok((files, store))
    }
}

/// Refuses an unknown loadout when the quest is added, rather than when its turn comes.
fn require_loadout(files: &ConfigFiles, loadout: Option<&str>) -> Result<(), ApiError> {
    let config = Config::load(files.layers());
    match loadout.filter(|name| config.find(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(cast::Error::UnknownLoadout(Box::new(config.unknown(name))).into()),
    }
}
