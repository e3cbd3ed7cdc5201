//! How the demo reads: what is about to happen, and afterwards what to look at.

use std::fmt::Write as _;
use std::path::Path;

use materia_engine::demo::Report;
use materia_model::text;

use super::cast::CastView;
use super::screen;
use super::style::Role;

impl CastView {
    /// Says what the demo is about to show.
    pub fn opening(&self, request: &str, loadout: &str, drawn: &str, root: &Path) {
        let said = format!(
            "{} by {}, played by a script",
            text::quoted(request),
            text::quoted(loadout)
        );
        self.screen().talk(Role::Strong, "demo", &said);
        self.screen()
            .talk(Role::Quiet, "project", &root.to_string_lossy());
        // On a terminal the cast is walked before one's eyes.
        if !self.screen().is_live() {
            self.screen().indented(&format!("\n{drawn}"));
        }
    }
}

impl screen::Report for Report {
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
