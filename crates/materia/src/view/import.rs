//! Rendering of an import: the recipe itself, or the files that were written.

use std::fmt::Write as _;

use materia_engine::api::ImportReport;
use materia_model::text::{count, printable};

use super::Report;
use super::style::Role;

impl Report for ImportReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        match (self.written, self.recipes.as_slice()) {
            (false, [one]) => return format!("{:#}\n", one.recipe),
            (false, all) => {
                for one in all {
                    let _ = writeln!(
                        text,
                        "{}\n{:#}\n",
                        Role::Strong.paint(&format!("{}.json", one.name), colour),
                        one.recipe
                    );
                }
                let _ = writeln!(
                    text,
                    "{}; `--into DIR` writes them",
                    count(all.len(), "recipe")
                );
            }
            (true, all) => {
                for file in all.iter().filter_map(|one| one.file.as_ref()) {
                    let _ = writeln!(
                        text,
                        "{} {}",
                        Role::Good.paint("wrote", colour),
                        printable(file)
                    );
                }
                let _ = writeln!(
                    text,
                    "{}, {} about what is different",
                    count(all.len(), "recipe"),
                    count(self.notes.len(), "note")
                );
            }
        }
        text
    }
}
