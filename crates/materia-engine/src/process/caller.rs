//! Finds the program that a short-lived command works for.
//!
//! Owns the search through the parent processes: which of them exist only to run this command, and
//! which one reads its result. Never signals.

use std::path::PathBuf;

use super::identity::ProcessIdentity;
use super::stat::Stat;

/// Maximum number of ancestors examined.
const HIGHEST: usize = 64;

/// The program that this process works for: its nearest ancestor that does not exist only to run
/// this command.
///
/// A shell runs `$(a | b)` in a forked copy of itself that ends with the command; such a copy has
/// the command line of its parent. A program such as `timeout 5` has this command at the end of its
/// own command line and ends with it. The supervisor of a run is this very program and is no
/// caller, so the search stops there.
pub fn caller() -> Option<ProcessIdentity> {
    let me = Stat::read(rustix::process::getpid().as_raw_nonzero().get())?;
    let own = words(me.pid);
    let mut caller = Stat::read(me.parent)?;
    for _ in 0..HIGHEST {
        let Some(above) = Stat::read(caller.parent).filter(|above| above.pid > 1) else {
            break;
        };
        let passed = is_copy(caller.pid, above.pid) || runs_only(&words(caller.pid), &own);
        if !passed || program(above.pid) == program(me.pid) {
            break;
        }
        caller = above;
    }
    Some(ProcessIdentity::from_stat(&caller))
}

/// The ancestors of this process, nearest first.
pub fn ancestors() -> Vec<ProcessIdentity> {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let above = std::iter::successors(Stat::read(me), |stat| Stat::read(stat.parent));
    above
        .skip(1)
        .take(HIGHEST)
        .map(|stat| ProcessIdentity::from_stat(&stat))
        .collect()
}

/// Whether a process is exiting: it has released its memory and has no command line any more.
pub fn is_leaving(pid: i32) -> bool {
    words(pid).is_empty()
}

/// Whether a process is a fork of another one and has not called exec since.
fn is_copy(pid: i32, of: i32) -> bool {
    let said = words(pid);
    !said.is_empty() && said == words(of) && program(pid) == program(of)
}

/// Whether a command line only runs this command: it ends with the command, or the command is the
/// whole `-c` argument of a shell.
fn runs_only(line: &[Vec<u8>], command: &[Vec<u8>]) -> bool {
    let [.., option, last] = line else {
        return false;
    };
    let in_shell = option.starts_with(b"-") && option.ends_with(b"c");
    let is_runner = line.len() > command.len() && line.ends_with(command);
    !command.is_empty() && (is_runner || (in_shell && last.trim_ascii() == command.join(&b' ')))
}

/// The words of a command line; empty if there is no such process.
fn words(pid: i32) -> Vec<Vec<u8>> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let Some(line) = line.strip_suffix(b"\0") else {
        return Vec::new();
    };
    line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

fn program(pid: i32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_started_this_test() {
        let caller = caller().unwrap();
        assert!(caller.is_alive() && ancestors().contains(&caller));
        assert!(!is_leaving(caller.pid) && is_leaving(i32::MAX));
    }

    #[test]
    fn who_only_runs_a_command_has_it_at_the_end_of_its_own() {
        let words = |line: &str| {
            line.split('|')
                .map(|word| word.as_bytes().to_vec())
                .collect::<Vec<_>>()
        };
        let command = words("materia|receive|--json");
        for line in [
            "timeout|3|materia|receive|--json",
            "sh|-c|materia receive --json",
            "bash|-ec| materia receive --json ",
        ] {
            assert!(runs_only(&words(line), &command), "{line}");
        }
        for line in [
            "materia|receive|--json",
            "sh|worker.sh",
            "sh|-c|materia receive --json; work",
            "timeout|3|sh|worker.sh",
            "",
        ] {
            assert!(!runs_only(&words(line), &command), "{line}");
        }
        assert!(!runs_only(&words("sh|-c|"), &[]));
    }
}
