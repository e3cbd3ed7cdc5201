//! Timestamps in files: UTC, RFC 3339, milliseconds.
//!
//! Owns the one text form of a time. Never reads a clock: `engine::clock` does, and passes
//! timestamps to other modules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, to the millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct Timestamp(i64);

/// A text that is not a timestamp.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{given} is not a time; write it like `2026-01-31T12:00:00.000Z`")]
pub struct TimeError {
    given: String,
}

impl Timestamp {
    /// The timestamp this many milliseconds after the start of 1970. Clamps out-of-range values.
    pub fn from_millis(millis: i64) -> Self {
        let (first, last) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        Self(millis.clamp(first.as_millisecond(), last.as_millisecond()))
    }

    /// Milliseconds since the start of 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not `from_millisecond`: it rejects the milliseconds within the maximum second.
        let nanos = self.0.rem_euclid(1000) as i32 * 1_000_000;
        let moment =
            jiff::Timestamp::new(self.0.div_euclid(1000), nanos).map_err(|_| fmt::Error)?;
        write!(f, "{moment:.3}")
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
            Err(_) => Err(TimeError {
                given: crate::text::quoted(text),
            }),
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_moment_is_read_back(millis: i64, near in -400_000_000_000_000i64..260_000_000_000_000) {
            for millis in [millis, near] {
                let moment = Timestamp::from_millis(millis);
                prop_assert_eq!(moment.to_string().parse(), Ok(moment));
            }
        }
    }

    #[test]
    fn a_moment_has_one_text_form() {
        for (millis, text) in [
            (1_767_225_600_007, "2026-01-01T00:00:00.007Z"),
            (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (-62_198_755_200_001, "-000002-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
        }
        assert_eq!(
            "2026-01-01T01:00:00.0074+01:00".parse(),
            Ok(Timestamp::from_millis(1_767_225_600_007))
        );
    }

    #[test]
    fn extremes_are_clamped_and_nonsense_is_named() {
        let (first, last) = (
            Timestamp::from_millis(i64::MIN),
            Timestamp::from_millis(i64::MAX),
        );
        assert_eq!(first.as_millis(), -377_705_023_201_000);
        assert_eq!(first.to_string(), "-009999-01-02T01:59:59.000Z");
        assert_eq!(last.as_millis(), 253_402_207_200_999);
        assert_eq!(last.to_string(), "9999-12-30T22:00:00.999Z");
        let error = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(error.to_string().starts_with("`yesterday` is not a time"));
    }
}
