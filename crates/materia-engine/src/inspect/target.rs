//! The targets of `inspect`, and their views.
//!
//! Owns their names. The error for an unknown view lists the views of the target.

use materia_model::message::{Address, AddressError};
use materia_model::name::{BranchName, NameError, RunId, SessionId};
use materia_model::run::RunStatus;
use materia_model::text;

/// A target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InspectTarget {
    /// `run:X`.
    Run(RunId),
    /// `room:X`.
    Room(RunId),
    /// `branch:X/B`.
    Branch(RunId, BranchName),
    /// `coordinator`: the runs of the caller's session.
    Coordinator,
    /// `session:S`.
    Session(String),
    /// `session:all`.
    AllSessions,
    /// `tool:materia`: this program.
    Program,
    /// `tool:NAME`.
    Tool(String),
    /// `recipes`: all of them.
    Recipes,
}

/// An error in the target or view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The target is unknown.
    #[error("{} cannot be inspected", text::quoted(.0))]
    Unknown(String),
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The target does not have this view.
    #[error("{target} has no view {}", text::quoted(view))]
    View {
        /// The target.
        target: String,
        /// The requested view.
        view: String,
        /// The views of the target.
        views: &'static [&'static str],
    },
    /// The view has no new entries to follow.
    #[error("{target} --view {view} cannot be followed")]
    Follow {
        /// The target.
        target: String,
        /// The requested view.
        view: &'static str,
        /// The views that can be followed.
        views: &'static [&'static str],
    },
    /// The status filter is unknown.
    #[error("{} is no status", text::quoted(.0))]
    Filter(String),
}

impl TargetError {
    /// A hint for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown(_) => {
                "write run:ID, room:ID, branch:ID/NAME, coordinator, session:S, session:all, tool:NAME, tool:materia or recipes"
                    .to_owned()
            }
            Self::Name(error) => error.hint().to_owned(),
            Self::Address(error) => error.hint(),
            Self::View { views, .. } => format!("its views are {}", text::list(views, "and")),
            Self::Follow { views: [], .. } => {
                "follow run:ID with --view tail or messages, room:ID with messages or previews; `materia top` and `materia watch` show the rest as it comes"
                    .to_owned()
            }
            Self::Follow { views, .. } => format!("follow it with --view {}", text::list(views, "or")),
            Self::Filter(_) => {
                "write all, active, terminal, or one of starting running done failed cancelled killed exited"
                    .to_owned()
            }
        }
    }
}

impl InspectTarget {
    /// Parses a target; a bare id is a run.
    pub fn parse(given: &str) -> Result<Self, TargetError> {
        match given.split_once(':') {
            Some(("run", id)) => Ok(Self::Run(id.parse()?)),
            Some(("room" | "branch", _)) => match given.parse() {
                Ok(Address::Room(run)) => Ok(Self::Room(run)),
                Ok(Address::Branch(run, branch)) => Ok(Self::Branch(run, branch)),
                Ok(_) => Err(TargetError::Unknown(given.to_owned())),
                Err(error) => Err(TargetError::Address(error)),
            },
            Some(("session", "all")) => Ok(Self::AllSessions),
            Some(("session", session)) => {
                Ok(Self::Session(session.parse::<SessionId>()?.to_string()))
            }
            Some(("tool", "materia" | "pi-actors")) => Ok(Self::Program),
            Some(("tool", name)) if !name.is_empty() => Ok(Self::Tool(name.to_owned())),
            None if given == "coordinator" => Ok(Self::Coordinator),
            None if matches!(given, "recipes" | "recipe-registry") => Ok(Self::Recipes),
            _ => Err(TargetError::Unknown(given.to_owned())),
        }
    }

    /// The requested view, if the target has it; the first view if none was requested.
    pub fn view(&self, asked: Option<&str>) -> Result<&'static str, TargetError> {
        let views = self.views();
        let Some(asked) = asked else {
            return Ok(views[0]);
        };
        views
            .iter()
            .find(|view| **view == asked)
            .copied()
            .ok_or_else(|| TargetError::View {
                target: self.to_string(),
                view: asked.to_owned(),
                views,
            })
    }

    /// Fails if the view cannot be followed.
    pub fn follow(&self, view: &'static str) -> Result<(), TargetError> {
        let views = self.followed();
        if views.contains(&view) {
            return Ok(());
        }
        Err(TargetError::Follow {
            target: self.to_string(),
            view,
            views,
        })
    }

    fn followed(&self) -> &'static [&'static str] {
        match self {
            Self::Run(_) => &["tail", "messages"],
            Self::Room(_) => &["messages", "previews"],
            _ => &[],
        }
    }

    fn views(&self) -> &'static [&'static str] {
        match self {
            Self::Run(_) => &[
                "status",
                "tail",
                "transcript",
                "messages",
                "mailbox",
                "communication",
                "artifacts",
                "files",
            ],
            Self::Room(_) => &["status", "messages", "previews", "roster", "contacts"],
            Self::Branch(..) => &["mailbox"],
            Self::Coordinator | Self::Session(_) | Self::AllSessions => &["runs", "status"],
            Self::Program => &["status", "triage", "doctor"],
            Self::Tool(_) => &["status", "schema"],
            Self::Recipes => &["status", "summary", "list", "doctor", "imports"],
        }
    }
}

impl std::fmt::Display for InspectTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(id) => write!(f, "run:{id}"),
            Self::Room(id) => write!(f, "room:{id}"),
            Self::Branch(id, branch) => write!(f, "branch:{id}/{branch}"),
            Self::Coordinator => f.write_str("coordinator"),
            Self::Session(session) => write!(f, "session:{session}"),
            Self::AllSessions => f.write_str("session:all"),
            Self::Program => f.write_str("tool:materia"),
            Self::Tool(name) => write!(f, "tool:{}", text::printable(name)),
            Self::Recipes => f.write_str("recipes"),
        }
    }
}

/// The status filter of an inventory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StatusFilter {
    /// All runs.
    #[default]
    All,
    /// Runs that are not over.
    Active,
    /// Runs that are over.
    Terminal,
    /// Runs with this status.
    Exactly(RunStatus),
}

impl StatusFilter {
    /// Parses a filter.
    pub fn parse(given: &str) -> Result<Self, TargetError> {
        match given {
            "all" => Ok(Self::All),
            "active" => Ok(Self::Active),
            "terminal" => Ok(Self::Terminal),
            word => RunStatus::ALL
                .into_iter()
                .find(|status| status.as_str() == word)
                .map(Self::Exactly)
                .ok_or_else(|| TargetError::Filter(given.to_owned())),
        }
    }

    /// Whether a run with this status matches.
    pub fn fits(self, status: RunStatus) -> bool {
        match self {
            Self::All => true,
            Self::Active => !status.is_terminal(),
            Self::Terminal => status.is_terminal(),
            Self::Exactly(only) => status == only,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_and_written_the_same() {
        for good in [
            "run:a",
            "room:a",
            "branch:a/b",
            "coordinator",
            "session:s1",
            "session:all",
            "tool:materia",
        ] {
            assert_eq!(InspectTarget::parse(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            "run:",
            "run:..",
            "session:",
            "session:../x",
            "tool:",
            "nobody",
            "x:y",
        ] {
            assert!(InspectTarget::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_view_that_is_not_there_is_answered_with_those_that_are() {
        let run = InspectTarget::parse("run:a").unwrap();
        assert_eq!(run.view(None), Ok("status"));
        assert_eq!(run.view(Some("tail")), Ok("tail"));
        let error = run.view(Some("entrails")).unwrap_err();
        assert!(error.hint().contains("tail"), "{}", error.hint());
    }

    #[test]
    fn only_what_goes_on_can_be_followed() {
        let targets = [
            "run:a",
            "room:a",
            "branch:a/b",
            "session:all",
            "tool:materia",
            "recipes",
        ];
        let followed = |target: &str| {
            let target = InspectTarget::parse(target).unwrap();
            target
                .views()
                .iter()
                .copied()
                .filter(|view| target.follow(view).is_ok())
                .collect::<Vec<_>>()
        };
        let expected: [&[&str]; 6] = [
            &["tail", "messages"],
            &["messages", "previews"],
            &[],
            &[],
            &[],
            &[],
        ];
        assert_eq!(targets.map(followed), expected);
    }
}
