//! Rendering of the plan of a loadout.

use std::fmt::Write as _;

use materia_engine::api::{PlanRange, PlanReport, PlanSocket};
use materia_model::text;

use super::amounts::{columns, line, money, short};
use super::cast_show::fact;
use super::screen;
use super::style::Role;

impl screen::Report for PlanReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        let items = text::count(usize::try_from(self.items).unwrap_or(usize::MAX), "item");
        let name = Role::Strong.paint(&text::printable(&self.loadout), colour);
        let _ = writeln!(out, "{name}, with lists of {items}\n");
        let title = [
            "socket",
            "materia",
            "kind",
            "smooth",
            "at most",
            "tokens/turn",
        ];
        let mut rows = vec![title.map(str::to_owned).to_vec()];
        rows.extend(self.sockets.iter().map(row));
        for (number, row) in columns(&rows, &[3, 4, 5]).iter().enumerate() {
            let row = if number == 0 {
                Role::Quiet.paint(row, colour)
            } else {
                row.clone()
            };
            let _ = writeln!(out, "  {row}");
        }
        out.push('\n');
        fact(&mut out, "turns", &range(self.turns), colour);
        fact(&mut out, "runs", &range(self.runs), colour);
        fact(&mut out, "stops at", &budget(self), colour);
        let Some(estimate) = &self.estimate else {
            return out;
        };
        let unknown = if estimate.unknown.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = estimate
                .unknown
                .iter()
                .map(|name| text::quoted(name))
                .collect();
            format!("; nothing is known about {}", text::list(&names, "and"))
        };
        let from = text::count(
            usize::try_from(estimate.from_turns).unwrap_or(usize::MAX),
            "earlier turn",
        );
        let said = format!(
            "{} tokens, {} if all goes well, as {from} tell{unknown}",
            short(estimate.tokens as f64),
            money(estimate.cost)
        );
        fact(&mut out, "estimate", &said, colour);
        out
    }
}

fn row(socket: &PlanSocket) -> Vec<String> {
    let looped = if socket.loops.is_empty() { "" } else { " ↻" };
    vec![
        format!("{}{looped}", line(&socket.socket, 20)),
        line(&socket.materia, 20),
        socket.kind.to_owned(),
        socket.visits.smooth.to_string(),
        socket.visits.most.to_string(),
        socket
            .tokens_per_turn
            .map(|tokens| short(tokens as f64))
            .unwrap_or_default(),
    ]
}

fn range(range: PlanRange) -> String {
    format!("{} if all goes well, {} at most", range.smooth, range.most)
}

fn budget(plan: &PlanReport) -> String {
    let budget = &plan.budget;
    let mut limits = Vec::new();
    limits.extend(
        budget
            .max_tokens
            .map(|most| format!("{} tokens", short(most as f64))),
    );
    limits.extend(budget.max_cost_usd.map(money));
    limits.extend(budget.max_turns.map(|most| format!("{most} turns")));
    limits.extend(budget.max_minutes.map(|most| format!("{most} minutes")));
    if limits.is_empty() {
        return "nothing: the config has no budget".to_owned();
    }
    let kept = if budget.stop_at_limit == Some(false) {
        " (told, not enforced)"
    } else {
        ""
    };
    format!("{}{kept}", text::list(&limits, "or"))
}
