//! Rendering of lists of casts.

use std::fmt::Write as _;

use materia_engine::api::{CastListItem, CastListReport, ObservedStatus};
use materia_model::text;

use super::amounts::{ago, line, money, short};
use super::screen;
use super::style::Role;

impl screen::Report for CastListReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        let width = self
            .casts
            .iter()
            .map(|one| one.cast_id.chars().count())
            .max()
            .unwrap_or(0);
        for one in &self.casts {
            cast(&mut out, one, width, colour);
        }
        if self.total == 0 {
            let folder = text::printable(&self.folder);
            return format!(
                "no casts in {folder}\nnext: materia cast \"…\", or materia demo to see one\n"
            );
        }
        if self.casts.is_empty() {
            out.push_str("none of that kind\n");
        }
        if self.casts.len() < self.total {
            let _ = writeln!(
                out,
                "{} of {}",
                self.casts.len(),
                text::count(self.total, "cast")
            );
        }
        out
    }
}

/// The style of a status.
pub(super) fn role(status: &str) -> Role {
    match status {
        "complete" | "succeeded" => Role::Good,
        "running" => Role::Strong,
        "interrupted" | "paused" | "blocked" => Role::Warning,
        "pending" => Role::Quiet,
        _ => Role::Bad,
    }
}

/// Formats a status in its colour.
pub(super) fn painted(status: ObservedStatus, colour: bool) -> String {
    role(status.as_str()).paint(status.as_str(), colour)
}

fn cast(out: &mut String, one: &CastListItem, width: usize, colour: bool) {
    let status = role(one.status.as_str()).paint(&format!("{:<11}", one.status.as_str()), colour);
    let mut facts = vec![line(&one.loadout, 30)];
    if let Some(item) = one.at.as_ref().and_then(|at| at.item.as_ref()) {
        facts.push(format!("item {} of {}", item.number, item.count));
    } else if let Some(at) = &one.at {
        facts.push(format!("at {}", line(&at.socket, 20)));
    }
    if one.usage.turns > 0 {
        facts.push(format!(
            "{}/{}",
            short(one.usage.tokens as f64),
            money(one.usage.cost)
        ));
    }
    facts.extend(one.age_ms.map(ago));
    facts.retain(|fact| !fact.is_empty());
    let id = Role::Strong.paint(&format!("{:<width$}", one.cast_id), colour);
    let _ = writeln!(
        out,
        "{id}  {status}  {}",
        Role::Quiet.paint(&facts.join(" · "), colour)
    );
    let error = one.error.as_ref().map(|error| error.message.as_str());
    let failed = matches!(
        one.status,
        ObservedStatus::Failed | ObservedStatus::Unreadable
    );
    match error.filter(|_| failed) {
        Some(error) if one.request.is_empty() => {
            let _ = writeln!(out, "    {}", line(error, 76));
        }
        Some(error) => {
            let _ = writeln!(
                out,
                "    {}\n    {}",
                line(&one.request, 76),
                Role::Quiet.paint(&line(error, 76), colour)
            );
        }
        None => {
            let _ = writeln!(out, "    {}", line(&one.request, 76));
        }
    }
}
