//! The output of `init`: which files were written, what they are for, and what to try.

use std::fmt::Write as _;

use materia_engine::api::InitReport;
use materia_model::text;

use super::screen;
use super::style::Role;

impl screen::Report for InitReport {
    fn human(&self, colour: bool) -> String {
        let mut out = format!("in {}\n", text::printable(&self.directory));
        let wide = self
            .files
            .iter()
            .map(|file| file.path.len())
            .max()
            .unwrap_or(0);
        for file in &self.files {
            let role = if file.action == "written" {
                Role::Good
            } else {
                Role::Warning
            };
            let word = role.paint(&format!("{:<7}", file.action), colour);
            let _ = writeln!(
                out,
                "  {word}  {:<wide$}  {}",
                file.path,
                Role::Quiet.paint(file.about, colour)
            );
        }
        if self.files.iter().any(|file| file.action == "kept") {
            out.push_str("what was there is kept as it was\n");
        }
        if !self.trusted {
            out.push_str("the config is not trusted yet: look at it, then say `materia trust`\n");
        }
        let _ = writeln!(out, "\n{}", Role::Strong.paint("Try next:", colour));
        for next in &self.next {
            let _ = writeln!(out, "  {next}");
        }
        out
    }
}
