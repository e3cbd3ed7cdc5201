//! Names that are safe as file names, addresses and map keys.
//!
//! Owns the grammar of every id (A8, C1, R4). A value of one of these types has been checked; there
//! is no other way to create one. Never generates ids: `engine::clock` does.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::text;

/// An invalid name, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given} is not a {what}: {problem}")]
pub struct NameError {
    what: &'static str,
    given: String,
    problem: String,
    rule: &'static str,
}

impl NameError {
    /// A description of valid names.
    pub fn hint(&self) -> &'static str {
        self.rule
    }
}

/// The rule that one kind of name follows.
struct Grammar {
    what: &'static str,
    rule: &'static str,
    max: usize,
    first: fn(char) -> bool,
    rest: fn(char) -> bool,
    reserved: &'static [&'static str],
}

impl Grammar {
    fn check(&self, given: &str) -> Result<(), NameError> {
        self.problem(given).map_or(Ok(()), |problem| {
            Err(NameError {
                what: self.what,
                given: text::quoted(given),
                problem,
                rule: self.rule,
            })
        })
    }

    fn problem(&self, given: &str) -> Option<String> {
        let mut chars = given.chars();
        let Some(first) = chars.next() else {
            return Some("it is empty".to_owned());
        };
        if given.len() > self.max {
            return Some(format!(
                "it has {} bytes, at most {} are allowed",
                given.len(),
                self.max
            ));
        }
        if !(self.first)(first) {
            return Some(format!(
                "it cannot begin with {}",
                text::quoted(&first.to_string())
            ));
        }
        if let Some((index, bad)) = chars.enumerate().find(|(_, c)| !(self.rest)(*c)) {
            return Some(format!(
                "{} at column {} is not allowed",
                text::quoted(&bad.to_string()),
                index + 2
            ));
        }
        self.reserved
            .contains(&given)
            .then(|| "the name is reserved".to_owned())
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $grammar:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            const GRAMMAR: Grammar = $grammar;

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(given: &str) -> Result<Self, NameError> {
                Self::GRAMMAR.check(given)?;
                Ok(Self(given.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let given = String::deserialize(deserializer)?;
                Self::GRAMMAR.check(&given).map_err(serde::de::Error::custom)?;
                Ok(Self(given))
            }
        }
    };
}

name!(
    /// The id of a run, a cast or any other directory of state (A8).
    RunId,
    Grammar {
        what: "run id",
        rule: "write 1 to 128 letters, digits, `_`, `.` or `-`, beginning with a letter or digit",
        max: 128,
        first: |c| c.is_ascii_alphanumeric(),
        rest: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'),
        reserved: &["archived", "preserved-artifacts", "index.json"],
    }
);

name!(
    /// The id of a host session, which owns runs (A9).
    SessionId,
    Grammar {
        what: "session id",
        rule: "write 1 to 128 letters, digits, `_`, `.` or `-`, beginning with a letter or digit",
        max: 128,
        first: |c| c.is_ascii_alphanumeric(),
        rest: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'),
        reserved: &[],
    }
);

name!(
    /// The name of a queue under a run, for its workers (A11).
    BranchName,
    Grammar {
        what: "branch name",
        rule: "write 1 to 128 letters, digits, `_`, `.` or `-`, beginning with a letter or digit",
        max: 128,
        first: |c| c.is_ascii_alphanumeric(),
        rest: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'),
        reserved: &[],
    }
);

name!(
    /// The id of a socket in a loadout (C1).
    SocketId,
    Grammar {
        what: "socket id",
        rule: "write letters, digits, `_`, `.` or `-`, beginning with a letter; `end` is the end of the graph",
        max: 128,
        first: |c| c.is_ascii_alphabetic(),
        rest: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'),
        reserved: &["end"],
    }
);

name!(
    /// The name of a recipe or tool (R4).
    ToolName,
    Grammar {
        what: "tool name",
        rule: "write lowercase letters, digits, `_` or `-`, not beginning with a dash",
        max: 128,
        first: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_',
        rest: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'),
        reserved: &[],
    }
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn run_ids_cannot_leave_their_root() {
        for bad in [
            "",
            ".",
            "..",
            ".hidden",
            "-rf",
            "a/b",
            "a\\b",
            "a\0b",
            "a b",
            "é",
            &"x".repeat(129),
        ] {
            assert!(bad.parse::<RunId>().is_err(), "{bad:?} was accepted");
        }
        for good in ["a", "0", "Run_1.2-x", "a..b", &"x".repeat(128)] {
            assert_eq!(good.parse::<RunId>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn the_message_names_the_column_and_the_rule() {
        let error = "build server".parse::<RunId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`build server` is not a run id: ` ` at column 6 is not allowed"
        );
        assert!(error.hint().starts_with("write 1 to 128"));
    }

    #[test]
    fn end_is_no_socket_and_tools_are_lowercase() {
        assert!("end".parse::<SocketId>().is_err());
        assert!("Socket-1".parse::<SocketId>().is_ok());
        assert!("Review".parse::<ToolName>().is_err());
    }

    proptest! {
        #[test]
        fn an_accepted_id_is_one_harmless_path_component(given in ".{0,140}") {
            if let Ok(id) = given.parse::<RunId>() {
                let components: Vec<_> = std::path::Path::new(id.as_str()).components().collect();
                prop_assert_eq!(components.len(), 1);
                prop_assert!(matches!(components[0], std::path::Component::Normal(_)));
            }
        }

        #[test]
        fn parsing_agrees_with_the_written_rule(given in "[-A-Za-z0-9_./ ]{0,12}") {
            let mut chars = given.chars();
            let fits = chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
                && chars.all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            prop_assert_eq!(given.parse::<RunId>().is_ok(), fits);
            prop_assert_eq!(serde_json::from_value::<RunId>(given.clone().into()).is_ok(), fits);
        }
    }
}
