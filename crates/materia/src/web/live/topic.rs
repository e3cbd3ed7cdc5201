//! The lists that all pages share, read once for all of them.
//!
//! Owns the lists (casts, runs, quests, recipes, what needs the user) and when to read them again:
//! when the kernel reports a change in a relevant directory, and periodically for changes that are
//! in no file, such as a process that died. Reads nothing while there is no subscriber.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::response::sse::Event;
use serde::Serialize;
use tokio::sync::{mpsc, watch as channel};
use tokio::time::{sleep, timeout};

use super::super::reply::beside;
use super::super::state::{State, Topic};
use super::waking::Waking;
use materia_engine::api::{ApiError, DirectoryWatch, LiveReport, QuestListRequest};

/// How long to collect changes before the list is read again.
const GATHER: Duration = Duration::from_millis(80);

/// A serialized list, and the directories whose changes invalidate it.
type Looked = (String, Vec<PathBuf>);

impl Topic {
    /// Finds a topic by its name.
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

    /// Maximum time between two reads: short if a process may have died, which changes no file, and
    /// longer if reading is expensive.
    fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Self::Casts | Self::Runs | Self::Quests => 2,
            Self::Needs => 10,
            Self::Library => 60,
        })
    }

    /// Sends a page the current list and every change.
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

    /// Subscribes to the list. The first subscriber starts the watcher task.
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

    /// Reads the list on every change until there is no subscriber.
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
                        // A new directory may have changed before it was watched; the next periodic
                        // read sees that change.
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
            Self::Casts => state.engine.live_casts().map(document),
            Self::Needs => state.engine.live_needs().map(document),
            Self::Runs => look_at_runs(state),
            Self::Quests => look_at_quests(state),
            Self::Library => {
                let report = state.engine.recipe_overview()?;
                let directories = report.directories.iter().map(|dir| nearest(dir));
                Ok((spelled(&report), directories.collect()))
            }
        }
    }
}

/// Serializes a live report.
fn document<T: Serialize>(live: LiveReport<T>) -> Looked {
    (spelled(&live.report), live.directories)
}

fn look_at_runs(state: &State) -> Result<Looked, ApiError> {
    let (runs, directories) = state.engine.live_runs()?;
    Ok((spelled(&runs), directories))
}

fn look_at_quests(state: &State) -> Result<Looked, ApiError> {
    let listing = state.engine.quest_list(&QuestListRequest::default())?;
    let board = Path::new(&listing.file);
    let dirs = board.parent().map(nearest).into_iter().collect();
    Ok((spelled(&listing), dirs))
}

/// The directory, or its closest ancestor that exists.
fn nearest(dir: &Path) -> PathBuf {
    dir.ancestors()
        .find(|dir| dir.is_dir())
        .unwrap_or(dir)
        .to_owned()
}

fn spelled<T: Serialize>(document: &T) -> String {
    serde_json::to_string(document).unwrap_or_default()
}
