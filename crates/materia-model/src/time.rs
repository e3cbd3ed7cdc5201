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

    /// Appends the spelling to `out`; what `Display` writes, without its machinery.
    pub fn push_to(self, out: &mut Vec<u8>) {
        match self.spelling() {
            Some(text) => out.extend_from_slice(&text),
            None => out.extend_from_slice(format!("{:.3}", self.0).as_bytes()),
        }
    }

    /// The spelling of a moment in the years 0 to 9999, made by hand because every record of a journal needs it.
    fn spelling(self) -> Option<[u8; 24]> {
        const DAY: i64 = 86_400_000;
        let millis = self.as_millis();
        let (year, month, day) = civil_date(millis.div_euclid(DAY));
        if !(0..=9999).contains(&year) {
            return None;
        }
        let of_day = millis.rem_euclid(DAY);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text[0..4], year);
        put(&mut text[5..7], month);
        put(&mut text[8..10], day);
        put(&mut text[11..13], of_day / 3_600_000);
        put(&mut text[14..16], of_day / 60_000 % 60);
        put(&mut text[17..19], of_day / 1000 % 60);
        put(&mut text[20..23], of_day % 1000);
        Some(text)
    }
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar (Hinnant's algorithm).
fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

fn put(place: &mut [u8], mut number: i64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.spelling() {
            Some(text) => f.pad(std::str::from_utf8(&text).map_err(|_| fmt::Error)?),
            None => write!(f, "{:.3}", self.0),
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_handmade_spelling_is_the_librarys(millis: i64, near in -80_000_000_000_000i64..260_000_000_000_000) {
            for millis in [millis, near] {
                let moment = Timestamp::from_millis(millis);
                let mut pushed = Vec::new();
                moment.push_to(&mut pushed);
                prop_assert_eq!(moment.to_string(), format!("{:.3}", moment.0));
                prop_assert_eq!(String::from_utf8(pushed).unwrap(), moment.to_string());
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
        Timestamp::from_millis(i64::MAX).to_string();
        let error = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(error.to_string().starts_with("`yesterday` is not a time"));
    }
}
