//! The output of `inspect` for people: compact, sized for a model's context. Programs get
//! everything with `--json`.

use std::ops::ControlFlow;

use materia_engine::api::{
    FilesReport, FollowedMessage, InspectObserver, InspectReport, Inventory, RecipeStatusReport,
    RunListItem, RunStatusReport, RuntimeReport, Stream, TailReport,
};
use materia_model::text::{CharacterBuffer, count, printable};
use serde::Serialize;
use serde_json::json;

use super::OutputFormat;
use super::mail::message_line;
use super::screen::{Report, Screen, finding_lines};
use super::status;
use super::style::Role;

/// At most this many unreadable runs are named.
const MOST_BROKEN: usize = 5;

impl Report for RunStatusReport {
    fn human(&self, colour: bool) -> String {
        let state = format!("state: {}\n", printable(&self.run.state_dir));
        let next = self
            .next
            .first()
            .map(|next| format!("next: {next}\n"))
            .unwrap_or_default();
        status::line(&self.run, colour) + &state + &next
    }
}

impl Report for TailReport {
    fn human(&self, _: bool) -> String {
        let mut text = String::new();
        if self.is_surprising {
            let tail = &self.tail;
            text.push_str(&part(
                tail.stdout.len(),
                tail.stdout_bytes,
                &self.stdout_file,
            ));
            text.push_str(&part(
                tail.stderr.len(),
                tail.stderr_bytes,
                &self.stderr_file,
            ));
        }
        text.push_str(&self.tail.stdout);
        if !self.tail.stderr.is_empty() {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str("--- stderr\n");
            text.push_str(&self.tail.stderr);
        }
        if text.is_empty() {
            "(no output)\n".to_owned()
        } else {
            text
        }
    }
}

/// A note that a stream has more bytes, and in which file they are.
fn part(shown: usize, all: u64, file: &str) -> String {
    if all <= shown as u64 {
        return String::new();
    }
    format!(
        "(the last {shown} of {all} bytes; all of them: {})\n",
        printable(file)
    )
}

impl Report for FilesReport {
    fn human(&self, _: bool) -> String {
        let mut text = format!(
            "run:{} {}\nstate: {}\n",
            self.run,
            self.status.as_str(),
            printable(&self.state_dir)
        );
        for (name, entry) in &self.artifacts {
            let size = entry
                .size
                .map(|size| format!(" size={size}"))
                .unwrap_or_default();
            let there = if entry.exists { "" } else { " missing" };
            text.push_str(&format!(
                "artifact {name}: {}{size}{there}\n",
                printable(&entry.declared.path)
            ));
        }
        for (name, size) in self.files.iter().flatten() {
            text.push_str(&format!("file {} size={size}\n", printable(name)));
        }
        text
    }
}

impl Report for Inventory {
    fn human(&self, colour: bool) -> String {
        let session = self.session.as_deref().unwrap_or("all");
        let mut text = format!(
            "session={session} runs={} active={}",
            self.total, self.active
        );
        if self.session.is_some() {
            text.push_str(&format!(
                " other_sessions={} other_runs={}",
                self.other_sessions, self.other_runs
            ));
        }
        text.push('\n');
        self.runs
            .iter()
            .for_each(|run| text.push_str(&line(run, colour)));
        if self.incomplete {
            let more = self.total - self.runs.len();
            text.push_str(&format!(
                "… {more} more: --lines {} or --status active|failed|…\n",
                self.total
            ));
        }
        text.push_str(&unread(self));
        text.push_str(&format!("runs: {}\n", printable(&self.root)));
        self.next
            .iter()
            .for_each(|next| text.push_str(&format!("next: {next}\n")));
        text
    }
}

/// Lists the runs that cannot be read.
fn unread(inventory: &Inventory) -> String {
    let named = inventory.broken.iter().take(MOST_BROKEN);
    let mut text: String = named
        .map(|(run, why)| format!("broken run:{run}: {}\n", printable(why)))
        .collect();
    if let more @ 1.. = inventory.broken.len().saturating_sub(MOST_BROKEN) {
        text.push_str(&format!(
            "… {more} more that cannot be read: --json names them\n"
        ));
    }
    if inventory.unreadable > 0 {
        let runs = count(inventory.unreadable, "run");
        text.push_str(&format!(
            "{runs} of unknown owner cannot be read: `materia inspect session:all`, without a session, says why\n"
        ));
    }
    text
}

fn line(run: &RunListItem, colour: bool) -> String {
    let mut line = format!(
        "run:{} {}",
        run.run,
        status::role(run.status).paint(run.status.as_str(), colour)
    );
    let code = run
        .code
        .filter(|code| *code != 0)
        .map(|code| code.to_string());
    let retires = run.retire_when.map(|_| "children_terminal".to_owned());
    let optional = [
        ("recipe", &run.recipe),
        ("session", &run.session),
        ("parent", &run.parent),
    ];
    let optional = optional
        .into_iter()
        .chain([("code", &code), ("retire_when", &retires)]);
    for (key, value) in optional {
        if let Some(value) = value {
            line.push_str(&format!(" {key}={}", printable(value)));
        }
    }
    line.push('\n');
    line
}

impl Report for RecipeStatusReport {
    fn human(&self, colour: bool) -> String {
        let counts = &self.counts;
        let mut text = "recipes".to_owned();
        for (word, count) in [
            ("active", counts.active),
            ("tools", counts.tools),
            ("drafts", counts.drafts),
            ("shadowed", counts.shadowed),
            ("invalid", counts.invalid),
            ("disabled", counts.disabled),
            ("blocking", counts.blocking),
            ("recommendations", counts.recommendations),
            ("diagnostics", counts.diagnostics),
        ] {
            text.push_str(&format!(" {word}={count}"));
        }
        text.push_str(&format!("\nroot: {}\n", printable(&self.listing.root)));
        self.listing
            .issues
            .iter()
            .for_each(|issue| finding_lines(&mut text, issue, colour));
        self.next
            .iter()
            .for_each(|next| text.push_str(&format!("next: {next}\n")));
        text
    }
}

impl Report for RuntimeReport {
    fn human(&self, _: bool) -> String {
        let (runs, recipes) = (printable(&self.runs), printable(&self.recipes));
        format!(
            "{} version={}\nruns: {runs}\nrecipes: {recipes}\n",
            self.name, self.version
        )
    }
}

impl Report for InspectReport {
    fn human(&self, colour: bool) -> String {
        match self {
            Self::RunStatus(report) => report.human(colour),
            Self::Tail(report) => report.human(colour),
            Self::Transcript(report) => report.human(colour),
            Self::Outbox(report) => report.human(colour),
            Self::Mailbox(report) => report.human(colour),
            Self::Communication(report) => report.human(colour),
            Self::Files(report) => report.human(colour),
            Self::RoomStatus(report) => report.human(colour),
            Self::Timeline(report) => report.human(colour),
            Self::Previews(report) => report.human(colour),
            Self::Roster(report) => report.human(colour),
            Self::Contacts(report) => report.human(colour),
            Self::Inventory(report) => report.human(colour),
            Self::Runtime(report) => report.human(colour),
            Self::Triage(report) => report.human(colour),
            Self::Doctor(report) => report.human(colour),
            Self::Recipe(report) => report.human(colour),
            Self::Schema(schema) => format!("{schema}\n"),
            Self::Recipes(report) => report.human(colour),
            Self::RecipeList(report) => report.human(colour),
            Self::RecipeImports(report) => report.human(colour),
            Self::RecipeDoctor(report) => report.human(colour),
        }
    }
}

/// Prints a run or a room that is followed.
pub struct FollowView {
    screen: Screen,
    format: OutputFormat,
    /// Incomplete characters at the end of stdout and stderr. Used only for JSON.
    texts: [CharacterBuffer; 2],
}

impl FollowView {
    /// A view that prints to this screen.
    pub fn new(screen: Screen, format: OutputFormat) -> Self {
        Self {
            screen,
            format,
            texts: Default::default(),
        }
    }

    /// Flushes incomplete characters at the end of both streams.
    pub fn end(mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = self.texts[stream as usize].finish();
            self.chunk(stream, &rest);
        }
    }

    /// Writes one message per line, in the form of those that follow.
    fn documents<M: Serialize>(&self, messages: &[M], incomplete: bool) {
        messages
            .iter()
            .for_each(|message| self.screen.document(message));
        if incomplete {
            let note = "older messages are not shown; --lines N shows more";
            self.screen.talk(Role::Quiet, "note", note);
        }
    }

    fn chunk(&self, stream: Stream, text: &str) -> bool {
        text.is_empty()
            || self
                .screen
                .bytes(format!("{}\n", json!({"stream": stream, "text": text})).as_bytes())
    }
}

impl InspectObserver for FollowView {
    fn begin(&mut self, report: &InspectReport) {
        match (self.format, report) {
            (OutputFormat::Json, InspectReport::Outbox(said)) => {
                self.documents(&said.messages, said.incomplete);
            }
            (OutputFormat::Json, InspectReport::Timeline(said)) => {
                self.documents(&said.messages, said.incomplete);
            }
            (OutputFormat::Json, InspectReport::Previews(said)) => {
                self.documents(&said.messages, said.incomplete);
            }
            _ => self.screen.report(report, self.format),
        }
    }

    fn message(&mut self, message: &FollowedMessage) -> ControlFlow<()> {
        match self.format {
            OutputFormat::Json => self.screen.document(message),
            OutputFormat::Human => self.screen.text(&message_line(message)),
        }
        self.screen.reader()
    }

    /// Writes raw bytes for people, and one JSON object per line for programs.
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> ControlFlow<()> {
        let is_read = match (self.format, stream) {
            (OutputFormat::Json, _) => {
                let text = self.texts[stream as usize].push(bytes);
                self.chunk(stream, &text)
            }
            (OutputFormat::Human, Stream::Stdout) => self.screen.bytes(bytes),
            (OutputFormat::Human, Stream::Stderr) => {
                self.screen.relay(bytes);
                true
            }
        };
        if is_read {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
