//! The text of the demo: first what it will do, then what to look at.

use std::fmt::Write as _;

use materia_engine::api::{DemoObserver, DemoOpening, DemoReport};
use materia_model::{picture, text};

use super::OutputFormat;
use super::cast::CastView;
use super::screen;
use super::style::Role;

impl DemoObserver for CastView {
    fn opening(&mut self, opening: &DemoOpening<'_>) {
        if self.format() != OutputFormat::Human {
            return;
        }
        let said = format!(
            "{} by {}, played by a script",
            text::quoted(opening.request),
            text::quoted(opening.graph.name())
        );
        self.screen().talk(Role::Strong, "demo", &said);
        self.screen()
            .talk(Role::Quiet, "project", &opening.directory.to_string_lossy());
        // On a terminal, the live display already shows the graph.
        if !self.screen().is_live() {
            self.screen()
                .indented(&format!("\n{}", picture::text(opening.graph)));
        }
    }
}

impl screen::Report for DemoReport {
    fn human(&self, colour: bool) -> String {
        let mut out = self.cast.human(colour);
        let _ = writeln!(
            out,
            "The agents' words came from a script: nothing of that was spent."
        );
        let _ = writeln!(
            out,
            "\n{}",
            Role::Strong.paint("What it did, in git:", colour)
        );
        for commit in &self.commits {
            let _ = writeln!(out, "  {}", text::printable(commit));
        }
        let _ = writeln!(out, "\n{}", Role::Strong.paint("Try next:", colour));
        let _ = writeln!(out, "  cd {}", self.directory);
        for next in &self.next {
            let _ = writeln!(out, "  {next}");
        }
        let _ = writeln!(
            out,
            "\nEverything is in {}; remove it when you are done.",
            self.directory
        );
        out
    }
}
