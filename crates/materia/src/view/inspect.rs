//! What people see of `inspect`: compact, sized for a model's context; programs get everything with
//! `--json`.

use materia_engine::inspect::{Inventory, RunStatusReport, Runtime, Shelf, ShownFiles, ShownTail};
use materia_engine::process::Stream;
use materia_engine::run::{Listed, Tail};
use materia_model::text::{Characters, count, printable};
use serde_json::json;

use super::Voice;
use super::screen::{Report, Screen, finding_lines};
use super::status;

/// How many runs that cannot be read are named.
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

impl Report for ShownTail {
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

/// Says that a stream has more, and where.
fn part(shown: usize, all: u64, file: &str) -> String {
    if all <= shown as u64 {
        return String::new();
    }
    format!(
        "(the last {shown} of {all} bytes; all of them: {})\n",
        printable(file)
    )
}

impl Report for ShownFiles {
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

/// The runs that cannot be read.
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

fn line(run: &Listed, colour: bool) -> String {
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

impl Report for Shelf {
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

impl Report for Runtime {
    fn human(&self, _: bool) -> String {
        let (runs, recipes) = (printable(&self.runs), printable(&self.recipes));
        format!(
            "{} version={}\nruns: {runs}\nrecipes: {recipes}\n",
            self.name, self.version
        )
    }
}

/// What a run writes, as it is followed.
pub struct Output {
    screen: Screen,
    voice: Voice,
    /// Of stdout and stderr, where they are told as text.
    texts: [Characters; 2],
}

impl Output {
    /// Nothing so far.
    pub fn new(screen: Screen, voice: Voice) -> Self {
        Self {
            screen,
            voice,
            texts: Default::default(),
        }
    }

    /// Says what there is, without half a character at its end: that follows, whole. From where on
    /// to follow.
    pub fn begin(&mut self, tail: &Tail) -> [u64; 2] {
        for (stream, text) in [
            (Stream::Stdout, &tail.stdout),
            (Stream::Stderr, &tail.stderr),
        ] {
            let half = tail.halves[stream as usize] > 0;
            let broken = if half {
                char::REPLACEMENT_CHARACTER.len_utf8()
            } else {
                0
            };
            self.say(
                stream,
                &text.as_bytes()[..text.len().saturating_sub(broken)],
            );
        }
        let [stdout, stderr] = tail.halves.map(|half| half as u64);
        [tail.stdout_bytes - stdout, tail.stderr_bytes - stderr]
    }

    /// Hands on what a run wrote: as it is, or one JSON object a line. Whether somebody still
    /// listens.
    pub fn say(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        match (self.voice, stream) {
            (Voice::Json, _) => {
                let text = self.texts[stream as usize].push(bytes);
                self.document(stream, &text)
            }
            (Voice::Human, Stream::Stdout) => self.screen.bytes(bytes),
            (Voice::Human, Stream::Stderr) => {
                self.screen.relay(bytes);
                true
            }
        }
    }

    /// Nothing follows.
    pub fn end(mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = self.texts[stream as usize].finish();
            self.document(stream, &rest);
        }
    }

    fn document(&self, stream: Stream, text: &str) -> bool {
        if text.is_empty() {
            return true;
        }
        let name = if stream == Stream::Stdout {
            "stdout"
        } else {
            "stderr"
        };
        self.screen
            .bytes(format!("{}\n", json!({"stream": name, "text": text})).as_bytes())
    }
}
