//! The only reader of time and randomness.
//!
//! Owns timestamps, stopwatches and new ids. Test builds can fix the time and the ids, so that
//! transcripts are the same on every machine. Never waits: `engine::process` does, on events and
//! deadlines.
#![allow(
    clippy::disallowed_methods,
    reason = "this room owns time and randomness"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use materia_model::time::Timestamp;

/// A source of timestamps and ids. Clones share its state.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    #[cfg(any(test, feature = "testing"))]
    fixed: Option<std::sync::Arc<Fixed>>,
}

#[cfg(any(test, feature = "testing"))]
#[derive(Debug)]
struct Fixed {
    at: Timestamp,
    ids: std::sync::atomic::AtomicU64,
}

impl Clock {
    /// The system clock.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that does not advance and numbers its ids, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub fn fixed(at: Timestamp) -> Self {
        Self {
            fixed: Some(std::sync::Arc::new(Fixed { at, ids: 0.into() })),
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        #[cfg(any(test, feature = "testing"))]
        if let Some(fixed) = &self.fixed {
            return fixed.at;
        }
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Timestamp::from_millis(
            seconds
                .saturating_mul(1000)
                .saturating_add(since.subsec_millis().into()),
        )
    }

    /// A new id of 26 lowercase letters and digits. Ids sort by time; the last 16 characters are
    /// random.
    pub fn fresh_id(&self) -> String {
        #[cfg(any(test, feature = "testing"))]
        if let Some(fixed) = &self.fixed {
            let earlier = fixed.ids.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return spell(fixed.at, u128::from(earlier) + 1);
        }
        spell(self.now(), random_bits())
    }

    /// A random secret of 64 hexadecimal digits. It is random even where ids are fixed.
    pub fn secret(&self) -> String {
        format!("{:032x}{:032x}", random_bits(), random_bits())
    }
}

/// Measures elapsed time. Changes of the wall clock do not affect it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The instant of the start, for deadlines.
    pub fn started(self) -> Instant {
        self.0
    }
}

/// The deadline that is `after` from now.
pub fn deadline_in(after: Duration) -> Option<Instant> {
    Instant::now().checked_add(after)
}

/// The time until a deadline; zero once it has passed.
pub fn until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Formats 48 bits of milliseconds and 80 further bits in Crockford's base 32: a lowercase ULID.
fn spell(at: Timestamp, bits: u128) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let millis = u128::try_from(at.as_millis().max(0)).unwrap_or(0) & ((1 << 48) - 1);
    let value = (millis << 80) | (bits & ((1 << 80) - 1));
    (0..26)
        .rev()
        .map(|digit| char::from(DIGITS[(value >> (digit * 5)) as usize & 31]))
        .collect()
}

fn random_bits() -> u128 {
    let mut bytes = [0u8; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(more) => filled += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return hashed_bits(),
        }
    }
    u128::from_ne_bytes(bytes)
}

/// Random bits from the standard library's hasher, for when the kernel provides none.
fn hashed_bits() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    let one = || u128::from(RandomState::new().hash_one(Instant::now()));
    one() << 64 | one()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_clocks_stand_still_and_count() {
        let clock = Clock::fixed(Timestamp::from_millis(1_767_225_600_000));
        assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00.000Z");
        assert_eq!(clock.fresh_id(), "01kdvdna000000000000000001");
        assert_eq!(clock.clone().fresh_id(), "01kdvdna000000000000000002");
    }

    #[test]
    fn fresh_ids_are_run_ids_and_differ() {
        let clock = Clock::system();
        let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| clock.fresh_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(
            ids.iter()
                .all(|id| id.len() == 26 && id.parse::<materia_model::name::RunId>().is_ok())
        );
    }
}
