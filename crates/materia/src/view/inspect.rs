//! What people see of `inspect`: compact, sized for a model's context; programs get everything with `--json`.

use materia_engine::process::Stream;
use materia_engine::run::Listed;
use materia_engine::verb::inspect::{Inventory, Runtime, Shown, ShownFiles, ShownTail};
use materia_model::text::printable;
use serde_json::json;

use super::Voice;
use super::screen::{Report, Screen};
use super::status;

/// How many runs of a list are shown one by one.
const MOST_RUNS: usize = 50;

impl Report for Shown {
    fn human(&self, colour: bool) -> String {
        let state = format!("state: {}\n", printable(&self.run.state_dir));
        let next = self.next.first().map(|next| format!("next: {next}\n")).unwrap_or_default();
        status::line(&self.run, colour) + &state + &next
    }
}

impl Report for ShownTail {
    fn human(&self, _: bool) -> String {
        let mut text = self.tail.stdout.clone();
        if !self.tail.stderr.is_empty() {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str("--- stderr\n");
            text.push_str(&self.tail.stderr);
        }
        if text.is_empty() { "(no output)\n".to_owned() } else { text }
    }
}

impl Report for ShownFiles {
    fn human(&self, _: bool) -> String {
        let mut text =
            format!("run:{} {}\nstate: {}\n", self.run, self.status.as_str(), printable(&self.state_dir));
        for (name, entry) in &self.artifacts {
            let size = entry.size.map(|size| format!(" size={size}")).unwrap_or_default();
            let there = if entry.exists { "" } else { " missing" };
            text.push_str(&format!("artifact {name}: {}{size}{there}\n", printable(&entry.declared.path)));
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
        let mut text = format!("session={session} runs={}", self.runs.len());
        if self.session.is_some() {
            text.push_str(&format!(" other_sessions={} other_runs={}", self.other_sessions, self.other_runs));
        }
        text.push('\n');
        // The newest last in the list, and first for people.
        let newest = self.runs.len().saturating_sub(MOST_RUNS);
        let mut shown: Vec<&Listed> = self.runs.iter().collect();
        shown.sort_by_key(|run| run.started_at);
        for run in shown[newest..].iter().rev() {
            text.push_str(&line(run, colour));
        }
        if newest > 0 {
            text.push_str(&format!("and {newest} older; --status or --json shows them\n"));
        }
        for (run, problem) in &self.broken {
            text.push_str(&format!("broken run:{run}: {}\n", printable(problem)));
        }
        text
    }
}

fn line(run: &Listed, colour: bool) -> String {
    let mut line = format!("run:{} {}", run.run, status::role(run.status).paint(run.status.as_str(), colour));
    let code = run.code.filter(|code| *code != 0).map(|code| code.to_string());
    let retires = run.retire_when.map(|_| "children_terminal".to_owned());
    let optional = [("recipe", &run.recipe), ("session", &run.session), ("parent", &run.parent)];
    let optional = optional.into_iter().chain([("code", &code), ("retire_when", &retires)]);
    for (key, value) in optional {
        if let Some(value) = value {
            line.push_str(&format!(" {key}={}", printable(value)));
        }
    }
    line.push('\n');
    line
}

impl Report for Runtime {
    fn human(&self, _: bool) -> String {
        let (runs, recipes) = (printable(&self.runs), printable(&self.recipes));
        format!("{} version={}\nruns: {runs}\nrecipes: {recipes}\n", self.name, self.version)
    }
}

impl Screen {
    /// Says the beginning of output that is followed.
    pub fn tail(self, tail: &ShownTail, voice: Voice) {
        self.output(Stream::Stdout, tail.tail.stdout.as_bytes(), voice);
        self.output(Stream::Stderr, tail.tail.stderr.as_bytes(), voice);
    }

    /// Hands on what a run wrote: as it is, or one JSON object a line. Whether somebody still listens.
    pub fn output(self, stream: Stream, bytes: &[u8], voice: Voice) -> bool {
        if bytes.is_empty() {
            return true;
        }
        match (voice, stream) {
            (Voice::Json, _) => {
                let name = if stream == Stream::Stdout { "stdout" } else { "stderr" };
                let text = String::from_utf8_lossy(bytes);
                self.bytes(format!("{}\n", json!({"stream": name, "text": text})).as_bytes())
            }
            (Voice::Human, Stream::Stdout) => self.bytes(bytes),
            (Voice::Human, Stream::Stderr) => {
                self.relay(bytes);
                true
            }
        }
    }
}
