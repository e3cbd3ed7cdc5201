//! Rendering of the list of utilities, and of a utility's result.

use std::fmt::Write as _;

use materia_engine::api::{UtilityListReport, UtilityObserver, UtilityOutput, UtilityRunReport};

use super::style::Role;
use super::{OutputFormat, Report, Screen};
use crate::world::World;

/// Shows the progress and the result of a utility.
#[derive(Debug)]
pub struct UtilityView {
    screen: Screen,
    stdin_is_terminal: bool,
}

impl UtilityView {
    /// A view that suits the terminal.
    pub fn new(world: &World, screen: Screen) -> Self {
        let stdin_is_terminal = world.terminals.stdin;
        Self {
            screen,
            stdin_is_terminal,
        }
    }

    /// Prints the result, and the error if the utility failed.
    pub fn report(&self, report: &UtilityRunReport) {
        for note in &report.notes {
            self.screen.talk(Role::Warning, "note", note);
        }
        match &report.output {
            UtilityOutput::Json(document) => self.screen.document(document),
            UtilityOutput::Text(text) => self.screen.text(text),
        }
        if let Some(error) = &report.error {
            self.screen.failure(error, OutputFormat::Human);
        }
    }
}

impl UtilityObserver for UtilityView {
    fn reads_input(&mut self) {
        if self.stdin_is_terminal {
            let message = "reading the input JSON from the terminal; end it with Ctrl-D";
            self.screen.talk(Role::Quiet, "note", message);
        }
    }

    fn line(&mut self, line: &str) {
        self.screen.text(&format!("{line}\n"));
    }
}

impl Report for UtilityListReport {
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
