//! Plain commands: they sleep, write much output, ignore signals, leave children or die in the
//! middle.
//!
//! A command for which tests must wait prints `ready` on stdout.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::Signal;

use crate::{flag, linger, number, self_command};

/// `sleeper SECONDS`: prints `ready` and sleeps.
pub(crate) fn sleeper(args: &[String]) {
    let seconds: f64 = args
        .first()
        .map_or(120.0, |text| text.parse().expect("seconds"));
    ready();
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

/// `noisy [--stdout N] [--stderr N] [--line-length L] [--invalid] [--code C]`: writes this many bytes, the
/// same ones each time.
pub(crate) fn noisy(args: &[String]) {
    let line = number(args, "--line-length").unwrap_or(80);
    let invalid = flag(args, "--invalid");
    write_noise(
        &mut std::io::stdout(),
        number(args, "--stdout").unwrap_or(0),
        line,
        invalid,
    );
    write_noise(
        &mut std::io::stderr(),
        number(args, "--stderr").unwrap_or(0),
        line,
        invalid,
    );
    std::process::exit(
        number(args, "--code")
            .unwrap_or(0)
            .try_into()
            .expect("an exit code"),
    );
}

fn write_noise(out: &mut dyn Write, total: u64, line: u64, invalid: bool) {
    let mut piece = Vec::new();
    for index in 0..total {
        piece.push(noise(index, line, invalid));
        if piece.len() == 64 * 1024 || index + 1 == total {
            if out.write_all(&piece).is_err() {
                return;
            }
            piece.clear();
        }
    }
    let _ = out.flush();
}

/// The byte at `index`. With `invalid`, every byte value occurs, so it is not UTF-8.
fn noise(index: u64, line: u64, invalid: bool) -> u8 {
    match index {
        _ if invalid => (index % 256) as u8,
        _ if index % line == line - 1 => b'\n',
        _ => b'a' + (index % 26) as u8,
    }
}

/// `stubborn`: ignores SIGTERM, SIGHUP and SIGINT.
pub(crate) fn stubborn() {
    ignore(&[Signal::TERM, Signal::HUP, Signal::INT]);
    ready();
    linger();
}

/// `forks N [--setsid] [--hold] [--exit CODE]`: leaves N children, which keep stdout open with
/// `--hold`, then exits or sleeps.
pub(crate) fn forks(args: &[String]) {
    let count: usize = args
        .first()
        .map_or(1, |text| text.parse().expect("a count"));
    for _ in 0..count {
        let mut child = self_command(crate::escape::CHILD);
        child.arg("-").stdin(Stdio::null()).stderr(Stdio::null());
        if !flag(args, "--hold") {
            child.stdout(Stdio::null());
        }
        if flag(args, "--setsid") {
            child.arg("setsid");
        } else {
            child.process_group(0);
        }
        child.spawn().expect("a child");
    }
    ready();
    if let Some(code) = number(args, "--exit") {
        std::process::exit(code.try_into().expect("an exit code"));
    }
    linger();
}

/// `dies-mid-line [--code C]`: writes half a line, then exits or kills itself with SIGKILL.
pub(crate) fn dies_mid_line(args: &[String]) {
    print!("whole line\nhalf a li");
    std::io::stdout().flush().expect("stdout");
    if let Some(code) = number(args, "--code") {
        std::process::exit(code.try_into().expect("an exit code"));
    }
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
}

/// Ignores signals in this process.
pub(crate) fn ignore(signals: &[Signal]) {
    for signal in signals {
        signal_hook::flag::register(signal.as_raw(), Arc::new(AtomicBool::new(false)))
            .expect("a handler");
    }
}

/// Prints `ready`. A closed stdout is ignored, because the role must go on without a reader.
pub(crate) fn ready() {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(b"ready\n").and_then(|()| stdout.flush());
}
