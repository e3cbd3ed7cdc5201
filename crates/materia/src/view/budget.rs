//! Rendering of the budget of a cast.

use std::fmt::Write as _;

use materia_engine::api::{BudgetReport, RaiseOutcome};

use super::cast_status::share;
use super::casts::painted;
use super::screen;
use super::style::Role;

impl screen::Report for BudgetReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        let status = painted(self.status, colour);
        let _ = writeln!(
            out,
            "{}  {status}",
            Role::Strong.paint(&self.cast_id, colour)
        );
        for one in &self.budget {
            let none = if one.limit.is_none() {
                ", without a limit"
            } else {
                ""
            };
            let _ = writeln!(out, "  {}{none}", share(one));
        }
        if self.raised == Some(RaiseOutcome::Ordered) {
            out.push_str("the process that drives it takes this up before its next step\n");
        }
        for next in &self.next {
            let _ = writeln!(out, "{} {next}", Role::Quiet.paint("next:", colour));
        }
        out
    }
}
