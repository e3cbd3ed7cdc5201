//! What every page may want to know, looked at once for all of them.
//!
//! Owns the lists (casts, runs, quests, recipes, what needs the person) and when they are looked at
//! again: when the kernel says that something changed in a directory that matters, and now and then
//! for what no file tells, such as a process that died. Nothing is looked at while nobody listens.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::response::sse::Event;
use materia_engine::cast::list;
use materia_engine::cast::start;
use materia_engine::editor::Target;
use materia_engine::quest::runner;
use materia_engine::routing::watch;
use materia_engine::run::Root;
use materia_engine::wake::DirectoryWatch;
use serde::Serialize;
use tokio::sync::{mpsc, watch as channel};
use tokio::time::{sleep, timeout};

use super::super::api;
use super::super::reply::beside;
use super::super::state::{State, Topic};
use super::waking::Waking;
use materia_engine::api::ApiError;

/// How long changes are gathered before they are looked at.
const GATHER: Duration = Duration::from_millis(80);
/// How many casts a page is told of.
const LISTED: usize = 200;

/// A list as it is now, and the directories that tell when it is different.
type Looked = (String, Vec<PathBuf>);

impl Topic {
    /// A topic by its name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [
            Self::Casts,
            Self::Needs,
            Self::Runs,
            Self::Quests,
            Self::Library,
        ]
        .into_iter()
        .find(|topic| topic.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Casts => "casts",
            Self::Needs => "needs",
            Self::Runs => "runs",
            Self::Quests => "quests",
            Self::Library => "library",
        }
    }

    /// How long nothing may happen before we look by ourselves: short where a process may have
    /// died, which no file tells, and longer where looking takes longer.
    fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Self::Casts | Self::Runs | Self::Quests => 2,
            Self::Needs => 10,
            Self::Library => 60,
        })
    }

    /// Tells a page how things stand, and whenever they are different.
    pub(super) async fn tell(self, state: State, page: mpsc::Sender<Event>) {
        let mut list = self.listen(&state);
        loop {
            let now = list.borrow_and_update().clone();
            let news = Event::default().event(self.name()).data(&*now);
            if !now.is_empty() && page.send(news).await.is_err() {
                return;
            }
            tokio::select! {
                changed = list.changed() => if changed.is_err() { return },
                () = page.closed() => return,
            }
        }
    }

    /// Whoever listens first lets somebody look.
    fn listen(self, state: &State) -> channel::Receiver<Arc<str>> {
        let mut topics = state.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = topics.get(&self) {
            return list.subscribe();
        }
        let (list, listener) = channel::channel(Arc::from(""));
        topics.insert(self, list.clone());
        tokio::spawn(self.follow(state.clone(), list));
        listener
    }

    /// Looks until nobody listens any more.
    async fn follow(self, state: State, list: channel::Sender<Arc<str>>) {
        let mut waking = DirectoryWatch::new().and_then(Waking::new).ok();
        loop {
            let (asked, mut watched) = (state.clone(), Vec::new());
            if let Some(wake) = &mut waking {
                let _late = wake.get().drain();
            }
            if let Ok((now, dirs)) = beside(move || self.look(&asked)).await {
                watched = dirs;
                list.send_if_modified(|before| {
                    let differs = **before != *now;
                    if differs {
                        *before = now.into();
                    }
                    differs
                });
            }
            let wait = async {
                match &mut waking {
                    Some(wake) => {
                        // A directory that is new here may have changed before it was watched: the
                        // slow look sees it.
                        for dir in &watched {
                            let _unwatched = wake.get().on_any(dir);
                        }
                        let _over = timeout(self.patience(), wake.woken()).await;
                    }
                    None => sleep(self.patience()).await,
                }
                sleep(GATHER).await;
            };
            tokio::select! {
                () = wait => {}
                () = list.closed() => {
                    let mut topics = state.topics.lock().unwrap_or_else(PoisonError::into_inner);
                    if list.receiver_count() == 0 {
                        topics.remove(&self);
                        return;
                    }
                }
            }
        }
    }

    fn look(self, state: &State) -> Result<Looked, ApiError> {
        match self {
            Self::Casts => look_at_casts(state),
            Self::Needs => look_at_needs(state),
            Self::Runs => look_at_runs(state),
            Self::Quests => look_at_quests(state),
            Self::Library => {
                let library = state.library();
                Ok((
                    spelled(&api::shelf(state)),
                    vec![nearest(library.root()), nearest(&library.drafts())],
                ))
            }
        }
    }
}

fn look_at_casts(state: &State) -> Result<Looked, ApiError> {
    let folder = start::casts(state.project(), &state.files()?);
    let filter = list::Filter {
        limit: Some(LISTED),
        status: None,
    };
    let mut listing = list::list(&folder, &filter, &state.clock);
    // How long ago something was changes by itself and is no news.
    for one in &mut listing.casts {
        one.age_ms = None;
    }
    let open = listing
        .casts
        .iter()
        .filter(|one| !matches!(one.status, "complete" | "failed" | "aborted"));
    let mut dirs: Vec<PathBuf> = open.map(|one| one.run_dir.clone().into()).collect();
    dirs.push(nearest(&folder));
    Ok((spelled(&listing), dirs))
}

fn look_at_needs(state: &State) -> Result<Looked, ApiError> {
    let mut dirs = watch::bells(&Root::new(state.home.runs()));
    for target in [Target::User, Target::Project] {
        let file = target.file(&state.home, state.project());
        dirs.extend(file.parent().map(nearest));
    }
    Ok((spelled(&api::needs(state)?), dirs))
}

fn look_at_runs(state: &State) -> Result<Looked, ApiError> {
    let (runs, directories) = state.engine.live_runs()?;
    Ok((spelled(&runs), directories))
}

fn look_at_quests(state: &State) -> Result<Looked, ApiError> {
    let store = api::board(state)?;
    let listing = runner::list(&store, None, usize::MAX, &state.clock)
        .map_err(|error| ApiError::from(&error))?;
    let dirs = store.file().parent().map(nearest).into_iter().collect();
    Ok((spelled(&listing), dirs))
}

/// A directory, or the closest one above it that there is.
fn nearest(dir: &Path) -> PathBuf {
    dir.ancestors()
        .find(|dir| dir.is_dir())
        .unwrap_or(dir)
        .to_owned()
}

fn spelled<T: Serialize>(document: &T) -> String {
    serde_json::to_string(document).unwrap_or_default()
}
