//! The one integration test binary: everything is tested as it is used, through the real programs.
//!
//! `env` is the harness, `tools` has what `./test` installs; then one module per verb or floor, and the tests of the env itself.
#![allow(
    unreachable_pub,
    missing_docs,
    reason = "a test binary has no readers outside"
)]
#![allow(clippy::disallowed_methods, reason = "a test plays the outside world")]
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
