//! Small programs for tests, in one binary: `materia-fake ROLE …`.
//!
//! Each role imitates one behaviour of real commands, agents or processes that try to survive their
//! parent. Only the arguments control a role, and it writes only what a test reads. Never shipped.
#![allow(
    clippy::disallowed_methods,
    reason = "a fake does what real programs do"
)]
#![allow(
    clippy::zombie_processes,
    reason = "a fake leaves its children on purpose"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a fake prints for its test"
)]
#![allow(
    clippy::exit,
    clippy::panic,
    clippy::expect_used,
    reason = "a fake with wrong arguments fails by panicking"
)]

mod agent;
mod basic;
mod escape;
mod host;
mod mailbox;
mod storm;
mod utility;
mod writer;

fn main() {
    let mut args = std::env::args().skip(1);
    let role = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    match role.as_str() {
        "sleeper" => basic::sleeper(&args),
        "noisy" => basic::noisy(&args),
        "stubborn" => basic::stubborn(),
        "forks" => basic::forks(&args),
        "dies-mid-line" => basic::dies_mid_line(&args),
        "utility" => utility::run(&args),
        "agent" => agent::run(&args),
        "escape" => escape::parent(&args),
        escape::CHILD => escape::child(&args),
        "detach" => escape::detach(&args),
        "host" => host::run(),
        "writer" => writer::run(&args),
        "sender" => mailbox::send(&args),
        "receiver" => mailbox::receive(&args),
        "storm" => storm::run(&args),
        storm::CHILD => storm::child(),
        other => panic!("`{other}` is not a role of the fake"),
    }
}

/// Arms the failpoint in `MATERIA_FAILPOINT`.
fn arm_failpoint() {
    if let Ok(spec) = std::env::var("MATERIA_FAILPOINT") {
        materia_engine::failpoint::arm(&spec).expect("a failpoint");
    }
}

/// The value after an option.
fn option<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == name)?;
    args.get(at + 1).map(String::as_str)
}

/// Whether an option is present.
fn flag(args: &[String], name: &str) -> bool {
    args.iter().any(|arg| arg == name)
}

/// The number after an option.
fn number(args: &[String], name: &str) -> Option<u64> {
    option(args, name).map(|text| text.parse().expect("a number"))
}

/// A command that runs this binary in another role.
fn self_command(role: &str) -> std::process::Command {
    let mut command =
        std::process::Command::new(std::env::current_exe().expect("a path to itself"));
    command.arg(role);
    command
}

/// Sleeps until it is killed. Bounded, so that a broken test leaves no process for long.
fn linger() -> ! {
    std::thread::sleep(std::time::Duration::from_secs(120));
    std::process::exit(99)
}
