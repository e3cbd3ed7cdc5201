//! Small kernel files: the id of this boot, and the start time of processes.
//!
//! Owns reading such a file in one call, and caches what never changes during the life of a
//! process. Never writes.

use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;

/// The read size. All files read here are shorter, and the kernel returns them in one read.
const LONGEST: usize = 4096;

/// Reads a small kernel file.
pub(crate) fn read(path: &str) -> io::Result<String> {
    let mut buffer = [0; LONGEST];
    let mut file = File::open(path)?;
    let length = loop {
        match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
}

/// The id of this boot; `None` if the kernel does not provide it.
pub(crate) fn boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let named = || {
        let name = read("/proc/sys/kernel/random/boot_id").ok()?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty() && !name.contains(' '))
    };
    BOOT.get_or_init(named).as_deref()
}

/// When this process started, in clock ticks since boot.
pub(crate) fn own_start() -> Option<u64> {
    static START: OnceLock<Option<u64>> = OnceLock::new();
    *START.get_or_init(|| start_in("/proc/self/stat"))
}

/// When a process started, in clock ticks since boot; `None` if there is no such process or it is a
/// zombie.
pub(crate) fn start_of(pid: u32) -> Option<u64> {
    start_in(&format!("/proc/{pid}/stat"))
}

fn start_in(path: &str) -> Option<u64> {
    let stat = read(path).ok()?;
    // The command name in field 2 may contain anything, so count the fields after its closing
    // parenthesis.
    let fields = stat.rsplit_once(") ")?.1;
    if fields.starts_with(['Z', 'X', 'x']) {
        return None;
    }
    fields.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read_whole() {
        assert!(boot().is_some());
        assert!(own_start().is_some());
        assert_eq!(start_of(std::process::id()), own_start());
        assert_eq!(start_of(0), None);
        let path = "/proc/version";
        assert_eq!(read(path).unwrap(), std::fs::read_to_string(path).unwrap());
        assert!(read("/nowhere").is_err());
    }
}
