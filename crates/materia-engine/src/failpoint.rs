//! Failpoints: named points where a test can inject a failure.
//!
//! Every write, sync, rename and spawn passes a named point first. Test builds can arm one point
//! with `name[:nth]:abort|eio|enospc|torn`, or log all of them with `trace:FILE`. A crash suite
//! runs a scenario once, collects its points, and then kills the scenario at each of them. In
//! release builds a point does nothing. `main.rs` arms it from `MATERIA_FAILPOINT`; nothing here
//! reads the environment.

#[cfg(not(any(test, feature = "testing")))]
pub use disarmed::{hit, write_all};

#[cfg(not(any(test, feature = "testing")))]
mod disarmed {
    use std::io::{self, Write};

    /// Passes the point `name`. Does nothing in a release build.
    #[inline(always)]
    pub fn hit(_name: &'static str) -> io::Result<()> {
        Ok(())
    }

    /// Writes all bytes. The point `name` does nothing in a release build.
    #[inline(always)]
    pub fn write_all(_name: &'static str, file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }
}

#[cfg(any(test, feature = "testing"))]
pub use armed::{BadSpec, arm, hit, write_all};

#[cfg(any(test, feature = "testing"))]
mod armed {
    #![allow(
        clippy::disallowed_methods,
        reason = "a failpoint is the machine failing, not the engine acting"
    )]

    use std::fs::File;
    use std::io::{self, Write};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::io::Errno;

    static ARMED: OnceLock<Mode> = OnceLock::new();

    enum Mode {
        Fail {
            name: String,
            nth: u64,
            passed: AtomicU64,
            action: Action,
        },
        Trace(File),
    }

    #[derive(Clone, Copy)]
    enum Action {
        Abort,
        Eio,
        Enospc,
        Torn,
    }

    /// A failpoint specification that cannot be armed.
    #[derive(Debug, thiserror::Error)]
    #[error("`{0}` is no failpoint; write `name[:nth]:abort|eio|enospc|torn` or `trace:FILE`")]
    pub struct BadSpec(String);

    /// Arms one point, or the trace, for the rest of this process.
    pub fn arm(spec: &str) -> Result<(), BadSpec> {
        let mode = parse(spec).ok_or_else(|| BadSpec(spec.to_owned()))?;
        ARMED
            .set(mode)
            .map_err(|_| BadSpec(format!("{spec} (one is armed already)")))
    }

    fn parse(spec: &str) -> Option<Mode> {
        if let Some(path) = spec.strip_prefix("trace:") {
            return File::options()
                .append(true)
                .create(true)
                .open(path)
                .ok()
                .map(Mode::Trace);
        }
        let (rest, action) = spec.rsplit_once(':')?;
        let action = match action {
            "abort" => Action::Abort,
            "eio" => Action::Eio,
            "enospc" => Action::Enospc,
            "torn" => Action::Torn,
            _ => return None,
        };
        let (name, nth) = match rest.split_once(':') {
            Some((name, nth)) => (name, nth.parse().ok().filter(|nth| *nth > 0)?),
            None => (rest, 1),
        };
        (!name.is_empty()).then(|| Mode::Fail {
            name: name.to_owned(),
            nth,
            passed: AtomicU64::new(0),
            action,
        })
    }

    fn action_at(point: &str) -> Option<Action> {
        match ARMED.get()? {
            Mode::Trace(file) => {
                let mut file = file;
                let _ = file.write_all(format!("{point}\n").as_bytes());
                None
            }
            Mode::Fail {
                name,
                nth,
                passed,
                action,
            } => (name == point && passed.fetch_add(1, Ordering::SeqCst) + 1 == *nth)
                .then_some(*action),
        }
    }

    /// Passes the point `name`: may abort the process or return the armed error.
    pub fn hit(name: &'static str) -> io::Result<()> {
        match action_at(name) {
            None => Ok(()),
            Some(Action::Abort | Action::Torn) => std::process::abort(),
            Some(Action::Eio) => Err(Errno::IO.into()),
            Some(Action::Enospc) => Err(Errno::NOSPC.into()),
        }
    }

    /// Writes all bytes through the point `name`. An armed `enospc` writes half of them and fails;
    /// an armed `torn` writes half of them and aborts.
    pub fn write_all(name: &'static str, file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        let half = &bytes[..bytes.len() / 2];
        match action_at(name) {
            None => file.write_all(bytes),
            Some(Action::Abort) => std::process::abort(),
            Some(Action::Torn) => {
                file.write_all(half)?;
                std::process::abort()
            }
            Some(Action::Eio) => Err(Errno::IO.into()),
            Some(Action::Enospc) => {
                file.write_all(half)?;
                Err(Errno::NOSPC.into())
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn specs_are_checked() {
            for good in [
                "journal.sync:abort",
                "journal.sync:3:eio",
                "x:enospc",
                "x:1:torn",
            ] {
                assert!(parse(good).is_some(), "{good}");
            }
            for bad in [
                "",
                "x",
                ":abort",
                "x:0:abort",
                "x:y:abort",
                "x:boom",
                "trace:/nowhere/at/all",
            ] {
                assert!(parse(bad).is_none(), "{bad}");
            }
        }
    }
}
