//! Rendering of a validation.

use std::fmt::Write as _;

use materia_engine::api::{ValidateReport, ValidatedFile};
use materia_model::finding::Severity;
use materia_model::text::{count, printable};

use super::Report;
use super::screen::finding_lines;
use super::style::Role;

impl Report for ValidateReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        for file in &self.files {
            file_lines(&mut text, file, colour);
        }
        let (errors, warnings) = (
            number(self, Severity::Error),
            number(self, Severity::Warning),
        );
        let found = match (errors, warnings) {
            (0, 0) => "nothing wrong".to_owned(),
            (0, warnings) => count(warnings, "warning"),
            (errors, 0) => count(errors, "error"),
            (errors, warnings) => {
                format!("{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        };
        let _ = writeln!(text, "{}: {found}", count(self.files.len(), "file"));
        text
    }
}

/// Writes the file with its verdict, then its findings.
fn file_lines(text: &mut String, file: &ValidatedFile, colour: bool) {
    let (role, word) = match (file.ok, file.issues.is_empty()) {
        (true, true) => (Role::Good, "good"),
        (true, false) => (Role::Warning, "usable"),
        (false, _) => (Role::Bad, "broken"),
    };
    let _ = writeln!(
        text,
        "{} {}",
        role.paint(&format!("{word:<6}"), colour),
        printable(&file.file)
    );
    for issue in &file.issues {
        finding_lines(text, issue, colour);
    }
    text.push('\n');
}

fn number(report: &ValidateReport, severity: Severity) -> usize {
    let issues = report.files.iter().flat_map(|file| &file.issues);
    issues.filter(|issue| issue.severity == severity).count()
}
