//! The edge of the process: the only reader of argv, environment and cwd, and the only place that
//! exits.
#![allow(
    clippy::disallowed_methods,
    reason = "this file owns argv, environment, cwd and the exit code"
)]

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;
use std::sync::OnceLock;

use materia::{Terminals, World};

fn main() -> ExitCode {
    let terminals = Terminals {
        stdin: stdin().is_terminal(),
        stdout: stdout().is_terminal(),
        stderr: stderr().is_terminal(),
    };
    let world = World {
        args: std::env::args_os().collect(),
        variables: std::env::vars_os().collect(),
        cwd: std::env::current_dir(),
        terminals,
        engine: OnceLock::new(),
    };
    ExitCode::from(materia::run(world))
}
