//! Starting a run: a supervisor of its own, told what to do, and heard.
//!
//! Owns the launcher's side. A run has started when its supervisor says so, which it does when that is durable; a
//! supervisor that ends without a word has started nothing.

use std::io::Read;

use super::error::Error;
use super::order::{Answer, Order};
use super::place::Root;
use super::supervisor::SUPERVISE;
use crate::process::{Command, Sink, spawn_answering};

/// The longest answer.
const LONGEST_ANSWER: u64 = 64 * 1024;

/// A run that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its supervisor.
    pub pid: i32,
    /// The generation.
    pub generation: String,
}

/// Starts a generation of a run, and returns when it runs.
pub fn start(order: &Order) -> Result<Started, Error> {
    let run = order.run.to_string();
    let place = Root::new(&order.root).place(&order.run);
    let generation = order.start.generation.clone();
    let told = serde_json::to_vec(order).map_err(|error| Error::NotStarted {
        run: run.clone(),
        message: error.to_string(),
        hint: "give it other values".to_owned(),
    })?;
    // The running program itself, also when its file was replaced meanwhile.
    let mut command = Command::new(["/proc/self/exe", SUPERVISE, &place.address()]);
    command.cwd = Some(order.start.cwd.clone().into());
    command.stderr = Sink::Null;
    let variables = [
        ("MATERIA_RUN", Some(run.clone())),
        ("MATERIA_STATE_DIR", Some(place.dir().to_string_lossy().into_owned())),
        ("MATERIA_ADDRESS", Some(place.address())),
        ("MATERIA_ROOM", Some(format!("room:{run}"))),
        ("MATERIA_SESSION", order.start.session.clone()),
    ];
    for (name, value) in variables {
        match value {
            Some(value) => command.env.set(name, value),
            None => command.env.remove(name),
        };
    }
    let answer = spawn_answering(command, &place.mark(&generation), &told)
        .map_err(|source| Error::Spawn { run: run.clone(), source })?;
    let mut heard = Vec::new();
    answer
        .take(LONGEST_ANSWER)
        .read_to_end(&mut heard)
        .map_err(Error::io("hear the supervisor of", place.dir()))?;
    match serde_json::from_slice(&heard) {
        Ok(Answer::Runs { pid }) => Ok(Started { pid, generation }),
        Ok(Answer::Refused(refusal)) => Err(refusal.into_error(run)),
        Err(_) => Err(Error::NoAnswer(run)),
    }
}
