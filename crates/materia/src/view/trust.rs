//! How trust reads: what would run, with which files, and what changed.

use std::fmt::Write as _;

use materia_engine::trust::Act;
use materia_engine::trust::project::{Listing, Revoked, TrustReport, TrustStanding};
use materia_model::text::{bounded, count, printable, quoted_within};

use super::Report;
use super::style::Role;
use super::template::shell_word;

/// The most commands of one materia that are shown.
const MOST_COMMANDS: usize = 20;

impl Report for TrustReport {
    fn human(&self, colour: bool) -> String {
        let Some(file) = &self.file else {
            return "this project brings nothing that would run\n".to_owned();
        };
        let (role, word) = match self.standing {
            TrustStanding::Trusted => (Role::Good, "trusted:"),
            TrustStanding::Changed => (Role::Warning, "changed:"),
            TrustStanding::Nothing | TrustStanding::Untrusted => (Role::Warning, "not trusted:"),
        };
        let mut text = format!(
            "{} {}\n",
            role.paint(word, colour),
            printable(&file.to_string_lossy())
        );
        for change in &self.changes {
            let _ = writeln!(text, "  {}", printable(&change.told()));
        }
        if !self.acts.is_empty() {
            text.push_str("what it says would run:\n");
        }
        self.acts
            .iter()
            .for_each(|act| told(&mut text, act, colour));
        text.push_str("files:\n");
        for (file, hash) in &self.files {
            let hash = Role::Quiet.paint(&format!("sha256 {}", bounded(hash, 64)), colour);
            let _ = writeln!(text, "  {}  {hash}", printable(file));
        }
        text
    }
}

fn told(text: &mut String, act: &Act, colour: bool) {
    let name = Role::Strong.paint(&printable(&act.name), colour);
    let detail = act
        .detail
        .as_deref()
        .map(|detail| format!(" {}", line(detail)))
        .unwrap_or_default();
    let _ = writeln!(text, "  {name} ({}){detail}", act.kind);
    for argv in act.commands.iter().take(MOST_COMMANDS) {
        let words: Vec<String> = argv.iter().map(|word| shell_word(word)).collect();
        let _ = writeln!(text, "    {}", line(&words.join(" ")));
    }
    if act.commands.len() > MOST_COMMANDS {
        let _ = writeln!(text, "    and {} more", act.commands.len() - MOST_COMMANDS);
    }
}

/// Somebody's text on one line, whole: who agrees to it must see all of it.
fn line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

impl Report for Listing {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        for (file, granted) in &self.trusted {
            let more = format!(
                "since {}, {}",
                granted.at,
                count(granted.files.len(), "file")
            );
            let _ = writeln!(
                text,
                "{}  {}",
                printable(file),
                Role::Quiet.paint(&more, colour)
            );
        }
        if self.trusted.is_empty() {
            text.push_str("nothing is trusted\n");
        }
        text
    }
}

impl Report for Revoked {
    fn human(&self, _: bool) -> String {
        let lines = self
            .revoked
            .iter()
            .map(|file| format!("no longer trusted: {}\n", quoted_within(file, 4096)));
        lines.collect()
    }
}
