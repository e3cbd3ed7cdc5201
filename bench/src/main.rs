//! Compares materia with a minimal C baseline and with similar programs, as ratios within one run.
//!
//! `cargo run --release -p materia-bench [BENCHMARK ...] [--rounds N]`
//!
//! Machines are noisy, so the candidates take turns in short rounds, and a ratio is the median of the
//! ratios of all rounds.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark prints its table"
)]

mod baseline;
mod comparison;
mod peers;
mod journal;
mod messages;
mod plan;
mod cast;
mod recipes;
mod runs;
mod spawn;
mod page;

use std::process::ExitCode;

/// Runs a benchmark with this number of rounds.
type Benchmark = fn(usize) -> Result<(), Box<dyn std::error::Error>>;

/// All benchmarks. A prefix selects several: `runs` selects all that start with `runs-`.
const BENCHMARKS: [(&str, Benchmark); 15] = [
    ("spawn", spawn::run),
    ("journal", journal::run),
    ("plan", plan::run),
    ("cast-smallest", cast::smallest),
    ("cast-resume", cast::resume),
    ("cast-growth", cast::growth),
    ("cast-steps", cast::steps),
    ("messages", messages::run),
    ("recipes", recipes::run),
    ("runs-spawn", runs::spawn),
    ("runs-wait", runs::wait),
    ("runs-many", runs::many),
    ("runs-idle", runs::idle),
    ("runs-list", runs::list),
    ("page", page::run),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some((runs::STAMP, rest)) = args
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        return if runs::stamp(rest).is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    match parse_args(args.into_iter()) {
        Ok((names, rounds)) => run(&names, rounds),
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!(
                "  hint: cargo run --release -p materia-bench [{}] [--rounds N]",
                BENCHMARKS.map(|(name, _)| name).join("] [")
            );
            ExitCode::from(2)
        }
    }
}

fn parse_args(mut args: impl Iterator<Item = String>) -> Result<(Vec<String>, usize), String> {
    let (mut names, mut rounds) = (Vec::new(), 21);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rounds" => {
                let value = args.next().unwrap_or_default();
                rounds = value
                    .parse()
                    .map_err(|_| format!("`{value}` is not a number of rounds"))?;
            }
            name if BENCHMARKS.iter().any(|(known, _)| is_selected(known, name)) => names.push(arg),
            other => return Err(format!("there is no benchmark `{other}`")),
        }
    }
    Ok((names, rounds.max(1)))
}

/// Whether an argument selects this benchmark.
fn is_selected(benchmark: &str, arg: &str) -> bool {
    benchmark
        .strip_prefix(arg)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn run(names: &[String], rounds: usize) -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its numbers are meaningless");
    }
    for (name, benchmark) in BENCHMARKS {
        if (names.is_empty() || names.iter().any(|arg| is_selected(name, arg)))
            && let Err(error) = benchmark(rounds)
        {
            eprintln!("error: {name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
