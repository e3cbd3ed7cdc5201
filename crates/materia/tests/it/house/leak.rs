//! Finding what a test left running, by the mark in its environment.

use std::fs;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process that is alive.
#[derive(Debug)]
pub struct Living {
    /// Its number.
    pub pid: i32,
    /// Its command line.
    pub command: String,
}

/// The living processes whose environment has the mark, this one aside. Zombies have no
/// environment.
pub fn living(mark: &str) -> Vec<Living> {
    let wanted = format!("MATERIA_HOUSE={mark}");
    let pids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| *pid != std::process::id().cast_signed())
        .filter(|pid| has_variable(*pid, wanted.as_bytes()))
        .map(|pid| Living {
            pid,
            command: command_line(pid),
        })
        .collect()
}

/// Waits a while for supervisors: one whose run is over tells others of it, and ends by itself.
pub fn settle(left: &[Living]) {
    let patience = rustix::event::Timespec {
        tv_sec: 5,
        tv_nsec: 0,
    };
    for process in left
        .iter()
        .filter(|process| process.command.contains(" __supervise "))
    {
        let pid = rustix::process::Pid::from_raw(process.pid).unwrap();
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let _still_there = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&patience));
    }
}

/// Kills them, and waits until they are gone.
pub fn end(left: &[Living]) {
    for process in left {
        let pid = rustix::process::Pid::from_raw(process.pid).unwrap();
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let _already_gone = pidfd_send_signal(&handle, Signal::KILL);
        poll(&mut [PollFd::new(&handle, PollFlags::IN)], None).unwrap();
    }
}

fn has_variable(pid: i32, wanted: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|variable| variable == wanted)
}

fn command_line(pid: i32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}
