//! Parses `/proc/PID/stat`.
//!
//! Owns the parser and the reader. A process may be named `) R 1 (`, so the name ends at the last
//! parenthesis. Never signals. Ancestry is decided by `tree`.

use std::io;

use crate::store::kernel;

/// The kernel's flag `PF_FORKNOEXEC`.
const FORKED_WITHOUT_EXEC: u64 = 0x40;

/// What the kernel reports about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Start time in clock ticks since boot. Together with the pid it identifies the process.
    pub(super) start: u64,
    /// Whether it has ended and waits to be reaped.
    pub(super) gone: bool,
    /// Whether it was forked and has not called exec since: it has its parent's environment.
    pub(super) forked: bool,
}

/// Reads the line of `pid`; an error if there is no such process.
fn line(pid: i32) -> io::Result<Vec<u8>> {
    kernel::read(&format!("/proc/{pid}/stat")).map(String::into_bytes)
}

/// The error of reading the line of `pid`.
pub(super) fn unread(pid: i32) -> io::Error {
    line(pid)
        .err()
        .unwrap_or_else(|| io::ErrorKind::NotFound.into())
}

/// Whether a process is in the middle of exec and its environment is not readable yet: the kernel
/// reports no end address for it. Kernel threads, the children of pid 2, never have an environment.
pub(super) fn is_changing(pid: i32) -> bool {
    let Ok(line) = line(pid) else { return false };
    let Some(stat) = Stat::parse(&line) else {
        return false;
    };
    environment_end(&line) == Some(0) && !stat.gone && stat.parent != 2
}

fn environment_end(line: &[u8]) -> Option<u64> {
    const AFTER_NAME: usize = 48;
    let close = line.iter().rposition(|byte| *byte == b')')?;
    let mut fields = line
        .get(close + 1..)?
        .split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty());
    number(fields.nth(AFTER_NAME)?)
}

impl Stat {
    /// Reads the stat of `pid`; `None` if there is no such process.
    pub(super) fn read(pid: i32) -> Option<Self> {
        Self::parse(&line(pid).ok()?)
    }

    /// Parses one line.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let open = line.iter().position(|byte| *byte == b'(')?;
        let close = line.iter().rposition(|byte| *byte == b')')?;
        let pid = number(line.get(..open)?.trim_ascii())?;
        let mut fields = line
            .get(close + 1..)?
            .split(u8::is_ascii_whitespace)
            .filter(|field| !field.is_empty());
        let state = *fields.next()?.first()?;
        let parent = number(fields.next()?)?;
        let group = number(fields.next()?)?;
        let session = number(fields.next()?)?;
        let flags: u64 = number(fields.nth(2)?)?;
        let forked = flags & FORKED_WITHOUT_EXEC != 0;
        let threads: i64 = number(fields.nth(10)?)?;
        let start = number(fields.nth(1)?)?;
        // If other threads still run, a main thread that has exited does not end the process.
        let gone = matches!(state, b'Z' | b'X' | b'x') && threads <= 1;
        Some(Self {
            pid,
            parent,
            group,
            session,
            start,
            gone,
            forked,
        })
    }
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_process_that_runs_is_not_changing() {
        let me = std::process::id().cast_signed();
        assert!(environment_end(&super::line(me).unwrap()).unwrap() > 0);
        assert!(!is_changing(me));
        assert!(!is_changing(i32::MAX));
    }

    fn line(name: &[u8]) -> Vec<u8> {
        let mut line = b"4211 (".to_vec();
        line.extend_from_slice(name);
        line.extend_from_slice(
            b") S 17 42 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 987654 1 2 18446744073709551615 1",
        );
        line
    }

    #[test]
    fn reads_itself() {
        let me = Stat::read(std::process::id().cast_signed()).unwrap();
        assert_eq!(me.pid, std::process::id().cast_signed());
        assert!(me.start > 0 && !me.gone);
        assert_eq!(Stat::read(i32::MAX), None);
    }

    #[test]
    fn a_dead_main_thread_with_live_others_is_alive() {
        let mut zombie = line(b"x");
        let state = zombie.iter().position(|byte| *byte == b'S').unwrap();
        zombie[state] = b'Z';
        assert!(!Stat::parse(&zombie).unwrap().gone);
        let alone = String::from_utf8(zombie)
            .unwrap()
            .replace(" 20 0 3 0 ", " 20 0 1 0 ");
        assert!(Stat::parse(alone.as_bytes()).unwrap().gone);
    }

    #[test]
    fn a_fork_without_exec_is_seen() {
        let executed = Stat::parse(&line(b"x")).unwrap();
        let forked = String::from_utf8(line(b"x"))
            .unwrap()
            .replace(" 4194304 ", " 4194368 ");
        let forked = Stat::parse(forked.as_bytes()).unwrap();
        assert_eq!((executed.forked, forked.forked), (false, true));
    }

    proptest! {
        #[test]
        fn any_name_is_survived(name in proptest::collection::vec(any::<u8>(), 0..64)) {
            let stat = Stat::parse(&line(&name)).unwrap();
            prop_assert_eq!(
                stat,
                Stat { pid: 4211, parent: 17, group: 42, session: 40, start: 987_654, gone: false, forked: false }
            );
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
            let _ = Stat::parse(&bytes);
        }

        #[test]
        fn any_cut_is_survived(cut in 0usize..100) {
            let whole = line(b"a) R (b\n");
            let _ = Stat::parse(&whole[..cut.min(whole.len())]);
        }
    }
}
