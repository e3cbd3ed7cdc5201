//! Starting, capturing and waiting for `true`, against a plain C loop over `posix_spawn`.

use std::path::Path;
use std::time::{Duration, Instant};

use materia_engine::process::{Command, Nursery};

use crate::contest::{Contender, hold};
use crate::floor;

type Failure = Box<dyn std::error::Error>;

const SPAWNS: u32 = 200;

/// Holds the contest.
pub(crate) fn run(rounds: usize) -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let floor = floor::compile("spawn.c", scratch.path())?;
    let mut plain = Nursery::new();
    let sequential = vec![
        Contender::new("C posix_spawn loop (floor)", || floor_turn(&floor)),
        Contender::new("nursery", || ours(&mut plain)),
    ];
    hold(
        "start, capture and wait for `true`, one after the other",
        1.25,
        rounds,
        sequential,
    )?;
    drop(plain);
    let mut adopting = Nursery::adopting()?;
    let adopted = vec![
        Contender::new("C posix_spawn loop (floor)", || floor_turn(&floor)),
        Contender::new("adopting nursery", || ours(&mut adopting)),
    ];
    hold(
        "the same in a process that adopts orphans",
        1.25,
        rounds,
        adopted,
    )
}

/// The floor measures itself and prints nanoseconds per operation.
fn floor_turn(program: &Path) -> Result<Duration, Failure> {
    let output = std::process::Command::new(program)
        .arg(SPAWNS.to_string())
        .output()?;
    let printed = String::from_utf8(output.stdout)?;
    let first = printed
        .split_whitespace()
        .next()
        .ok_or("the floor printed nothing")?;
    Ok(Duration::from_nanos(first.parse::<f64>()? as u64))
}

/// Ours, measured the same way: the median of single operations.
fn ours(nursery: &mut Nursery) -> Result<Duration, Failure> {
    let mut times = Vec::with_capacity(SPAWNS as usize);
    for _ in 0..SPAWNS {
        let began = Instant::now();
        let ended = nursery.run(Command::new(["/bin/true"]));
        times.push(began.elapsed());
        if !ended.success() {
            return Err(format!("true failed: {:?}", ended.cause).into());
        }
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
