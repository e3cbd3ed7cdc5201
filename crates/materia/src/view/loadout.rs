//! Rendering of lists of loadouts, and of the choice of the active one.

use std::fmt::Write as _;

use materia_engine::api::{ActiveLoadoutReport, LoadoutSummary, LoadoutsReport};
use materia_model::finding::Severity;
use materia_model::text::{count, printable, quoted};

use super::Report;
use super::screen::finding_lines;
use super::style::Role;

impl Report for LoadoutsReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        let names = self
            .loadouts
            .iter()
            .map(|one| printable(&one.name).chars().count());
        let width = names.max().unwrap_or(0).min(40);
        for one in &self.loadouts {
            line(&mut text, one, width, colour);
        }
        if self.loadouts.is_empty() {
            text.push_str("no loadouts\n");
        }
        if !self.issues.is_empty() {
            text.push('\n');
        }
        for issue in &self.issues {
            finding_lines(&mut text, issue, colour);
        }
        text
    }
}

fn line(text: &mut String, one: &LoadoutSummary, width: usize, colour: bool) {
    let mark = if one.active {
        Role::Good.paint("*", colour)
    } else {
        " ".to_owned()
    };
    let name = printable(&one.name);
    let name = Role::Strong.paint(&format!("{name:<width$}"), colour);
    let source = if one.source == "default" {
        "shipped"
    } else {
        one.source
    };
    let source = Role::Quiet.paint(&format!("{source:<8}"), colour);
    let about = printable(one.description.as_deref().unwrap_or_default()).replace('\n', " ");
    let line = format!("{mark} {name}  {source}  {about}");
    let _ = writeln!(text, "{}", line.trim_end());
    if !one.usable {
        let errors = one
            .issues
            .iter()
            .filter(|issue| issue.severity == Severity::Error)
            .count();
        let broken = Role::Bad.paint("broken:", colour);
        let _ = writeln!(
            text,
            "  {broken} {}, see `materia loadout validate`",
            count(errors, "error")
        );
    }
}

impl Report for ActiveLoadoutReport {
    fn human(&self, colour: bool) -> String {
        let file = self.file.to_string_lossy();
        let said = if self.changed {
            "is now your active loadout"
        } else {
            "was your active loadout already"
        };
        let mut text = format!(
            "{} {said}, in {}\n",
            quoted(&self.loadout),
            printable(&file)
        );
        for warning in &self.warnings {
            finding_lines(&mut text, warning, colour);
        }
        text
    }
}
