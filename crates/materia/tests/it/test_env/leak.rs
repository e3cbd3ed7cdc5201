//! Finds the processes that a test left running, by a marker in their environment.

use std::fs;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process that is alive.
#[derive(Debug)]
pub struct LiveProcess {
    pub pid: i32,
    pub command: String,
}

/// The processes whose environment has the marker, except this one. Zombies have no environment
/// and are not found.
pub fn find_processes(marker: &str) -> Vec<LiveProcess> {
    let variable = format!("MATERIA_TEST_ENV={marker}");
    let pids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| *pid != std::process::id().cast_signed())
        .filter(|pid| has_variable(*pid, variable.as_bytes()))
        .map(|pid| LiveProcess {
            pid,
            command: command_line(pid),
        })
        .collect()
}

/// Waits at most five seconds for each supervisor: after the end of its run it still notifies other
/// processes, and then exits by itself.
pub fn wait_for_supervisors(processes: &[LiveProcess]) {
    let timeout = rustix::event::Timespec {
        tv_sec: 5,
        tv_nsec: 0,
    };
    for process in processes
        .iter()
        .filter(|process| process.command.contains(" __supervise "))
    {
        let pid = rustix::process::Pid::from_raw(process.pid).unwrap();
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let _may_time_out = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&timeout));
    }
}

/// Kills the processes and waits until they are gone.
pub fn kill_all(processes: &[LiveProcess]) {
    for process in processes {
        let pid = rustix::process::Pid::from_raw(process.pid).unwrap();
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let _already_gone = pidfd_send_signal(&handle, Signal::KILL);
        poll(&mut [PollFd::new(&handle, PollFlags::IN)], None).unwrap();
    }
}

fn has_variable(pid: i32, variable: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|entry| entry == variable)
}

fn command_line(pid: i32) -> String {
    let args = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&args).replace('\0', " ")
}
