//! How the list of utilities reads.

use std::fmt::Write as _;

use materia_engine::utility::listing::Listing;

use super::Report;
use super::style::Role;

impl Report for Listing {
    fn human(&self, colour: bool) -> String {
        let width = self
            .utilities
            .iter()
            .map(|entry| entry.name.len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for entry in &self.utilities {
            let name = Role::Strong.paint(&format!("{:<width$}", entry.name), colour);
            let materia = entry
                .materia
                .map(|materia| format!("  [{materia}]"))
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "{name}  {}{}",
                entry.about,
                Role::Quiet.paint(&materia, colour)
            );
        }
        text.push_str("\nsteps of recipes, which take key=value words:\n");
        let width = self
            .steps
            .iter()
            .map(|step| step.name.len())
            .max()
            .unwrap_or(0);
        for step in &self.steps {
            let name = Role::Strong.paint(&format!("{:<width$}", step.name), colour);
            let _ = writeln!(text, "{name}  {}", step.about);
        }
        text
    }
}
