//! `jsonl-tail`: the last records of a file with one JSON document per line.
//!
//! Owns the handling of invalid lines: they are skipped and counted, since the last line of a
//! growing file may be incomplete.

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use serde_json::Value;

use crate::files;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let path = options.path("file", context).unwrap_or_default();
    let whole = files::text(&path)?;
    let (lines, broken) = last(&whole, options.number("lines", 40)?);
    let text = lines.iter().map(|line| format!("{line}\n")).collect();
    let notes =
        (broken > 0).then(|| format!("{broken} of the last lines are no JSON and were left out"));
    Ok(UtilityReport {
        output: UtilityOutput::Text(text),
        notes: notes.into_iter().collect(),
    })
}

/// The last `lines` valid JSON lines, and the number of invalid lines among them.
pub(crate) fn last(text: &str, lines: u64) -> (Vec<&str>, usize) {
    let mut broken = 0;
    let most = usize::try_from(lines).unwrap_or(usize::MAX);
    let good = text
        .lines()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .filter(|line| {
            let whole = serde_json::from_str::<Value>(line).is_ok();
            broken += usize::from(!whole);
            whole
        });
    let mut found: Vec<&str> = good.take(most).collect();
    found.reverse();
    (found, broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_left_out_and_counted() {
        assert_eq!(last("1\n{}\n\n{\"a\": tru", 2), (vec!["1", "{}"], 1));
        assert_eq!(last("1\n2\n3\n", 2), (vec!["2", "3"], 0));
        assert_eq!(last("", 2), (vec![], 0));
    }
}
