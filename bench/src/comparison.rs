//! A comparison: the candidates take turns, the first one is the baseline, and a table shows the ratio
//! of each one to it.

use std::time::Duration;

/// A program that does the same work as the others and measures the time of one operation.
pub(crate) struct Candidate<'a> {
    name: &'a str,
    turn: Box<dyn FnMut() -> Result<Duration, Box<dyn std::error::Error>> + 'a>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(
        name: &'a str,
        turn: impl FnMut() -> Result<Duration, Box<dyn std::error::Error>> + 'a,
    ) -> Self {
        Self {
            name,
            turn: Box::new(turn),
        }
    }
}

/// Measures the candidates in turns and prints the table. `target` is the highest acceptable ratio of
/// the second row, which is materia.
pub(crate) fn compare(
    title: &str,
    target: f64,
    rounds: usize,
    mut candidates: Vec<Candidate<'_>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); candidates.len()];
    for candidate in &mut candidates {
        (candidate.turn)()?;
    }
    for _ in 0..rounds {
        for (candidate, times) in candidates.iter_mut().zip(&mut times) {
            times.push((candidate.turn)()?.as_secs_f64());
        }
    }
    println!("\n{title} ({rounds} rounds, materia should be at most {target} x the baseline)");
    println!("{:<44} {:>12} {:>14}", "candidate", "median", "x baseline");
    let baseline = times[0].clone();
    for (candidate, times) in candidates.iter().zip(times) {
        let ratios = times
            .iter()
            .zip(&baseline)
            .map(|(time, baseline)| time / baseline);
        let ratio = median(ratios.collect());
        println!(
            "{:<44} {:>12} {ratio:>14.2}",
            candidate.name,
            format_time(median(times))
        );
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn format_time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}
