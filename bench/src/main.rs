//! Measures materia against the floor of the machine and its peers, as ratios in one run.
//!
//! `cargo run --release -p materia-bench [CONTEST ...] [--rounds N]`
//!
//! Machines are noisy, so contenders take turns in short rounds, and a ratio is the median of the
//! ratios of the rounds.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench prints its table"
)]

mod contest;
mod floor;
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

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A contest, from the number of its rounds.
type Contest = fn(usize) -> Outcome;

/// All of them; `runs` chooses everything that begins with `runs-`.
const CONTESTS: [(&str, Contest); 15] = [
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
    ("runs-told", runs::told),
    ("runs-many", runs::many),
    ("runs-idle", runs::idle),
    ("runs-list", runs::list),
    ("page", page::run),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((runs::STAMP, rest)) = words
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        return if runs::stamp(rest).is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    match chosen(words.into_iter()) {
        Ok((names, rounds)) => run(&names, rounds),
        Err(wrong) => {
            eprintln!("error: {wrong}");
            eprintln!(
                "  hint: cargo run --release -p materia-bench [{}] [--rounds N]",
                CONTESTS.map(|(name, _)| name).join("] [")
            );
            ExitCode::from(2)
        }
    }
}

fn chosen(mut words: impl Iterator<Item = String>) -> Result<(Vec<String>, usize), String> {
    let (mut names, mut rounds) = (Vec::new(), 21);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => {
                let given = words.next().unwrap_or_default();
                rounds = given
                    .parse()
                    .map_err(|_| format!("`{given}` is no number of rounds"))?;
            }
            name if CONTESTS.iter().any(|(known, _)| is_meant(known, name)) => names.push(word),
            other => return Err(format!("there is no contest `{other}`")),
        }
    }
    Ok((names, rounds.max(1)))
}

/// Whether a word on the command line means this contest.
fn is_meant(contest: &str, word: &str) -> bool {
    contest
        .strip_prefix(word)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn run(names: &[String], rounds: usize) -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; its numbers mean nothing");
    }
    for (name, contest) in CONTESTS {
        if (names.is_empty() || names.iter().any(|chosen| is_meant(name, chosen)))
            && let Err(error) = contest(rounds)
        {
            eprintln!("error: {name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
