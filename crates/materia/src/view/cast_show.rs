//! Rendering of one cast: its facts, its steps, and on request its events and files.

use std::fmt::Write as _;

use materia_engine::api::{CastEventRecord, CastShowReport, CastStep, StepOutcome};
use materia_model::text;

use super::amounts::{ago, columns, line, money, short, time};
use super::casts::painted;
use super::screen;
use super::style::Role;

impl screen::Report for CastShowReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        head(&mut out, self, colour);
        steps(&mut out, &self.steps, colour);
        if let Some(events) = &self.events {
            let rows: Vec<Vec<String>> = events.iter().map(event).collect();
            out.push_str("\nevents\n");
            table(&mut out, &rows);
        }
        if let Some(artifacts) = &self.artifacts {
            let rows: Vec<Vec<String>> = artifacts
                .iter()
                .map(|one| {
                    vec![
                        short(one.bytes as f64),
                        text::printable(&one.path).into_owned(),
                    ]
                })
                .collect();
            out.push_str("\nfiles, with their bytes\n");
            table(&mut out, &rows);
        }
        out
    }
}

fn table(out: &mut String, rows: &[Vec<String>]) {
    for row in columns(rows, &[0]) {
        let _ = writeln!(out, "  {row}");
    }
}

/// Appends a named fact on its own line.
pub(super) fn fact(out: &mut String, name: &str, said: &str, colour: bool) {
    let name = Role::Quiet.paint(&format!("{name:<10}"), colour);
    let _ = writeln!(out, "  {name}{said}");
}

fn head(out: &mut String, cast: &CastShowReport, colour: bool) {
    let status = painted(cast.status, colour);
    let _ = writeln!(
        out,
        "{}  {status}",
        Role::Strong.paint(&cast.cast_id, colour)
    );
    fact(out, "request", &line(&cast.request, 300), colour);
    fact(out, "loadout", &line(&cast.loadout, 60), colour);
    let took = cast.started_at.zip(cast.updated_at);
    let took = took.and_then(|(from, to)| u64::try_from(to.as_millis() - from.as_millis()).ok());
    if let (Some(took), Some(age)) = (took, cast.age_ms) {
        fact(
            out,
            "time",
            &format!("{} from its beginning, updated {}", time(took), ago(age)),
            colour,
        );
    }
    let used = &cast.usage.total;
    let (tokens, cost) = (used.tokens.total as f64, used.cost.total);
    let turns = text::count(cast.usage.turns as usize, "turn");
    fact(
        out,
        "used",
        &format!("{} tokens, {}, {turns}", short(tokens), money(cost)),
        colour,
    );
    fact(out, "files", &text::printable(&cast.run_dir), colour);
    if let Some(error) = &cast.error {
        fact(
            out,
            "error",
            &Role::Bad.paint(&line(&error.message, 300), colour),
            colour,
        );
        if let Some(hint) = &error.hint {
            fact(out, "hint", &line(hint, 300), colour);
        }
    }
    out.push('\n');
}

fn steps(out: &mut String, steps: &[CastStep], colour: bool) {
    let title = [
        "step", "visit", "materia", "item", "outcome", "took", "tokens",
    ];
    let mut rows = vec![title.map(str::to_owned).to_vec()];
    rows.extend(steps.iter().map(step));
    for (number, row) in columns(&rows, &[0, 5, 6]).iter().enumerate() {
        let row = if number == 0 {
            Role::Quiet.paint(row, colour)
        } else {
            row.clone()
        };
        let _ = writeln!(out, "  {row}");
    }
}

fn step(step: &CastStep) -> Vec<String> {
    let place = &step.place;
    let item = place.item_label.as_ref().or(place.item_key.as_ref());
    let mut outcome = match (step.outcome, step.satisfied) {
        (StepOutcome::Done, Some(false)) => "sent back".to_owned(),
        (outcome, _) => outcome.as_str().to_owned(),
    };
    if step.attempts > 1 {
        let _ = write!(outcome, " ×{}", step.attempts);
    }
    vec![
        step.step.to_string(),
        format!("{}:{}", line(&place.socket, 16), place.visit),
        line(&place.materia, 16),
        item.map(|item| line(item, 14)).unwrap_or_default(),
        outcome,
        step.duration_ms.map(time).unwrap_or_default(),
        if step.usage.total > 0 {
            short(step.usage.total as f64)
        } else {
            String::new()
        },
    ]
}

fn event(record: &CastEventRecord) -> Vec<String> {
    let word = |name: &str| record.data.get(name).and_then(serde_json::Value::as_str);
    let visit = record
        .data
        .get("visit")
        .map(|visit| format!(":{visit}"))
        .unwrap_or_default();
    let place = match (word("socket"), word("from"), word("to")) {
        (Some(socket), ..) => format!("{}{visit}", line(socket, 20)),
        (None, from, to) if from.is_some() || to.is_some() => {
            format!(
                "{} → {}",
                line(from.unwrap_or("begin"), 20),
                line(to.unwrap_or("end"), 20)
            )
        }
        _ => String::new(),
    };
    vec![
        record.seq.to_string(),
        record.at.to_string(),
        record.kind.clone(),
        place,
    ]
}
