//! Rendering of trust: what would run, with which files, and what changed.

use std::fmt::Write as _;
use std::io::BufRead;

use materia_engine::api::{
    CastObserver, TrustAnswer, TrustListReport, TrustObserver, TrustReport, TrustRevokeReport,
    TrustStanding, TrustedAct,
};
use materia_model::finding::Finding;
use materia_model::text::{bounded, count, printable, quoted_within};

use super::style::Role;
use super::template::shell_word;
use super::{OutputFormat, Report, Screen};
use crate::world::World;

/// At most this many commands of one materia are shown.
const MAX_COMMANDS: usize = 20;
/// At most this many bytes of an answer are read.
const MAX_ANSWER: u64 = 100;

/// Asks the user on the terminal whether to trust a project's config.
#[derive(Debug, Clone, Copy)]
pub struct TrustPrompt {
    screen: Screen,
    /// Whether there is a terminal on which to ask.
    can_ask: bool,
}

impl TrustPrompt {
    /// A prompt on this screen. It never asks programs or pipes.
    pub fn new(world: &World, screen: Screen, format: OutputFormat) -> Self {
        let terminal = world.terminals.stdin && world.terminals.stderr;
        Self {
            screen,
            can_ask: terminal && format == OutputFormat::Human,
        }
    }
}

impl TrustObserver for TrustPrompt {
    fn confirm_trust(&mut self, report: &TrustReport) -> TrustAnswer {
        if !self.can_ask {
            return TrustAnswer::NotAsked;
        }
        let shown = report.human(self.screen.talks_in_colour());
        self.screen.ask(&shown, "Trust this? [y/N]");
        let mut answer = String::new();
        let read = std::io::Read::take(std::io::stdin().lock(), MAX_ANSWER).read_line(&mut answer);
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" if read.is_ok() => TrustAnswer::Agreed,
            _ => TrustAnswer::Declined,
        }
    }
}

/// Shows nothing of the cast itself.
impl CastObserver for TrustPrompt {
    fn warnings(&mut self, findings: &[Finding]) {
        self.screen.findings(findings);
    }
}

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
            let _ = writeln!(text, "  {}", printable(&change.sentence()));
        }
        if !self.acts.is_empty() {
            text.push_str("what it says would run:\n");
        }
        self.acts
            .iter()
            .for_each(|act| describe(&mut text, act, colour));
        text.push_str("files:\n");
        for (file, hash) in &self.files {
            let hash = Role::Quiet.paint(&format!("sha256 {}", bounded(hash, 64)), colour);
            let _ = writeln!(text, "  {}  {hash}", printable(file));
        }
        text
    }
}

fn describe(text: &mut String, act: &TrustedAct, colour: bool) {
    let name = Role::Strong.paint(&printable(&act.name), colour);
    let detail = act
        .detail
        .as_deref()
        .map(|detail| format!(" {}", line(detail)))
        .unwrap_or_default();
    let _ = writeln!(text, "  {name} ({}){detail}", act.kind);
    for argv in act.commands.iter().take(MAX_COMMANDS) {
        let words: Vec<String> = argv.iter().map(|word| shell_word(word)).collect();
        let _ = writeln!(text, "    {}", line(&words.join(" ")));
    }
    if act.commands.len() > MAX_COMMANDS {
        let _ = writeln!(text, "    and {} more", act.commands.len() - MAX_COMMANDS);
    }
}

/// Puts a text on one line without truncating it: the user must see all of what they agree to.
fn line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

impl Report for TrustListReport {
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

impl Report for TrustRevokeReport {
    fn human(&self, _: bool) -> String {
        let lines = self
            .revoked
            .iter()
            .map(|file| format!("no longer trusted: {}\n", quoted_within(file, 4096)));
        lines.collect()
    }
}
