//! Processes that survive their parent in different ways.
//!
//! `escape KIND PIDFILE` is the parent: it starts its children, waits until each has written its
//! identity to the file, prints `ready` and sleeps, or exits for the `-and-exits` kinds. Rust cannot
//! fork without `unsafe`, so a fork starts this binary again, and a double fork is a child that
//! starts the next process and exits.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use materia_engine::process::ProcessIdentity;
use rustix::process::{Pid, Signal, WaitOptions};

use crate::basic::{ignore, ready};
use crate::{linger, self_command};

/// The role of an escaping child: `__child PIDFILE TRAIT…`.
pub(crate) const CHILD: &str = "__child";

/// `escape KIND PIDFILE`.
pub(crate) fn parent(args: &[String]) {
    let [kind, pids] = args else {
        panic!("escape KIND PIDFILE")
    };
    record(pids);
    let traits: &[&str] = match kind.as_str() {
        "setsid" => &["setsid"],
        "double-fork" => &["fork", "setsid"],
        "own-pgid" => &["pgid"],
        "ignores-term" => &["ignore"],
        "nohup" => &["setsid", "ignore-hup"],
        "holds-stdout" | "holds-stdout-and-exits" => &["hold", "setsid"],
        "bomb" => &["bomb", "5"],
        "cleared-environment" => &["fork", "clear", "setsid"],
        "cleared-environment-ignores-term" => &["fork", "clear", "setsid", "ignore"],
        "stopped" => &["stop"],
        "comet" => &["setsid", "comet", "400"],
        "closes-stdio" => return closes_stdio(pids),
        other => panic!("`{other}` is not a kind of escape"),
    };
    if kind == "ignores-term" {
        ignore(&[Signal::TERM]);
    }
    let mut child = start(pids, traits);
    match kind.as_str() {
        "double-fork" | "cleared-environment" | "cleared-environment-ignores-term" => {
            child.wait().expect("the intermediate process did not exit");
        }
        "stopped" => {
            let pid = Pid::from_child(&child);
            let stopped = rustix::process::waitpid(Some(pid), WaitOptions::UNTRACED)
                .expect("the child did not stop");
            assert!(stopped.is_some_and(|(_, status)| status.stopped()));
        }
        _ => {}
    }
    ready();
    if !kind.ends_with("-and-exits") {
        linger();
    }
}

/// Starts a child and waits until it has recorded its identity, which it does last.
fn start(pids: &str, traits: &[&str]) -> Child {
    let mut child = self_command(CHILD);
    child.arg(pids).args(traits).stdin(Stdio::null());
    if !traits.contains(&"hold") {
        child.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let before = count_lines(pids);
    let child = child.spawn().expect("cannot start a child");
    while count_lines(pids) == before {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child
}

/// `__child PIDFILE TRAIT…`. `-` means no file.
pub(crate) fn child(args: &[String]) {
    let (pids, traits) = args.split_first().expect("__child PIDFILE TRAIT…");
    let has = |name: &str| traits.iter().any(|present| present == name);
    if has("fork") {
        let mut next = self_command(CHILD);
        next.arg(pids).args(
            traits
                .iter()
                .filter(|name| *name != "fork" && *name != "clear"),
        );
        if has("clear") {
            next.env_clear();
        }
        next.spawn().expect("cannot start the next process");
        return;
    }
    if has("setsid") {
        rustix::process::setsid().expect("cannot create a session");
    }
    if has("pgid") {
        rustix::process::setpgid(None, None).expect("cannot create a process group");
    }
    if has("ignore") {
        ignore(&[Signal::TERM, Signal::HUP, Signal::INT]);
    }
    if has("ignore-hup") {
        ignore(&[Signal::HUP]);
    }
    if has("bomb") {
        fork_bomb(pids, traits);
    }
    if has("comet") {
        return comet(pids, traits);
    }
    if has("parent") {
        self_command(CHILD)
            .arg(pids)
            .env_clear()
            .spawn()
            .expect("a child");
    }
    record(pids);
    if has("stop") {
        let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
    }
    linger();
}

/// Starts two more of its kind, recursively down to a depth. Each ignores SIGTERM.
fn fork_bomb(pids: &str, traits: &[String]) {
    ignore(&[Signal::TERM]);
    record(pids);
    let depth: u32 = traits
        .last()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    for _ in 0..if depth > 0 { 2 } else { 0 } {
        let _ = self_command(CHILD)
            .arg(pids)
            .arg("bomb")
            .arg((depth - 1).to_string())
            .spawn();
    }
    linger();
}

/// Changes its pid all the time: starts its successor and exits, this many times.
fn comet(pids: &str, traits: &[String]) {
    record(pids);
    let left: u32 = traits
        .last()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    if left > 0 {
        self_command(CHILD)
            .arg(pids)
            .arg("comet")
            .arg((left - 1).to_string())
            .spawn()
            .expect("cannot start the successor");
    }
}

/// Starts a child without any open descriptor.
fn closes_stdio(pids: &str) {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "exec sleep 120 0<&- 1>&- 2>&-"])
        .process_group(0);
    let child = shell.spawn().expect("cannot start a shell");
    record_identity(pids, ProcessIdentity::of(child.id().cast_signed()));
    ready();
    linger();
}

fn record(pids: &str) {
    record_identity(pids, ProcessIdentity::of_self());
}

fn record_identity(pids: &str, identity: Option<ProcessIdentity>) {
    if pids == "-" {
        return;
    }
    let line = serde_json::to_string(&identity.expect("no identity")).expect("JSON");
    let mut file = std::fs::File::options()
        .append(true)
        .create(true)
        .open(pids)
        .expect("the pid file");
    file.write_all(format!("{line}\n").as_bytes())
        .expect("the pid file");
}

fn count_lines(pids: &str) -> usize {
    std::fs::read(pids)
        .unwrap_or_default()
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// `detach NAME PIDFILE`: starts a detached process with a child, and exits when both have recorded
/// their identity.
pub(crate) fn detach(args: &[String]) {
    let [name, pids] = args else {
        panic!("detach NAME PIDFILE")
    };
    let exe = std::env::current_exe().expect("cannot find this binary");
    let argv = [
        exe.as_os_str(),
        CHILD.as_ref(),
        pids.as_ref(),
        "setsid".as_ref(),
        "parent".as_ref(),
    ];
    materia_engine::process::spawn_detached(materia_engine::process::Command::new(argv), name)
        .expect("cannot detach a process");
    while count_lines(pids) < 2 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
