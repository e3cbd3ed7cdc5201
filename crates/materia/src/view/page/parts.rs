//! The sections of the page below its head: steps on a time line, rework, cost and artifacts.

use std::fmt::Write as _;

use materia_engine::api::{CastExport, CastStep, StepOutcome, UsageSum};
use materia_model::text;

use super::super::amounts::{money, short, time};

/// The page shows at most this many steps.
const MAX_STEPS: usize = 2000;

/// Escapes a text for use between tags or in an attribute. Keeps line breaks and makes other
/// control characters visible.
pub(super) fn escaped(said: &str) -> String {
    text::markup(&text::printable(said))
}

/// Writes the steps, each with its bar on the time line.
pub(super) fn steps(out: &mut String, export: &CastExport) {
    let steps = &export.cast.steps;
    out.push_str(
        "<h2>Time line</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th class=\"n\">step</th><th>socket</th><th>item</th>\
         <th>outcome</th><th>when</th><th class=\"n\">took</th><th class=\"n\">tokens</th><th class=\"n\">cost</th></tr>\n",
    );
    let begin = steps.first().map_or(0, |step| step.started_at.as_millis());
    let ends = steps
        .iter()
        .map(|step| step.started_at.as_millis() + step.duration_ms.unwrap_or(0).cast_signed());
    let whole = (ends.max().unwrap_or(begin) - begin).max(1) as f64;
    for step in steps.iter().take(MAX_STEPS) {
        row(out, step, begin, whole);
    }
    out.push_str("</table></div>\n");
    if steps.len() > MAX_STEPS {
        let _ = writeln!(
            out,
            "<p class=\"soft\">… and {} more steps.</p>",
            steps.len() - MAX_STEPS
        );
    }
}

fn row(out: &mut String, step: &CastStep, begin: i64, whole: f64) {
    let place = &step.place;
    let item = place.item_label.as_ref().or(place.item_key.as_ref());
    let (word, class) = match (step.outcome, step.satisfied) {
        (StepOutcome::Done, Some(false)) => ("sent back", "open"),
        (StepOutcome::Done, _) => ("done", "done"),
        (StepOutcome::Failed, _) => ("failed", "failed"),
        (other, _) => (other.as_str(), "open"),
    };
    let again = if step.attempts > 1 {
        format!(" ×{}", step.attempts)
    } else {
        String::new()
    };
    let from = (step.started_at.as_millis() - begin) as f64 / whole * 100.0;
    let wide = (step.duration_ms.unwrap_or(0) as f64 / whole * 100.0).min(100.0 - from);
    let _ = writeln!(
        out,
        "<tr><td class=\"n\">{}</td><td>{} <span class=\"soft\">{}:{}</span></td><td>{}</td><td class=\"{class}\">{word}{again}</td>\
         <td><div class=\"lane {class}\"><div class=\"bar\" style=\"left:{from:.2}%;width:{wide:.2}%\"></div></div></td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
        step.step,
        escaped(&place.materia),
        escaped(&place.socket),
        place.visit,
        item.map(|item| escaped(item)).unwrap_or_default(),
        step.duration_ms.map(time).unwrap_or_default(),
        if step.usage.total > 0 {
            short(step.usage.total as f64)
        } else {
            String::new()
        },
        if step.usage.cost > 0.0 {
            money(step.usage.cost)
        } else {
            String::new()
        },
    );
}

/// Writes what was sent back for rework, and why.
pub(super) fn rework(out: &mut String, export: &CastExport) {
    if export.rework.is_empty() {
        return;
    }
    out.push_str("<h2>Sent back</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th class=\"n\">step</th><th>by</th><th>item</th><th>because</th></tr>\n");
    for one in export.rework.iter().take(MAX_STEPS) {
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            one.step,
            escaped(&one.socket),
            escaped(one.item.as_deref().unwrap_or_default()),
            escaped(&one.reason)
        );
    }
    out.push_str("</table></div>\n");
}

/// Writes the usage by role and by model.
pub(super) fn cost(out: &mut String, export: &CastExport) {
    let usage = &export.cast.usage;
    let row = |title, name: &String, used: &UsageSum| {
        let (tokens, cost) = (used.tokens.total as f64, used.cost.total);
        (title, name.clone(), tokens, cost)
    };
    let by_role = usage.by_materia.iter();
    let by_role = by_role.map(|(name, used)| row("role", name, &used.total));
    let by_model = usage.by_model.iter();
    let by_model = by_model.map(|(name, used)| row("model", name, used));
    let rows: Vec<_> = by_role.chain(by_model).collect();
    if rows.iter().all(|row| row.2 == 0.0 && row.3 == 0.0) {
        return;
    }
    out.push_str("<h2>Cost</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th>by</th><th></th><th class=\"n\">tokens</th><th class=\"n\">cost</th></tr>\n");
    for (title, name, tokens, cost) in rows {
        let _ = writeln!(
            out,
            "<tr><td class=\"soft\">{title}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escaped(&name),
            short(tokens),
            money(cost)
        );
    }
    out.push_str("</table></div>\n");
}

/// Writes the texts of the artifacts, each in an element that the reader can open.
pub(super) fn texts(out: &mut String, export: &CastExport) {
    if export.texts.is_empty() {
        return;
    }
    out.push_str("<h2>Artifacts</h2>\n");
    for one in &export.texts {
        let cut = if one.truncated { ", cut" } else { "" };
        let _ = writeln!(
            out,
            "<details><summary>{} <span class=\"soft\">{} bytes{cut}</span></summary><pre>{}</pre></details>",
            escaped(&one.path),
            short(one.bytes as f64),
            escaped(&one.text)
        );
    }
    let files = export.cast.artifacts.as_ref().map_or(0, Vec::len);
    let _ = writeln!(
        out,
        "<p class=\"soft\">{} of {} in the cast's directory are shown.</p>",
        export.texts.len(),
        text::count(files, "file")
    );
}
