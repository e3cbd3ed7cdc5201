//! Rendering of the status of a cast.

use std::fmt::Write as _;

use materia_engine::api::{BudgetShare, BudgetUnit, CastStatusReport, SocketProgress};
use materia_model::text;

use super::amounts::{ago, columns, line, money, short, time};
use super::cast_show::fact;
use super::casts::painted;
use super::screen;
use super::style::Role;

impl screen::Report for CastStatusReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        let status = painted(self.status, colour);
        let _ = writeln!(
            out,
            "{}  {status}",
            Role::Strong.paint(&self.cast_id, colour)
        );
        fact(&mut out, "request", &line(&self.request, 200), colour);
        fact(&mut out, "loadout", &line(&self.loadout, 60), colour);
        let driver = self
            .driver
            .map(|pid| format!(", by process {pid}"))
            .unwrap_or_default();
        let last = self
            .age_ms
            .map(|age| format!(", updated {}", ago(age)))
            .unwrap_or_default();
        fact(
            &mut out,
            "under way",
            &format!("{}{last}{driver}", time(self.active_ms)),
            colour,
        );
        if let Some(at) = &self.at {
            let materia = at
                .materia
                .as_ref()
                .map(|materia| format!(" ({})", line(materia, 30)))
                .unwrap_or_default();
            let item = at.item.as_ref().map(|item| {
                format!(
                    ", item {} of {} {}",
                    item.number,
                    item.count,
                    text::quoted(&line(&item.label, 60))
                )
            });
            let again = if at.attempt > 1 {
                format!(", attempt {}", at.attempt)
            } else {
                String::new()
            };
            let said = format!(
                "{}{materia}, visit {}{}{again}",
                at.socket,
                at.visit,
                item.unwrap_or_default()
            );
            fact(&mut out, "at", &said, colour);
        }
        if let Some(doing) = &self.doing {
            let said = doing.text.lines().last().unwrap_or_default();
            let now = doing.tool.as_deref().unwrap_or(said);
            fact(&mut out, "doing", &line(now, 200), colour);
        }
        let shares: Vec<String> = self.budget.iter().map(share).collect();
        fact(&mut out, "budget", &shares.join(", "), colour);
        if let Some(error) = &self.error {
            fact(
                &mut out,
                "error",
                &Role::Bad.paint(&line(&error.message, 300), colour),
                colour,
            );
            if let Some(hint) = &error.hint {
                fact(&mut out, "hint", &line(hint, 300), colour);
            }
        }
        out.push('\n');
        graph(&mut out, self, colour);
        out.push('\n');
        if let Some(needs) = &self.needs {
            let _ = writeln!(out, "{} {needs}", Role::Warning.paint("needs you:", colour));
        }
        for next in &self.next {
            let _ = writeln!(out, "{} {next}", Role::Quiet.paint("next:", colour));
        }
        out
    }
}

/// Formats a share of a budget: `12.3k of 4M tokens (0 %)`.
pub(super) fn share(share: &BudgetShare) -> String {
    let amount = |value: f64| match share.what {
        BudgetUnit::Cost => money(value),
        BudgetUnit::Minutes => format!("{value:.1}"),
        _ => short(value),
    };
    let name = if share.what == BudgetUnit::Cost {
        String::new()
    } else {
        format!(" {}", share.what.as_str())
    };
    match share.limit {
        Some(limit) if limit > 0.0 => {
            let percent = (share.used / limit * 100.0).min(999.0);
            format!(
                "{} of {}{name} ({percent:.0} %)",
                amount(share.used),
                amount(limit)
            )
        }
        Some(limit) => format!("{} of {}{name}", amount(share.used), amount(limit)),
        None if share.what == BudgetUnit::Turns => text::count(share.used as usize, "turn"),
        None => format!("{}{name}", amount(share.used)),
    }
}

fn graph(out: &mut String, report: &CastStatusReport, colour: bool) {
    let row = |socket: &SocketProgress| {
        let mark = match (socket.current, socket.visits) {
            (true, _) => "▶",
            (false, 0) => "·",
            (false, _) => "✓",
        };
        let visits = if socket.visits == 0 {
            String::new()
        } else {
            text::count(socket.visits as usize, "visit")
        };
        vec![
            mark.to_owned(),
            line(&socket.socket, 24),
            line(&socket.materia, 30),
            visits,
        ]
    };
    let rows: Vec<Vec<String>> = report.graph.iter().map(row).collect();
    for (socket, row) in report.graph.iter().zip(columns(&rows, &[])) {
        let role = match (socket.current, socket.visits) {
            (true, _) => Role::Strong,
            (false, 0) => Role::Quiet,
            (false, _) => Role::Good,
        };
        let _ = writeln!(out, "  {}", role.paint(&row, colour));
    }
}
