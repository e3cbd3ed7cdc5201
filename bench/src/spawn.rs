//! Starting, capturing and waiting for `true`, compared with a plain C loop over `posix_spawn`.

use std::path::Path;
use std::time::{Duration, Instant};

use materia_engine::process::{Command, ProcessSet};

use crate::baseline;
use crate::comparison::{Candidate, compare};

type BoxError = Box<dyn std::error::Error>;

const SPAWNS: u32 = 200;

/// Runs the benchmark.
pub(crate) fn run(rounds: usize) -> Result<(), BoxError> {
    let scratch = tempfile::tempdir()?;
    let program = baseline::compile("spawn.c", scratch.path())?;
    let mut plain = ProcessSet::new();
    let sequential = vec![
        Candidate::new("C posix_spawn loop (baseline)", || baseline_turn(&program)),
        Candidate::new("processes", || materia_turn(&mut plain)),
    ];
    compare(
        "start, capture and wait for `true`, one after the other",
        1.25,
        rounds,
        sequential,
    )?;
    drop(plain);
    let mut adopting = ProcessSet::adopting()?;
    let adopted = vec![
        Candidate::new("C posix_spawn loop (baseline)", || baseline_turn(&program)),
        Candidate::new("adopting processes", || materia_turn(&mut adopting)),
    ];
    compare(
        "the same in a process that adopts orphans",
        1.25,
        rounds,
        adopted,
    )
}

/// The baseline measures itself and prints nanoseconds per operation.
fn baseline_turn(program: &Path) -> Result<Duration, BoxError> {
    let output = std::process::Command::new(program)
        .arg(SPAWNS.to_string())
        .output()?;
    let printed = String::from_utf8(output.stdout)?;
    let first = printed
        .split_whitespace()
        .next()
        .ok_or("the baseline printed nothing")?;
    Ok(Duration::from_nanos(first.parse::<f64>()? as u64))
}

/// Measures materia in the same way: the median of single operations.
fn materia_turn(processes: &mut ProcessSet) -> Result<Duration, BoxError> {
    let mut times = Vec::with_capacity(SPAWNS as usize);
    for _ in 0..SPAWNS {
        let start = Instant::now();
        let ended = processes.run(Command::new(["/bin/true"]));
        times.push(start.elapsed());
        if !ended.success() {
            return Err(format!("true failed: {:?}", ended.cause).into());
        }
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
