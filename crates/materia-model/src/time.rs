//! Moments as they stand in files: UTC, RFC 3339, milliseconds.
//!
//! Owns the one spelling of a time. Never reads a clock: `engine::clock` makes moments, everybody
//! else is handed them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, to the millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct Timestamp(i64);

/// The range of the calendar library, in milliseconds.
const FIRST: i64 = -377_705_023_201_000;
const LAST: i64 = 253_402_207_200_999;

/// A text that is no moment.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{given} is not a time; write it like `2026-01-31T12:00:00.000Z`")]
pub struct TimeError {
    given: String,
}

impl Timestamp {
    /// The moment so many milliseconds after the start of 1970; out-of-range values are clamped.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(FIRST, LAST))
    }

    /// Milliseconds since the start of 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The same moment for the calendar library, which spells the years before 1970.
    fn on_calendar(self) -> jiff::Timestamp {
        let nanos = self.0.rem_euclid(1000) as i32 * 1_000_000;
        jiff::Timestamp::new(self.0.div_euclid(1000), nanos).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    /// The spelling of a moment in the years 1970 to 9999, made by hand because every record of a
    /// journal needs it.
    pub(crate) fn spelling(self) -> Option<[u8; 24]> {
        const DAY: u64 = 86_400_000;
        let millis = u64::try_from(self.0).ok()?;
        let (year, month, day) = civil_date((millis / DAY) as u32);
        let of_day = (millis % DAY) as u32;
        let seconds = of_day / 1000;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put_two(&mut text, 0, year / 100);
        put_two(&mut text, 2, year % 100);
        put_two(&mut text, 5, month);
        put_two(&mut text, 8, day);
        put_two(&mut text, 11, seconds / 3600);
        put_two(&mut text, 14, seconds / 60 % 60);
        put_two(&mut text, 17, seconds % 60);
        put_two(&mut text, 20, of_day % 1000 / 10);
        text[22] = b'0' + (of_day % 10) as u8;
        Some(text)
    }
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar (Hinnant's
/// algorithm).
fn civil_date(days: u32) -> (u32, u32, u32) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    (year + era * 400 + u32::from(month <= 2), month, day)
}

fn put_two(text: &mut [u8; 24], at: usize, number: u32) {
    text[at] = b'0' + (number / 10) as u8;
    text[at + 1] = b'0' + (number % 10) as u8;
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.spelling() {
            Some(text) => f.pad(std::str::from_utf8(&text).map_err(|_| fmt::Error)?),
            None => write!(f, "{:.3}", self.on_calendar()),
        }
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
        fn the_handmade_spelling_is_the_librarys(millis: i64, near in -10_000_000_000_000i64..260_000_000_000_000) {
            for millis in [millis, near] {
                let moment = Timestamp::from_millis(millis);
                prop_assert_eq!(moment.to_string(), format!("{:.3}", moment.on_calendar()));
            }
        }
    }

    #[test]
    fn a_moment_has_one_spelling() {
        let moment = Timestamp::from_millis(1_767_225_600_007);
        assert_eq!(moment.to_string(), "2026-01-01T00:00:00.007Z");
        assert_eq!("2026-01-01T01:00:00.0074+01:00".parse(), Ok(moment));
    }

    #[test]
    fn extremes_are_clamped_and_nonsense_is_named() {
        let last = jiff::Timestamp::MAX.as_millisecond();
        assert_eq!((FIRST, LAST), (jiff::Timestamp::MIN.as_millisecond(), last));
        assert_eq!(
            Timestamp::from_millis(i64::MAX),
            Timestamp::from_millis(last)
        );
        assert_eq!(
            Timestamp::from_millis(i64::MAX).to_string(),
            format!("{:.3}", jiff::Timestamp::MAX)
        );
        let error = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(error.to_string().starts_with("`yesterday` is not a time"));
    }
}
