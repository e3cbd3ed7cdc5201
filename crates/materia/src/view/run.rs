//! What a person sees of a run: live lines on a terminal, relayed complaints elsewhere, and a
//! summary.
//!
//! Owns the telling of [`Progress`]. Failures come first in the summary; the output itself goes to
//! stdout, alone.

use materia_engine::execute::{
    CommandRun, FailedCommand, Flow, Observer, Outcome, Progress, Status,
};
use materia_model::finding::Finding;
use materia_model::text::{self, printable};

use super::Voice;
use super::live::Live;
use super::relay::Relay;
use super::screen::Screen;
use super::style::Role;
use super::template::shell_word;
use crate::world::World;

/// How many bytes of a command's name are shown.
const LONGEST_NAME: usize = 200;

/// How many failures a summary tells one by one.
const MOST_FAILURES: usize = 20;

/// Tells a person about a run.
#[derive(Debug)]
pub struct RunView {
    screen: Screen,
    voice: Voice,
    /// Whether there are live lines, on which what commands complain about is not relayed.
    watched: bool,
    live: Option<Live>,
    relay: Relay,
    stdout_is_terminal: bool,
}

impl RunView {
    /// A view that suits who is listening.
    pub fn new(world: &World, screen: Screen, voice: Voice) -> Self {
        let watched = voice == Voice::Human && world.terminals.stderr && !world.is_dumb();
        let live = watched.then(|| Live::new(screen));
        Self {
            screen,
            voice,
            watched,
            live,
            relay: Relay::default(),
            stdout_is_terminal: world.terminals.stdout,
        }
    }

    /// Says what was strange before the run.
    pub fn notice(&mut self, strange: &[Finding]) {
        self.screen.findings(strange);
    }

    /// Says how it went, failures first; nothing when all went well and nobody watched.
    pub fn summary(&mut self, outcome: &Outcome) {
        if let Some(live) = self.live.take() {
            live.clear();
        }
        if self.voice == Voice::Human {
            let (told, rest) = outcome
                .failures
                .split_at(outcome.failures.len().min(MOST_FAILURES));
            told.iter().for_each(|failure| self.failure(failure));
            if !rest.is_empty() {
                let more = format!("and {} more; --json has all of them", rest.len());
                self.screen.talk(Role::Bad, "error", &more);
            }
        }
        let said = format!(
            "{} failed, {} ran",
            outcome.failures.len(),
            text::count(outcome.commands.len(), "command")
        );
        match (outcome.interrupted, outcome.status) {
            (true, _) => {
                self.screen
                    .talk(Role::Bad, "interrupted", "nothing of it is left running");
            }
            (false, Status::Failed) => {
                self.screen.talk(
                    Role::Bad,
                    "failed",
                    &format!("{said}; exit code {}", outcome.code),
                );
            }
            (false, Status::Degraded) => {
                self.screen.talk(
                    Role::Warning,
                    "degraded",
                    &format!("{said}; --strict makes this a failure"),
                );
            }
            (false, Status::Ok) => {}
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
        // Without live lines it was relayed as it came.
        if self.watched || !failure.relayed {
            self.screen.indented(&failure.stderr);
        }
    }

    /// Writes the output to stdout, byte for byte; a terminal gets a newline behind it where one is
    /// missing.
    pub fn output(&self, outcome: &Outcome) {
        let output = &outcome.output;
        self.screen.copy(output);
        if self.stdout_is_terminal && !ends_in_newline(output) {
            self.screen.text("\n");
        }
    }
}

impl Observer for RunView {
    fn tell(&mut self, progress: Progress<'_>) {
        match (&mut self.live, progress) {
            (Some(live), progress) => live.tell(progress),
            (None, Progress::Said { leaf, bytes }) => self.relay.said(self.screen, leaf, bytes),
            (
                None,
                Progress::Started {
                    leaf, label, argv, ..
                },
            ) => {
                self.relay.started(leaf, named(label, argv));
            }
            (None, Progress::Ended { leaf, .. } | Progress::Postponed { leaf }) => {
                self.relay.ended(self.screen, leaf);
            }
            (None, Progress::Interrupted { again, .. }) => {
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

    fn listens(&self) -> bool {
        self.voice == Voice::Human
    }

    fn pace(&self) -> Option<std::time::Duration> {
        self.live
            .as_ref()
            .map(|_| std::time::Duration::from_millis(100))
    }
}

fn ends_in_newline(output: &Flow) -> bool {
    output
        .tail(1)
        .is_ok_and(|(last, _)| last.is_empty() || last == b"\n")
}

/// What a command is called, in one line: its label, or its words.
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

/// How a finished command is told in one line.
pub(super) fn ended_line(run: &CommandRun) -> String {
    let name = named(run.label.as_deref(), &run.argv);
    let attempt = if run.attempt > 1 {
        format!(", attempt {}", run.attempt)
    } else {
        String::new()
    };
    format!("{name} ({}{attempt})", seconds(run.duration_ms))
}

/// A duration as people read it.
pub(super) fn seconds(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}
