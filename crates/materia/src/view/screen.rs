//! The screen: where results, failures and notices are written.
//!
//! Owns stdout and stderr. A closed pipe is no failure of ours: who closed it wants no more.
//! Anything else that keeps a result from stdout, such as a full disk, makes a success a failure.
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

/// Why something did not get to stdout, once that has happened.
static LOST: OnceLock<String> = OnceLock::new();

/// Whether something did not get to stdout, also because nobody reads it any more.
static UNHEARD: AtomicBool = AtomicBool::new(false);

/// Something a verb reports: data for programs, and a text for people.
pub trait Report: Serialize {
    /// The text for people, ending in a newline.
    fn human(&self, colour: bool) -> String;
}

/// Where everything is said.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    colour_out: bool,
    colour_err: bool,
    live: bool,
    /// Whether results are read on a terminal.
    wide: bool,
}

impl Screen {
    /// A screen without colour, for the edge where nothing is known yet.
    pub fn plain() -> Self {
        Self {
            colour_out: false,
            colour_err: false,
            live: false,
            wide: false,
        }
    }

    /// A screen that suits the world and the person's choice.
    pub fn new(world: &World, choice: ColorChoice) -> Self {
        Self {
            colour_out: use_colour(choice, world, world.terminals.stdout),
            colour_err: use_colour(choice, world, world.terminals.stderr),
            live: world.terminals.stderr && !world.is_dumb(),
            wide: world.terminals.stdout,
        }
    }

    /// Says a result on stdout.
    pub fn report<R: Report>(self, report: &R, format: OutputFormat) {
        match format {
            OutputFormat::Human => self.text(&report.human(self.colour_out)),
            OutputFormat::Json => json(report),
        }
    }

    /// Says a failure: to people on stderr, to programs on stdout.
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

    /// Says one line of talk on stderr: a word for what it is, and a sentence.
    pub fn talk(self, role: Role, word: &str, said: &str) {
        let mut text = String::new();
        line(&mut text, role, word, said, self.colour_err);
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Says what is strange or wrong with a document on stderr, with its place and the fix.
    pub fn findings(self, findings: &[Finding]) {
        let mut text = String::new();
        findings
            .iter()
            .for_each(|finding| finding_lines(&mut text, finding, self.colour_err));
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Asks a person something on stderr; the answer comes on stdin.
    pub fn ask(self, shown: &str, question: &str) {
        write_all(
            &mut io::stderr().lock(),
            format!("{shown}{question} ").as_bytes(),
        );
    }

    /// Quotes somebody's words on stderr, indented and printable.
    pub(super) fn indented(self, said: &str) {
        let lines: String = said
            .lines()
            .map(|line| format!("  {}\n", printable(line)))
            .collect();
        write_all(&mut io::stderr().lock(), lines.as_bytes());
    }

    /// Hands on what a command wrote to stderr.
    pub(super) fn relay(self, bytes: &[u8]) {
        write_all(&mut io::stderr().lock(), bytes);
    }

    /// Draws on the terminal behind stderr.
    pub(super) fn live(self, text: &str) {
        write_all(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Whether stderr is a terminal on which something can be drawn over.
    pub(super) fn is_live(self) -> bool {
        self.live
    }

    /// Whether talk is coloured.
    pub fn talks_in_colour(self) -> bool {
        self.colour_err
    }

    /// Whether results are coloured.
    pub fn results_in_colour(self) -> bool {
        self.colour_out
    }

    /// How many columns and rows the terminal behind stderr has.
    pub(super) fn size(self) -> (usize, usize) {
        let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
        let or =
            |told: Option<u16>, usual| told.filter(|told| *told > 0).map_or(usual, usize::from);
        (
            or(size.map(|size| size.ws_col), 80),
            or(size.map(|size| size.ws_row), 24),
        )
    }

    /// How many columns results may take; nothing where they go elsewhere than to a terminal.
    pub fn columns(self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout())
            .ok()
            .filter(|_| self.wide)?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// The stream that a whole screen is drawn on.
    pub fn canvas(self) -> io::Stdout {
        io::stdout()
    }

    /// Copies an output to stdout, byte for byte.
    pub(super) fn copy(self, output: &OutputStream) {
        let mut stdout = io::stdout().lock();
        notice(output.copy_to(&mut stdout).and_then(|()| stdout.flush()));
    }

    /// Says one JSON document on stdout.
    pub fn document<T: Serialize>(self, document: &T) {
        json(document);
    }

    /// Hands bytes on to stdout; whether somebody still listens.
    pub(super) fn bytes(self, bytes: &[u8]) -> bool {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
        let listens = written.is_ok();
        notice(written);
        listens
    }

    /// Says plain text on stdout, such as help.
    pub fn text(self, text: &str) {
        result(text.as_bytes());
    }

    /// Whether everything that was said so far got to stdout.
    pub fn was_heard(self) -> bool {
        !UNHEARD.load(Ordering::Relaxed)
    }

    /// Whether to continue: everything that was written so far was read.
    pub(super) fn reader(self) -> ControlFlow<()> {
        if self.was_heard() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// The exit code, given the verb's own, after everything was said. What was lost on the way to
    /// stdout is told.
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

/// `error:`, then `caused by:` and `hint:`, each on a line of its own.
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
