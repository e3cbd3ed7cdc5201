//! The integration tests, in one binary. They run the real programs, as users do.
//!
//! `test_env` is the harness and `tools` finds what `./test` installs. The other modules test one
//! command or one layer each; `tidy` checks the source of the repository itself.
#![allow(
    unreachable_pub,
    missing_docs,
    reason = "nothing outside uses a test binary"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests play the role of the user and the system"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[macro_use]
mod test_env;
mod tools;

mod actor;
mod budget;
mod agent;
mod cast;
mod casts;
mod cli;
mod console;
mod crash;
mod demo;
mod doctor;
mod examples;
mod export;
mod import;
mod explain;
mod fork;
mod formats;
mod grid;
mod library;
mod link;
mod inspect;
mod loadout;
mod mcp;
mod pictures;
mod plan;
mod process;
mod quest;
mod message;
mod receive;
mod recipe;
mod reference;
mod run;
mod secret;
mod spawn;
mod seed;
mod skill;
mod split;
mod tidy;
mod ui;
mod trust;
mod tool;
mod top;
mod transcript;
mod completions;
mod init;
mod utility;
mod validate;
mod vectors;
mod wait;
mod watch;
