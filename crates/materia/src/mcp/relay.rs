//! Carries one turn to the host of its session: lines from stdin to the host, and its lines to
//! stdout.
//!
//! Owns the two messages that a driver gets from this process instead of from the host: that there
//! is no host, and that the host disconnected. Ends with the turn, the driver or the host,
//! whichever ends first.

use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::turns;
use crate::view::Screen;
use crate::world::World;
use materia_engine::api::ErrorKind;

/// Carries one turn. Returns the exit code.
pub fn turn(world: &World, screen: Screen) -> u8 {
    match world.engine().connect_host() {
        Ok(host) => carry(host, screen),
        Err(failure) => {
            let hint = failure.hint.as_deref();
            screen
                .document(&json!({"type": "unavailable", "error": failure.message, "hint": hint}));
            failure.kind.exit_code()
        }
    }
}

fn carry(host: UnixStream, screen: Screen) -> u8 {
    let Ok(mut to) = host.try_clone() else {
        return ErrorKind::Internal.exit_code();
    };
    // The thread sleeps until the driver writes, and ends with the process.
    std::thread::spawn(move || {
        let _ended = io::copy(&mut io::stdin().lock(), &mut to).and_then(|_| to.flush());
        let _gone = to.shutdown(Shutdown::Write);
    });
    let mut lines = BufReader::new(host);
    loop {
        let mut line = Vec::new();
        let read = turns::line(&mut lines, &mut line);
        let Ok(event) = serde_json::from_slice::<Value>(&line) else {
            if matches!(read, Ok(more) if more > 0) {
                continue;
            }
            screen
                .document(&json!({"type": "gone", "error": "the host went away during the turn"}));
            return ErrorKind::Failed.exit_code();
        };
        screen.document(&event);
        if event["type"] == "agent_settled" || event["type"] == "unavailable" {
            return 0;
        }
    }
}
