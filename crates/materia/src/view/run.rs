//! The output of a run for people: live lines on a terminal, otherwise the forwarded stderr of its
//! commands, and a summary.
//!
//! Owns the rendering of [`RunProgress`]. The summary lists failures first. Only the run's output
//! goes to stdout.

use materia_engine::api::{
    CommandRun, ExecutionStatus, FailedCommand, RunObserver, RunProgress, RunReport,
};
use materia_model::finding::Finding;
use materia_model::text::{self, printable};

use super::OutputFormat;
use super::live::Live;
use super::relay::Relay;
use super::screen::Screen;
use super::style::Role;
use super::template::shell_word;
use crate::world::World;

/// At most this many bytes of a command's name are shown.
const LONGEST_NAME: usize = 200;

/// The summary lists at most this many failures.
const MOST_FAILURES: usize = 20;

/// Shows a run to the user.
#[derive(Debug)]
pub struct RunView {
    screen: Screen,
    format: OutputFormat,
    /// Whether there are live lines. If so, the stderr of commands is not forwarded.
    watched: bool,
    live: Option<Live>,
    relay: Relay,
    stdout_is_terminal: bool,
}

impl RunView {
    /// A view for this terminal and output format.
    pub fn new(world: &World, screen: Screen, format: OutputFormat) -> Self {
        let watched = format == OutputFormat::Human && world.terminals.stderr && !world.is_dumb();
        let live = watched.then(|| Live::new(screen));
        Self {
            screen,
            format,
            watched,
            live,
            relay: Relay::default(),
            stdout_is_terminal: world.terminals.stdout,
        }
    }

    /// Prints the summary, failures first, and the output.
    pub fn report(&mut self, report: &RunReport) {
        self.summary(report);
        match self.format {
            OutputFormat::Human => self.output(report),
            OutputFormat::Json => self.screen.document(report),
        }
    }

    /// Prints nothing if all commands succeeded and there were no live lines.
    fn summary(&mut self, report: &RunReport) {
        if let Some(live) = self.live.take() {
            live.clear();
        }
        if self.format == OutputFormat::Human {
            let (shown, rest) = report
                .failures
                .split_at(report.failures.len().min(MOST_FAILURES));
            shown.iter().for_each(|failure| self.failure(failure));
            if !rest.is_empty() {
                let more = format!("and {} more; --json has all of them", rest.len());
                self.screen.talk(Role::Bad, "error", &more);
            }
        }
        let said = format!(
            "{} failed, {} ran",
            report.failures.len(),
            text::count(report.commands.len(), "command")
        );
        match (report.interrupted, report.status) {
            (true, _) => {
                self.screen
                    .talk(Role::Bad, "interrupted", "nothing of it is left running");
            }
            (false, ExecutionStatus::Failed) => {
                self.screen.talk(
                    Role::Bad,
                    "failed",
                    &format!("{said}; exit code {}", report.code),
                );
            }
            (false, ExecutionStatus::Degraded) => {
                self.screen.talk(
                    Role::Warning,
                    "degraded",
                    &format!("{said}; --strict makes this a failure"),
                );
            }
            (false, ExecutionStatus::Ok) => {}
        }
    }

    fn failure(&self, failure: &FailedCommand) {
        let end = match (failure.timed_out, failure.signal) {
            (true, _) => "timed out".to_owned(),
            (false, Some(signal)) => format!("signal {signal}"),
            (false, None) => format!("exit code {}", failure.code),
        };
        self.screen.talk(
            Role::Bad,
            "error",
            &format!("{} ({end})", named(failure.label.as_deref(), &failure.argv)),
        );
        // Without live lines, it was already forwarded.
        if self.watched || !failure.relayed {
            self.screen.indented(&failure.stderr);
        }
    }

    /// Writes the output to stdout, byte for byte. Adds a final newline on a terminal if it is
    /// missing.
    fn output(&self, report: &RunReport) {
        self.screen.copy(&report.stream);
        if self.stdout_is_terminal && !report.stream.ends_in_newline() {
            self.screen.text("\n");
        }
    }
}

impl RunObserver for RunView {
    fn warnings(&mut self, warnings: &[Finding]) {
        self.screen.findings(warnings);
    }

    fn not_counted(&mut self, reason: &str) {
        let message = format!("this launch is not counted: {reason}");
        self.screen.talk(Role::Warning, "warning", &message);
    }

    fn progress(&mut self, progress: RunProgress<'_>) {
        match (&mut self.live, progress) {
            (Some(live), progress) => live.progress(progress),
            (None, RunProgress::Stderr { leaf, bytes }) => {
                self.relay.said(self.screen, leaf, bytes);
            }
            (
                None,
                RunProgress::Started {
                    leaf, label, argv, ..
                },
            ) => {
                self.relay.started(leaf, named(label, argv));
            }
            (None, RunProgress::Ended { leaf, .. } | RunProgress::Postponed { leaf }) => {
                self.relay.ended(self.screen, leaf);
            }
            (None, RunProgress::Interrupted { again, .. }) => {
                let doing = if again {
                    "killing"
                } else {
                    "stopping; once more kills"
                };
                self.screen.talk(Role::Warning, "interrupted", doing);
            }
            (None, _) => {}
        }
    }

    fn wants_stderr(&self) -> bool {
        self.format == OutputFormat::Human
    }

    fn tick_interval(&self) -> Option<std::time::Duration> {
        self.live
            .as_ref()
            .map(|_| std::time::Duration::from_millis(100))
    }
}

/// The name of a command on one line: its label, or its arguments.
pub(super) fn named(label: Option<&str>, argv: &[String]) -> String {
    let mut name = String::new();
    match label {
        Some(label) => name.push_str(label),
        None if argv.is_empty() => name.push_str("the template"),
        None => {
            for (index, word) in argv
                .iter()
                .enumerate()
                .take_while(|(index, _)| *index < LONGEST_NAME)
            {
                name.push_str(if index == 0 { "" } else { " " });
                name.push_str(&shell_word(&text::bounded(word, LONGEST_NAME)));
            }
        }
    }
    printable(&text::bounded(&name, LONGEST_NAME)).replace(char::is_control, " ")
}

/// Renders a finished command as one line.
pub(super) fn ended_line(run: &CommandRun) -> String {
    let name = named(run.label.as_deref(), &run.argv);
    let attempt = if run.attempt > 1 {
        format!(", attempt {}", run.attempt)
    } else {
        String::new()
    };
    format!("{name} ({}{attempt})", seconds(run.duration_ms))
}

/// Formats a duration for people.
pub(super) fn seconds(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}
