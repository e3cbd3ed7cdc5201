//! Why a cast could not be started, opened or driven.
//!
//! Owns these errors. A failure inside a cast is an event, not an error: a failed socket ends the
//! cast, a failed disk ends the driver.

use std::io;
use std::path::PathBuf;

use materia_model::cast::CastRefusal;
use materia_model::finding::Finding;
use materia_model::text;

use crate::process::SpawnError;
use crate::store::artifact::ArtifactError;
use crate::store::atomic::WriteError;
use crate::store::dir::DirError;
use crate::store::journal::JournalError;
use crate::store::lock::LockError;
use crate::trust;

/// Why a cast could not be started, opened or driven.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such loadout.
    #[error("{}", .0.message)]
    UnknownLoadout(Box<Finding>),
    /// The project's files are not trusted (S1).
    #[error(transparent)]
    Trust(#[from] trust::Error),
    /// The definition of a cast does not carry this user's seal (S1).
    #[error("the definition of the cast in {} has not our seal: it came with the project, or was changed", text::quoted(&.0.to_string_lossy()))]
    Unsealed(PathBuf),
    /// The definition has at least one error.
    #[error("the definition is wrong")]
    Invalid(Vec<Finding>),
    /// A socket needs something that is missing.
    #[error(
        "socket {} holds {}, and {why}",
        text::quoted(socket),
        text::quoted(materia)
    )]
    Unavailable {
        /// The socket.
        socket: String,
        /// The materia in it.
        materia: String,
        /// What is missing.
        why: String,
        /// What the user can do.
        hint: String,
        /// Whether the missing thing is an agent.
        agent: bool,
    },
    /// There is no such cast.
    #[error("there is no cast{} in {}", given_name(given), text::quoted(&folder.to_string_lossy()))]
    NoCast {
        /// The name or id given.
        given: String,
        /// The directory searched.
        folder: PathBuf,
        /// The most similar id.
        near: Option<String>,
    },
    /// More than one id begins with the given prefix.
    #[error("{} casts begin with {}", found.len(), text::quoted(given))]
    Ambiguous {
        /// The prefix given.
        given: String,
        /// The ids that match.
        found: Vec<String>,
    },
    /// There is no such finished step.
    #[error("{} is no finished step of the cast", text::quoted(given))]
    NoStep {
        /// The step given.
        given: String,
        /// The cast.
        cast: String,
    },
    /// The cast refuses the action.
    #[error(transparent)]
    Refused(#[from] CastRefusal),
    /// The log has an event that cannot be parsed.
    #[error("event {seq} of the cast cannot be read")]
    BadEvent {
        /// Its number.
        seq: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// The log has no `cast_start` event.
    #[error("the log of the cast does not say how it began")]
    NoBeginning,
    /// The events do not fit the definition.
    #[error("the log of the cast does not fit its definition")]
    OutOfStep,
    /// The driver of the cast does not stop.
    #[error("the process that drives the cast does not stop")]
    Driven(#[from] LockError),
    /// Processes of a dead driver do not end, so their work cannot be repeated safely.
    #[error("{} of the process that drove the cast cannot be ended, such as {pid}", text::count(*count, "orphan"))]
    Orphans {
        /// How many.
        count: usize,
        /// One of them.
        pid: i32,
    },
    /// No process could be started to drive the cast.
    #[error("the cast has begun, and nobody could be started to drive it")]
    NoDriver(#[from] SpawnError),
    /// The log cannot be read or written.
    #[error("the log of the cast fails")]
    Log(#[from] JournalError),
    /// An artifact cannot be read or written.
    #[error("an artifact of the cast fails")]
    Artifact(#[from] ArtifactError),
    /// A directory cannot be read or written.
    #[error("the directory of the cast fails")]
    Dir(#[from] DirError),
    /// A snapshot cannot be read or written.
    #[error("a document of the cast fails")]
    Document(#[from] WriteError),
    /// The input or output of a utility cannot be read or written.
    #[error("the output of a utility cannot be kept")]
    Output(#[from] io::Error),
    /// A value cannot be serialized as JSON.
    #[error("a document of the cast cannot be spelled")]
    Spelling(#[from] serde_json::Error),
}

/// The given name as part of a message; empty if no name was given.
fn given_name(given: &str) -> String {
    if given == "*" {
        String::new()
    } else {
        format!(" {}", text::quoted(given))
    }
}
