//! Escape artists: programs that do what makes children survive their parents.
//!
//! `escape KIND PIDFILE` is the leader: it sets its escapees up, waits until each has written who
//! it is to the file, says `ready` and lingers, or exits for the `-and-exits` kinds. Rust cannot
//! fork without `unsafe`, so a fork is another process of this binary, and a double fork one that
//! starts the next and exits.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use materia_engine::process::Identity;
use rustix::process::{Pid, Signal, WaitOptions};

use crate::basic::{ignore, ready};
use crate::{again, linger};

/// The role of an escapee: `__child PIDFILE HABIT…`.
pub(crate) const CHILD: &str = "__child";

/// `escape KIND PIDFILE`.
pub(crate) fn lead(args: &[String]) {
    let [kind, pids] = args else {
        panic!("escape KIND PIDFILE")
    };
    record(pids);
    let habits: &[&str] = match kind.as_str() {
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
        other => panic!("`{other}` is no kind of escape"),
    };
    if kind == "ignores-term" {
        ignore(&[Signal::TERM]);
    }
    let mut child = start(pids, habits);
    match kind.as_str() {
        "double-fork" | "cleared-environment" | "cleared-environment-ignores-term" => {
            child.wait().expect("the one between to exit");
        }
        "stopped" => {
            let pid = Pid::from_child(&child);
            let stopped =
                rustix::process::waitpid(Some(pid), WaitOptions::UNTRACED).expect("a stop");
            assert!(stopped.is_some_and(|(_, status)| status.stopped()));
        }
        _ => {}
    }
    ready();
    if !kind.ends_with("-and-exits") {
        linger();
    }
}

/// Starts an escapee and waits until it has written itself down, which it does when it is set up.
fn start(pids: &str, habits: &[&str]) -> Child {
    let mut child = again(CHILD);
    child.arg(pids).args(habits).stdin(Stdio::null());
    if !habits.contains(&"hold") {
        child.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let seen = lines(pids);
    let child = child.spawn().expect("an escapee");
    while lines(pids) == seen {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child
}

/// `__child PIDFILE HABIT…`; the file `-` is none.
pub(crate) fn child(args: &[String]) {
    let (pids, habits) = args.split_first().expect("__child PIDFILE HABIT…");
    let has = |habit: &str| habits.iter().any(|given| given == habit);
    if has("fork") {
        let mut next = again(CHILD);
        next.arg(pids).args(
            habits
                .iter()
                .filter(|habit| *habit != "fork" && *habit != "clear"),
        );
        if has("clear") {
            next.env_clear();
        }
        next.spawn().expect("the next");
        return;
    }
    if has("setsid") {
        rustix::process::setsid().expect("a session of its own");
    }
    if has("pgid") {
        rustix::process::setpgid(None, None).expect("a group of its own");
    }
    if has("ignore") {
        ignore(&[Signal::TERM, Signal::HUP, Signal::INT]);
    }
    if has("ignore-hup") {
        ignore(&[Signal::HUP]);
    }
    if has("bomb") {
        bomb(pids, habits);
    }
    if has("comet") {
        return comet(pids, habits);
    }
    if has("parent") {
        again(CHILD).arg(pids).env_clear().spawn().expect("a child");
    }
    record(pids);
    if has("stop") {
        let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
    }
    linger();
}

/// Two more of its kind, and so on, down to a depth; each ignores SIGTERM.
fn bomb(pids: &str, habits: &[String]) {
    ignore(&[Signal::TERM]);
    record(pids);
    let depth: u32 = habits
        .last()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    for _ in 0..if depth > 0 { 2 } else { 0 } {
        let _ = again(CHILD)
            .arg(pids)
            .arg("bomb")
            .arg((depth - 1).to_string())
            .spawn();
    }
    linger();
}

/// Never the same pid for long: starts its successor and exits, so many times.
fn comet(pids: &str, habits: &[String]) {
    record(pids);
    let left: u32 = habits
        .last()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    if left > 0 {
        again(CHILD)
            .arg(pids)
            .arg("comet")
            .arg((left - 1).to_string())
            .spawn()
            .expect("a successor");
    }
}

/// A child with no open descriptors at all.
fn closes_stdio(pids: &str) {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "exec sleep 120 0<&- 1>&- 2>&-"])
        .process_group(0);
    let child = shell.spawn().expect("a shell");
    write_down(pids, Identity::of(child.id().cast_signed()));
    ready();
    linger();
}

fn record(pids: &str) {
    write_down(pids, Identity::of_self());
}

fn write_down(pids: &str, identity: Option<Identity>) {
    if pids == "-" {
        return;
    }
    let line = serde_json::to_string(&identity.expect("an identity")).expect("JSON");
    let mut file = std::fs::File::options()
        .append(true)
        .create(true)
        .open(pids)
        .expect("the pid file");
    file.write_all(format!("{line}\n").as_bytes())
        .expect("the pid file");
}

fn lines(pids: &str) -> usize {
    std::fs::read(pids)
        .unwrap_or_default()
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// `detach NAME PIDFILE`: starts a detached process with a child of its own, and exits when both
/// are set up.
pub(crate) fn detach(args: &[String]) {
    let [name, pids] = args else {
        panic!("detach NAME PIDFILE")
    };
    let exe = std::env::current_exe().expect("a path to itself");
    let argv = [
        exe.as_os_str(),
        CHILD.as_ref(),
        pids.as_ref(),
        "setsid".as_ref(),
        "parent".as_ref(),
    ];
    materia_engine::process::spawn_detached(materia_engine::process::Command::new(argv), name)
        .expect("a detached process");
    while lines(pids) < 2 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
