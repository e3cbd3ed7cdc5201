//! Little real programs for tests, in one binary: `materia-fake ROLE …`.
//!
//! Each role does one thing a command, an agent or an escape artist does in the wild. They are
//! scripted by their arguments only, and print or write down nothing a test does not read. Never
//! part of what is shipped.
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
    reason = "a fake that is misused should fall over"
)]

mod agent;
mod basic;
mod escape;
mod host;
mod keeper;
mod post;
mod storm;
mod utility;

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
        "escape" => escape::lead(&args),
        escape::CHILD => escape::child(&args),
        "detach" => escape::detach(&args),
        "host" => host::run(),
        "keeper" => keeper::run(&args),
        "poster" => post::poster(&args),
        "taker" => post::taker(&args),
        "storm" => storm::run(&args),
        storm::CHILD => storm::child(),
        other => panic!("`{other}` is no role of the fake"),
    }
}

/// Makes the machine fail where `MATERIA_FAILPOINT` says.
fn arm() {
    if let Ok(spec) = std::env::var("MATERIA_FAILPOINT") {
        materia_engine::failpoint::arm(&spec).expect("a failpoint");
    }
}

/// The value after `--name`, if it is there.
fn option<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == name)?;
    args.get(at + 1).map(String::as_str)
}

/// Whether `--name` is there.
fn flag(args: &[String], name: &str) -> bool {
    args.iter().any(|arg| arg == name)
}

/// A number after `--name`.
fn number(args: &[String], name: &str) -> Option<u64> {
    option(args, name).map(|text| text.parse().expect("a number"))
}

/// Another process of this binary.
fn again(role: &str) -> std::process::Command {
    let mut command =
        std::process::Command::new(std::env::current_exe().expect("a path to itself"));
    command.arg(role);
    command
}

/// Sleeps until somebody ends it. Bounded, so that a broken test leaves nothing for long.
fn linger() -> ! {
    std::thread::sleep(std::time::Duration::from_secs(120));
    std::process::exit(99)
}
