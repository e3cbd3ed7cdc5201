//! Moments as they stand in files: UTC, RFC 3339, milliseconds.
//!
//! Owns the one spelling of a time. Never reads a clock: `engine::clock` makes moments, everybody else is handed them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, to the millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// A text that is no moment.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{given} is not a time; write it like `2026-01-31T12:00:00.000Z`")]
pub struct TimeError {
    given: String,
}

impl Timestamp {
    /// The moment so many milliseconds after the start of 1970; out-of-range values are clamped.
    pub fn from_millis(millis: i64) -> Self {
        let clamped =
            millis.clamp(jiff::Timestamp::MIN.as_millisecond(), jiff::Timestamp::MAX.as_millisecond());
        Self(jiff::Timestamp::from_millisecond(clamped).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
    }

    /// Milliseconds since the start of 1970.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        match text.parse::<jiff::Timestamp>() {
            Ok(moment) => Ok(Self::from_millis(moment.as_millisecond())),
            Err(_) => Err(TimeError { given: crate::text::quoted(text) }),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_one_spelling() {
        let moment = Timestamp::from_millis(1_767_225_600_007);
        assert_eq!(moment.to_string(), "2026-01-01T00:00:00.007Z");
        assert_eq!("2026-01-01T01:00:00.0074+01:00".parse(), Ok(moment));
    }

    #[test]
    fn extremes_are_clamped_and_nonsense_is_named() {
        Timestamp::from_millis(i64::MAX).to_string();
        let error = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(error.to_string().starts_with("`yesterday` is not a time"));
    }
}
