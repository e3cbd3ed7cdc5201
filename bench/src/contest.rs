//! One contest: contenders take turns, the first is the floor, and a table says who is how far
//! above it.

use std::time::Duration;

/// Somebody who does the same work as the others and says how long one operation took.
pub(crate) struct Contender<'a> {
    name: &'a str,
    turn: Box<dyn FnMut() -> Result<Duration, Box<dyn std::error::Error>> + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender from its name and its turn.
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

/// Lets everybody take turns and prints the table. `target` is the ratio we promise for ours, the
/// second row.
pub(crate) fn hold(
    title: &str,
    target: f64,
    rounds: usize,
    mut contenders: Vec<Contender<'_>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); contenders.len()];
    for contender in &mut contenders {
        (contender.turn)()?;
    }
    for _ in 0..rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            times.push((contender.turn)()?.as_secs_f64());
        }
    }
    println!("\n{title} ({rounds} rounds, ours should be at most {target} x the floor)");
    println!("{:<44} {:>12} {:>14}", "contender", "median", "x floor");
    let floor = times[0].clone();
    for (contender, times) in contenders.iter().zip(times) {
        let ratios = times.iter().zip(&floor).map(|(time, floor)| time / floor);
        let ratio = median(ratios.collect());
        println!(
            "{:<44} {:>12} {ratio:>14.2}",
            contender.name,
            readable(median(times))
        );
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn readable(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}
