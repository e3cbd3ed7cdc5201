//! Why a cast could not be started, opened or driven on.
//!
//! Owns these errors. What happens inside a cast is no error but an event: a failed socket ends the
//! cast, a failed disk ends the driving.

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

/// Why a cast could not be started, opened or driven on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such loadout.
    #[error("{}", .0.message)]
    UnknownLoadout(Box<Finding>),
    /// What the project brings is not trusted (S1).
    #[error(transparent)]
    Trust(#[from] trust::Error),
    /// The definition of a cast was not written by us (S1).
    #[error("the definition of the cast in {} has not our seal: it came with the project, or was changed", text::quoted(&.0.to_string_lossy()))]
    Unsealed(PathBuf),
    /// The definition is wrong; there is at least one finding.
    #[error("the definition is wrong")]
    Invalid(Vec<Finding>),
    /// A socket needs something that is not there.
    #[error(
        "socket {} holds {}, and {why}",
        text::quoted(socket),
        text::quoted(materia)
    )]
    Unavailable {
        /// The socket.
        socket: String,
        /// What it holds.
        materia: String,
        /// What is missing.
        why: String,
        /// What the person can do.
        hint: String,
        /// Whether it is an agent that is missing.
        agent: bool,
    },
    /// There is no such cast.
    #[error("there is no cast{} in {}", given_name(given), text::quoted(&folder.to_string_lossy()))]
    NoCast {
        /// What was asked for.
        given: String,
        /// Where it was looked for.
        folder: PathBuf,
        /// The id that is spelled most like it.
        near: Option<String>,
    },
    /// More than one cast begins like that.
    #[error("{} casts begin with {}", found.len(), text::quoted(given))]
    Ambiguous {
        /// What was asked for.
        given: String,
        /// Those that begin like that.
        found: Vec<String>,
    },
    /// There is no such finished step.
    #[error("{} is no finished step of the cast", text::quoted(given))]
    NoStep {
        /// What was asked for.
        given: String,
        /// The cast.
        cast: String,
    },
    /// The cast does not do what it was asked for.
    #[error(transparent)]
    Refused(#[from] CastRefusal),
    /// Its log has an event that cannot be read.
    #[error("event {seq} of the cast cannot be read")]
    BadEvent {
        /// Its number.
        seq: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// Its log does not say how it began.
    #[error("the log of the cast does not say how it began")]
    NoBeginning,
    /// What happened does not fit the definition.
    #[error("the log of the cast does not fit its definition")]
    OutOfStep,
    /// Whoever drives the cast does not let go of it.
    #[error("the process that drives the cast does not stop")]
    Driven(#[from] LockError),
    /// Processes of a driver that died do not end, so that what they do cannot be done again.
    #[error("{} of the process that drove the cast cannot be ended, such as {pid}", text::count(*count, "orphan"))]
    Orphans {
        /// How many.
        count: usize,
        /// One of them.
        pid: i32,
    },
    /// Nobody could be started to drive it.
    #[error("the cast has begun, and nobody could be started to drive it")]
    NoDriver(#[from] SpawnError),
    /// Its log fails.
    #[error("the log of the cast fails")]
    Log(#[from] JournalError),
    /// An artifact fails.
    #[error("an artifact of the cast fails")]
    Artifact(#[from] ArtifactError),
    /// A directory fails.
    #[error("the directory of the cast fails")]
    Dir(#[from] DirError),
    /// A snapshot fails.
    #[error("a document of the cast fails")]
    Document(#[from] WriteError),
    /// A utility's input or output fails.
    #[error("the output of a utility cannot be kept")]
    Output(#[from] io::Error),
    /// Something cannot be spelled as JSON.
    #[error("a document of the cast cannot be spelled")]
    Spelling(#[from] serde_json::Error),
}

/// What a cast was called that is not there; nothing where any would have done.
fn given_name(given: &str) -> String {
    if given == "*" {
        String::new()
    } else {
        format!(" {}", text::quoted(given))
    }
}
