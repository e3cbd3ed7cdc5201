//! The screen: where results, failures and notices are written.
//!
//! Owns stdout and stderr. A closed pipe is not an error: the reader wants no more output. Any
//! other write error on stdout, such as a full disk, turns a success into a failure.
#![allow(
    clippy::disallowed_methods,
    reason = "this room owns stdout and stderr"
)]

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use materia_model::finding::{Finding, Severity};
use materia_model::text::printable;
use serde::Serialize;

use super::OutputFormat;
use super::style::{ColorChoice, Role, use_colour};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind, OutputStream};

/// The first write error on stdout that was not a closed pipe.
static LOST: OnceLock<String> = OnceLock::new();

/// Whether a write to stdout failed for any reason, including a closed pipe.
static UNHEARD: AtomicBool = AtomicBool::new(false);

/// A report of the engine: data for programs, and a text for people.
pub trait Report: Serialize {
    /// The text for people, ending in a newline.
    fn human(&self, colour: bool) -> String;
}

/// The output streams and how they are written.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    colour_out: bool,
    colour_err: bool,
    live: bool,
    /// Whether stdout is a terminal.
    wide: bool,
}

impl Screen {
    /// A screen without colour, for errors before the environment is known.
    pub fn plain() -> Self {
        Self {
            colour_out: false,
            colour_err: false,
            live: false,
            wide: false,
        }
    }

    /// A screen that suits the environment and the user's choice.
    pub fn new(world: &World, choice: ColorChoice) -> Self {
        Self {
            colour_out: use_colour(choice, world, world.terminals.stdout),
            colour_err: use_colour(choice, world, world.terminals.stderr),
            live: world.terminals.stderr && !world.is_dumb(),
            wide: world.terminals.stdout,
        }
    }

    /// Writes a result to stdout.
    pub fn report<R: Report>(self, report: &R, format: OutputFormat) {
        match format {
            OutputFormat::Human => self.text(&report.human(self.colour_out)),
            OutputFormat::Json => json(report),
        }
    }

    /// Writes an error: for people to stderr, for programs to stdout.
    pub fn failure(self, failure: &ApiError, format: OutputFormat) {
        match format {
            OutputFormat::Human => {
                write_all(
                    &mut io::stderr().lock(),
                    failure_text(failure, self.colour_err).as_bytes(),
                );
            }
            OutputFormat::Json => json(failure),
        }
    }

    /// Writes one message to stderr: a keyword and a sentence.
    pub fn talk(self, role: Role, word: &str, said: &str) {
        let mut text = String::new();
        line(&mut text, role, word, said, self.colour_err);
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Writes the findings about a document to stderr, each with its position and the fix.
    pub fn findings(self, findings: &[Finding]) {
        let mut text = String::new();
        findings
            .iter()
            .for_each(|finding| finding_lines(&mut text, finding, self.colour_err));
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Asks the user a question on stderr. The answer is read from stdin.
    pub fn ask(self, shown: &str, question: &str) {
        write_all(
            &mut io::stderr().lock(),
            format!("{shown}{question} ").as_bytes(),
        );
    }

    /// Quotes a text on stderr, indented and with control characters made visible.
    pub(super) fn indented(self, said: &str) {
        let lines: String = said
            .lines()
            .map(|line| format!("  {}\n", printable(line)))
            .collect();
        write_all(&mut io::stderr().lock(), lines.as_bytes());
    }

    /// Forwards what a command wrote to stderr.
    pub(super) fn relay(self, bytes: &[u8]) {
        write_all(&mut io::stderr().lock(), bytes);
    }

    /// Draws on the terminal behind stderr.
    pub(super) fn live(self, text: &str) {
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Whether stderr is a terminal that supports redrawing.
    pub(super) fn is_live(self) -> bool {
        self.live
    }

    /// Whether messages on stderr are coloured.
    pub fn talks_in_colour(self) -> bool {
        self.colour_err
    }

    /// Whether results on stdout are coloured.
    pub fn results_in_colour(self) -> bool {
        self.colour_out
    }

    /// The columns and rows of the terminal behind stderr.
    pub(super) fn size(self) -> (usize, usize) {
        let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
        let or =
            |told: Option<u16>, usual| told.filter(|told| *told > 0).map_or(usual, usize::from);
        (
            or(size.map(|size| size.ws_col), 80),
            or(size.map(|size| size.ws_row), 24),
        )
    }

    /// The width for results, or `None` if stdout is not a terminal.
    pub fn columns(self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout())
            .ok()
            .filter(|_| self.wide)?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// The stream for full-screen output.
    pub fn canvas(self) -> io::Stdout {
        io::stdout()
    }

    /// Copies an output to stdout, byte for byte.
    pub(super) fn copy(self, output: &OutputStream) {
        let mut stdout = io::stdout().lock();
        notice(output.copy_to(&mut stdout).and_then(|()| stdout.flush()));
    }

    /// Writes one JSON document to stdout.
    pub fn document<T: Serialize>(self, document: &T) {
        json(document);
    }

    /// Writes bytes to stdout. Returns whether they could be written.
    pub(super) fn bytes(self, bytes: &[u8]) -> bool {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        let listens = written.is_ok();
        notice(written);
        listens
    }

    /// Writes plain text to stdout, such as help.
    pub fn text(self, text: &str) {
        result(text.as_bytes());
    }

    /// Whether every write to stdout succeeded so far.
    pub fn was_heard(self) -> bool {
        !UNHEARD.load(Ordering::Relaxed)
    }

    /// Breaks once a write to stdout has failed, so that callers stop producing output.
    pub(super) fn reader(self) -> ControlFlow<()> {
        if self.was_heard() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// The final exit code. If output was lost, reports that and turns a success into a failure.
    pub fn ended(self, code: u8) -> u8 {
        let Some(why) = LOST.get().filter(|_| code == 0) else {
            return code;
        };
        let failure = ApiError::new(
            ErrorKind::Failed,
            "output_lost",
            format!("cannot write to stdout: {why}"),
        )
        .hint("the work itself went well; make room where stdout leads, and try again");
        self.failure(&failure, OutputFormat::Human);
        failure.kind.exit_code()
    }
}

fn json<T: Serialize>(document: &T) {
    let text = serde_json::to_string(document).unwrap_or_else(|error| {
        let message = error.to_string();
        serde_json::json!({"ok": false, "error": {"code": "internal", "message": message}})
            .to_string()
    });
    result(format!("{text}\n").as_bytes());
}

/// Writes a result, or a part of one, to stdout.
fn result(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    notice(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

fn notice(written: io::Result<()>) {
    if written.is_err() {
        UNHEARD.store(true, Ordering::Relaxed);
    }
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _first = LOST.set(error.to_string());
    }
}

fn write_all(stream: &mut impl Write, bytes: &[u8]) {
    let _closed = stream.write_all(bytes).and_then(|()| stream.flush());
}

/// Formats an error: `error:`, then `caused by:` and `hint:`, each on its own line.
fn failure_text(failure: &ApiError, colour: bool) -> String {
    let mut text = String::new();
    if failure.findings.is_empty() {
        line(&mut text, Role::Bad, "error", &failure.message, colour);
        for cause in &failure.causes {
            line(&mut text, Role::Quiet, "  caused by", cause, colour);
        }
        if let Some(hint) = &failure.hint {
            line(&mut text, Role::Good, "  hint", hint, colour);
        }
        return text;
    }
    for finding in &failure.findings {
        finding_lines(&mut text, finding, colour);
    }
    text
}

pub(super) fn finding_lines(text: &mut String, finding: &Finding, colour: bool) {
    let (role, word) = match finding.severity {
        Severity::Error => (Role::Bad, "error"),
        Severity::Warning => (Role::Warning, "warning"),
    };
    line(
        text,
        role,
        word,
        &format!("{} [{}]", finding.message, finding.code),
        colour,
    );
    if let Some(place) = &finding.place {
        line(text, Role::Quiet, "  at", &place.to_string(), colour);
    }
    if let Some(hint) = &finding.hint {
        line(text, Role::Good, "  hint", hint, colour);
    }
}

fn line(text: &mut String, role: Role, word: &str, said: &str, colour: bool) {
    let _infallible = writeln!(
        text,
        "{} {}",
        role.paint(&format!("{word}:"), colour),
        printable(said)
    );
}
