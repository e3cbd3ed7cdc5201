//! The file of the quest board: reads it, checks it, lets one process at a time change it, and
//! updates it from the results of casts.
//!
//! Owns `<project>/.pi/pi-materia/quest-board.json`, its lock and the lock of its runner. A change
//! reads and rewrites the whole file under the lock. A damaged board is never overwritten. If a
//! runner died, the status of its quest comes from the cast, so that the board shows what was
//! observed. Never runs a quest.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::quest::{QuestBoard, QuestProblem, QuestStatus};
use materia_model::text;
use materia_model::time::Timestamp;

use crate::cast::glance::CastSummary;
use crate::cast::{Folder, ObservedCast};
use crate::clock::Clock;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};
use crate::store::lock::{Holder, Lock, LockError, LockMode, LockWait, living_holder};

/// The path of the board, relative to the project.
pub const FILE: &str = ".pi/pi-materia/quest-board.json";
/// The largest board, in bytes.
const LARGEST: u64 = 16 << 20;
/// How long a change waits for the lock.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a board could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("the quest board {} cannot be read", text::quoted(&file.to_string_lossy()))]
    Read {
        /// The board.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is damaged.
    #[error("the quest board {} is damaged: {}", text::quoted(&file.to_string_lossy()), problems.join("; "))]
    Bad {
        /// The board.
        file: PathBuf,
        /// What is wrong with it.
        problems: Vec<String>,
    },
    /// Another process holds its lock.
    #[error("the quest board is in use")]
    Locked(#[source] LockError),
    /// A runner works on it already.
    #[error("process {} runs the quests already", pid.map_or_else(|| "another".to_owned(), |pid| pid.to_string()))]
    Running {
        /// Its process.
        pid: Option<u32>,
    },
    /// It cannot be written.
    #[error("the quest board cannot be written")]
    Write(#[from] WriteError),
    /// Its directory cannot be created or read.
    #[error("the directory of the quest board fails")]
    Dir(#[from] DirError),
}

/// The file of a board.
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    casts: PathBuf,
}

impl Store {
    /// The board of a project with this directory of casts.
    pub fn of(project: &Path, casts: PathBuf) -> Self {
        Self {
            file: project.join(FILE),
            casts,
        }
    }

    /// Its path.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The process that runs the quests.
    pub fn runner(&self) -> Option<u32> {
        living_holder(&self.beside("quest-runner.lock")).map(|holder| holder.pid)
    }

    /// Takes the runner lock, until it is dropped.
    pub fn become_runner(&self) -> Result<Lock, Error> {
        self.make_room()?;
        let path = self.beside("quest-runner.lock");
        Lock::acquire(&path, LockMode::Exclusive, LockWait::No, &Holder::current()).map_err(
            |error| match error {
                LockError::Held { holder, .. } => Error::Running {
                    pid: holder.map(|holder| holder.pid),
                },
                other => Error::Locked(other),
            },
        )
    }

    /// The board, updated from the results of casts. Writes nothing.
    pub fn look(&self, clock: &Clock) -> Result<QuestBoard, Error> {
        let mut board = self.read(clock)?;
        self.reconcile(&mut board, clock.now());
        Ok(board)
    }

    /// Changes the board. Writes nothing if the change is refused.
    pub fn change<T, E: From<Error>>(
        &self,
        clock: &Clock,
        change: impl FnOnce(&mut QuestBoard) -> Result<T, E>,
    ) -> Result<T, E> {
        self.make_room()?;
        let path = self.beside("quest-board.json.lock");
        let lock = Lock::acquire(
            &path,
            LockMode::Exclusive,
            LockWait::For(PATIENCE),
            &Holder::current(),
        );
        let _lock = lock.map_err(Error::Locked)?;
        let mut board = self.read(clock)?;
        self.reconcile(&mut board, clock.now());
        let changed = change(&mut board)?;
        let mut bytes = serde_json::to_vec_pretty(&board).unwrap_or_default();
        bytes.push(b'\n');
        atomic::write(&self.file, &bytes).map_err(Error::Write)?;
        Ok(changed)
    }

    fn make_room(&self) -> Result<(), Error> {
        Ok(dir::create_private(
            self.file.parent().unwrap_or(Path::new(".")),
        )?)
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.file.with_file_name(name)
    }

    fn read(&self, clock: &Clock) -> Result<QuestBoard, Error> {
        let failed = |source| Error::Read {
            file: self.file.clone(),
            source,
        };
        let bad = |problems| Error::Bad {
            file: self.file.clone(),
            problems,
        };
        let file = match File::open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(QuestBoard::new(clock.now()));
            }
            Err(error) => return Err(failed(error)),
        };
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            return Err(bad(vec![format!("it has more than {LARGEST} bytes")]));
        }
        let board: QuestBoard = serde_json::from_slice(&bytes)
            .map_err(|error| bad(vec![text::printable(&error.to_string()).into_owned()]))?;
        let problems = board.problems();
        if problems.is_empty() {
            Ok(board)
        } else {
            Err(bad(problems))
        }
    }

    /// Updates quests from the results of their casts, except one that a living runner drives.
    fn reconcile(&self, board: &mut QuestBoard, at: Timestamp) {
        let running = self.runner().is_some();
        let open: Vec<(String, QuestStatus, Option<String>, bool)> = board
            .quests
            .iter()
            .filter(|quest| matches!(quest.status, QuestStatus::Running | QuestStatus::Blocked))
            .map(|quest| {
                let cast = quest
                    .current_cast_id
                    .clone()
                    .or_else(|| quest.last_cast_id.clone());
                let started = quest
                    .last_error
                    .as_ref()
                    .is_none_or(|error| error.cast_id.is_some());
                (quest.id.clone(), quest.status, cast, started)
            })
            .collect();
        for (id, status, cast, started) in open {
            if (status == QuestStatus::Running && running) || !started {
                continue;
            }
            if let Some((now, why)) = cast.and_then(|cast| self.came_to(&cast, status, at)) {
                // The board was validated when it was read, so this quest is open.
                let _open = board.settle(&id, now, why, at);
            }
        }
    }

    /// The status of a quest whose cast has this status; `None` if it does not change.
    fn came_to(
        &self,
        cast: &str,
        was: QuestStatus,
        at: Timestamp,
    ) -> Option<(QuestStatus, Option<QuestProblem>)> {
        let standing = Folder::find(&self.casts, cast).map(|folder| CastSummary::at(folder.path()));
        let trouble = |code: &str, message: String| {
            Some(QuestProblem {
                message,
                occurred_at: at,
                cast_id: Some(cast.to_owned()),
                code: Some(code.to_owned()),
            })
        };
        let Ok(glance) = standing else {
            let gone = trouble("cast_gone", format!("the cast {cast} is gone"));
            return (was == QuestStatus::Running).then_some((QuestStatus::Blocked, gone));
        };
        let error = glance
            .head
            .and_then(|head| head.error)
            .map(|error| error.message);
        match glance.standing {
            ObservedCast::Complete => Some((QuestStatus::Succeeded, None)),
            ObservedCast::Failed => Some((
                QuestStatus::Failed,
                trouble("cast_failed", error.unwrap_or_default()),
            )),
            ObservedCast::Aborted => Some((
                QuestStatus::Failed,
                trouble("aborted", "the cast was aborted".to_owned()),
            )),
            ObservedCast::Running(_) => None,
            _ if was == QuestStatus::Blocked => None,
            ObservedCast::Paused => Some((QuestStatus::Blocked, waiting(cast, at))),
            ObservedCast::Interrupted | ObservedCast::Unreadable(_) => {
                Some((QuestStatus::Blocked, interrupted(cast, at)))
            }
        }
    }
}

/// The problem of a blocked quest whose cast waits for the user.
pub fn waiting(cast: &str, at: Timestamp) -> Option<QuestProblem> {
    let message = format!("its cast waits for you: materia continue {cast}");
    Some(QuestProblem {
        message,
        occurred_at: at,
        cast_id: Some(cast.to_owned()),
        code: Some("paused".to_owned()),
    })
}

/// The problem of a blocked quest whose cast was interrupted.
pub fn interrupted(cast: &str, at: Timestamp) -> Option<QuestProblem> {
    let message = format!("its cast was interrupted: materia resume {cast}");
    Some(QuestProblem {
        message,
        occurred_at: at,
        cast_id: Some(cast.to_owned()),
        code: Some("interrupted".to_owned()),
    })
}
