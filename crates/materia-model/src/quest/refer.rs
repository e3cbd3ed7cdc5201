//! References to a quest: its id, or a prefix of it with or without `quest-`.

use super::QuestBoard;
use crate::text;

/// The prefix of ids.
pub(super) const PREFIX: &str = "quest-";
/// The maximum number of listed matches.
const NAMED: usize = 8;

/// A reference that matches no quest, or more than one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestLookupError {
    /// No quest matches; the hint may suggest a similar id.
    #[error("there is no quest {}", text::quoted(.0))]
    None(String, Option<String>),
    #[error("{} quests begin with {}", found.len(), text::quoted(given))]
    Several {
        given: String,
        /// The matching quests.
        found: Vec<String>,
    },
}

impl QuestLookupError {
    /// What to type instead.
    pub fn hint(&self) -> String {
        match self {
            Self::None(_, Some(near)) => format!("did you mean `{near}`?"),
            Self::None(_, None) => "`materia quest list` shows them".to_owned(),
            Self::Several { found, .. } => {
                let some: Vec<String> = found
                    .iter()
                    .take(NAMED)
                    .map(|id| text::quoted(id))
                    .collect();
                format!("write more of it: {}", text::list(&some, "or"))
            }
        }
    }
}

/// An id without its prefix.
fn short(id: &str) -> &str {
    id.strip_prefix(PREFIX).unwrap_or(id)
}

impl QuestBoard {
    /// Resolves a reference to the id of a quest.
    pub fn find(&self, given: &str) -> Result<String, QuestLookupError> {
        if self.get(given).is_some() {
            return Ok(given.to_owned());
        }
        let begins = |id: &str| {
            id.starts_with(given)
                || id
                    .strip_prefix(PREFIX)
                    .is_some_and(|rest| rest.starts_with(given))
        };
        let mut found: Vec<String> = self
            .quests
            .iter()
            .filter(|quest| !given.is_empty() && begins(&quest.id))
            .map(|quest| quest.id.clone())
            .collect();
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => {
                let ids = self
                    .quests
                    .iter()
                    .flat_map(|quest| [quest.id.as_str(), short(&quest.id)]);
                Err(QuestLookupError::None(
                    given.to_owned(),
                    text::closest(given, ids).map(str::to_owned),
                ))
            }
            (Some(last), false) => {
                found.push(last);
                Err(QuestLookupError::Several {
                    given: given.to_owned(),
                    found,
                })
            }
        }
    }
}
