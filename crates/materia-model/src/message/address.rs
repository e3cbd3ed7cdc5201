//! Addresses of messages: one grammar for every kind of actor.
//!
//! Owns parsing and formatting. `coordinator`, `run:ID`, `branch:RUN/NAME`, `room:RUN` (also
//! written `room:RUN/main`), `session:ID` and `tool:NAME`. Ignores spaces around an address. Never
//! checks whether the actor exists.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{BranchName, NameError, RunId, SessionId, ToolName};
use crate::text;

/// The only room of a run, which may follow the run's id.
const MAIN_ROOM: &str = "main";

/// Somebody who can be written to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub enum Address {
    /// Whoever started the run that writes.
    Coordinator,
    /// A run.
    Run(RunId),
    /// A queue under a run.
    Branch(RunId, BranchName),
    /// Everybody in a run.
    Room(RunId),
    /// A host session.
    Session(SessionId),
    /// A tool, which is executed.
    Tool(ToolName),
}

/// The kind of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    Coordinator,
    Run,
    Branch,
    Room,
    Session,
    Tool,
}

impl AddressKind {
    /// Every kind, in the order of messages.
    pub const ALL: [Self; 6] = [
        Self::Run,
        Self::Branch,
        Self::Room,
        Self::Session,
        Self::Tool,
        Self::Coordinator,
    ];

    /// The word before the colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coordinator => "coordinator",
            Self::Run => "run",
            Self::Branch => "branch",
            Self::Room => "room",
            Self::Session => "session",
            Self::Tool => "tool",
        }
    }

    /// The syntax of such an address.
    fn shape(self) -> &'static str {
        match self {
            Self::Coordinator => "coordinator",
            Self::Run => "run:ID",
            Self::Branch => "branch:RUN/NAME",
            Self::Room => "room:RUN",
            Self::Session => "session:ID",
            Self::Tool => "tool:NAME",
        }
    }
}

/// A text that is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The kind of actor is missing.
    #[error(
        "the address {} does not say what kind of actor it is",
        text::quoted(given)
    )]
    NoKind { given: String },
    /// The kind is unknown.
    #[error(
        "the address {} has the unknown kind {}",
        text::quoted(given),
        text::quoted(kind)
    )]
    UnknownKind {
        given: String,
        /// The word before the colon.
        kind: String,
    },
    /// A part of it is missing.
    #[error("the address {} has no {part}", text::quoted(given))]
    Missing {
        given: String,
        /// What is missing.
        part: &'static str,
        /// The syntax of this kind.
        shape: &'static str,
    },
    /// There are more slashes than parts.
    #[error("the address {} has too many parts", text::quoted(given))]
    TooMany {
        given: String,
        /// The syntax of this kind.
        shape: &'static str,
    },
    /// A room inside a room; a run has only one.
    #[error("the address {} names a room inside a room", text::quoted(given))]
    Subroom {
        given: String,
        /// The run of the room.
        run: String,
    },
    /// A part of it is not a valid name.
    #[error("the address {} cannot be used: {source}", text::quoted(given))]
    Name { given: String, source: NameError },
}

impl AddressError {
    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::NoKind { given } if given.parse::<RunId>().is_ok() => {
                format!("write `run:{given}` for a run")
            }
            Self::NoKind { .. } => format!("write {}", shapes()),
            Self::UnknownKind { kind, .. } => {
                match text::closest(kind, AddressKind::ALL.iter().map(|kind| kind.as_str())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write {}", shapes()),
                }
            }
            Self::Missing { shape, .. } | Self::TooMany { shape, .. } => format!("write `{shape}`"),
            Self::Subroom { run, .. } => format!("a run has one room: write `room:{run}`"),
            Self::Name { source, .. } => source.hint().to_owned(),
        }
    }
}

fn shapes() -> String {
    text::list(
        &AddressKind::ALL.map(|kind| format!("`{}`", kind.shape())),
        "or",
    )
}

impl Address {
    /// The kind of the address.
    pub fn kind(&self) -> AddressKind {
        match self {
            Self::Coordinator => AddressKind::Coordinator,
            Self::Run(_) => AddressKind::Run,
            Self::Branch(..) => AddressKind::Branch,
            Self::Room(_) => AddressKind::Room,
            Self::Session(_) => AddressKind::Session,
            Self::Tool(_) => AddressKind::Tool,
        }
    }

    /// The run it belongs to, if any.
    pub fn run(&self) -> Option<&RunId> {
        match self {
            Self::Run(run) | Self::Branch(run, _) | Self::Room(run) => Some(run),
            Self::Coordinator | Self::Session(_) | Self::Tool(_) => None,
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(given: &str) -> Result<Self, AddressError> {
        let given = given.trim();
        if given == AddressKind::Coordinator.as_str() {
            return Ok(Self::Coordinator);
        }
        let Some((kind, rest)) = given.split_once(':') else {
            return Err(AddressError::NoKind {
                given: given.to_owned(),
            });
        };
        let (kind, parts) = (
            kind.trim(),
            Parts {
                given,
                rest: rest.trim(),
            },
        );
        match AddressKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
        {
            Some(AddressKind::Run) => parts.only("run id", AddressKind::Run).map(Self::Run),
            Some(AddressKind::Session) => parts
                .only("session id", AddressKind::Session)
                .map(Self::Session),
            Some(AddressKind::Tool) => parts.only("tool name", AddressKind::Tool).map(Self::Tool),
            Some(AddressKind::Branch) => parts.branch(),
            Some(AddressKind::Room) => parts.room(),
            Some(AddressKind::Coordinator) => Err(AddressError::TooMany {
                given: given.to_owned(),
                shape: AddressKind::Coordinator.shape(),
            }),
            None => Err(AddressError::UnknownKind {
                given: given.to_owned(),
                kind: kind.to_owned(),
            }),
        }
    }
}

/// The parts after the colon.
struct Parts<'a> {
    given: &'a str,
    rest: &'a str,
}

impl Parts<'_> {
    fn only<T: FromStr<Err = NameError>>(
        &self,
        part: &'static str,
        kind: AddressKind,
    ) -> Result<T, AddressError> {
        if self.rest.contains('/') {
            return Err(AddressError::TooMany {
                given: self.given.to_owned(),
                shape: kind.shape(),
            });
        }
        self.name(self.rest, part, kind)
    }

    fn branch(&self) -> Result<Address, AddressError> {
        let (run, branch) = self.rest.split_once('/').unwrap_or((self.rest, ""));
        if branch.contains('/') {
            return Err(AddressError::TooMany {
                given: self.given.to_owned(),
                shape: AddressKind::Branch.shape(),
            });
        }
        let run = self.name(run, "run id", AddressKind::Branch)?;
        Ok(Address::Branch(
            run,
            self.name(branch, "branch name", AddressKind::Branch)?,
        ))
    }

    fn room(&self) -> Result<Address, AddressError> {
        let (run, room) = self.rest.split_once('/').unwrap_or((self.rest, MAIN_ROOM));
        let run: RunId = self.name(run, "run id", AddressKind::Room)?;
        match room.trim() {
            MAIN_ROOM => Ok(Address::Room(run)),
            more if more.contains('/') => Err(AddressError::TooMany {
                given: self.given.to_owned(),
                shape: AddressKind::Room.shape(),
            }),
            _ => Err(AddressError::Subroom {
                given: self.given.to_owned(),
                run: run.to_string(),
            }),
        }
    }

    fn name<T: FromStr<Err = NameError>>(
        &self,
        name: &str,
        part: &'static str,
        kind: AddressKind,
    ) -> Result<T, AddressError> {
        let given = || self.given.to_owned();
        let name = name.trim();
        if name.is_empty() {
            return Err(AddressError::Missing {
                given: given(),
                part,
                shape: kind.shape(),
            });
        }
        name.parse().map_err(|source| AddressError::Name {
            given: given(),
            source,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coordinator => f.write_str("coordinator"),
            Self::Run(run) => write!(f, "run:{run}"),
            Self::Branch(run, branch) => write!(f, "branch:{run}/{branch}"),
            Self::Room(run) => write!(f, "room:{run}"),
            Self::Session(session) => write!(f, "session:{session}"),
            Self::Tool(tool) => write!(f, "tool:{tool}"),
        }
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
