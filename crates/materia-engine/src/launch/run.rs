//! `run`: executes a template in the foreground.
//!
//! Owns everything around the execution: the directory of its stages, the usage ledger, stdin, the
//! processes and interrupts, and the report. The shape of the report is a contract, and its output
//! is bounded.

use std::io::{self, Write};
use std::path::Path;

use materia_model::template::HostFacts;
use serde::Serialize;

use crate::clock::Clock;
use crate::execute::{
    self, Branch, CommandRun, Coverage, ExecutionStatus, FailedCommand, Flow, Outcome, Request,
    RunObserver,
};
use crate::home::Home;
use crate::process::{DEFAULT_GRACE, ProcessSet};
use crate::recipe::source::SourceError;
use crate::recipe::{InputSource, PreparedTemplate, SourceContext, TemplateRequest};
use crate::registry::{self, LaunchKind};
use crate::store::dir::{DirError, Scratch};
use crate::store::text::TextError;

/// Maximum number of output bytes in a report. Of a longer output it contains the end.
pub const MAX_REPORT_OUTPUT: usize = 1 << 20;

/// A template to execute in the foreground.
#[derive(Debug)]
pub struct RunRequest {
    /// The template.
    pub template: TemplateRequest,
    /// Maximum number of commands that run at the same time in the whole template.
    pub jobs: Option<usize>,
    /// How the output is returned.
    pub output: OutputMode,
}

/// How the output of a template is returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputMode {
    /// The report carries it as text. A long one is written to a file, and the report carries its
    /// end.
    #[default]
    Text,
    /// The report holds all of it, to be copied somewhere byte for byte.
    Stream,
}

/// The context of a template in the foreground.
#[derive(Debug)]
pub struct RunContext<'a> {
    /// Where its files and recipes are looked for.
    pub source: SourceContext<'a>,
    /// Where the usage ledger is; without it nothing is counted.
    pub home: Option<&'a Home>,
    /// What `~` means.
    pub user_home: Option<&'a Path>,
    /// The working directory of its commands.
    pub cwd: Result<&'a Path, &'a io::Error>,
    /// Where output is spooled.
    pub spool: &'a Path,
    /// Source of time and ids.
    pub clock: &'a Clock,
}

/// The result of a template that was executed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// Whether it did not fail.
    pub ok: bool,
    /// The overall status.
    pub status: ExecutionStatus,
    /// The root's exit code.
    pub code: i32,
    /// The output of the selected channel, or its end; empty if it is streamed.
    pub output: String,
    /// Whether `output` is only the end.
    pub output_truncated: bool,
    /// The file with the whole output, if `output` is only the end.
    pub output_file: Option<String>,
    /// Every execution of a command, in the order of completion.
    pub commands: Vec<CommandRun>,
    /// The failures that no later attempt repaired.
    pub failures: Vec<FailedCommand>,
    /// The branches of every parallel node, inner ones first.
    pub branches: Vec<Branch>,
    /// Branch counts.
    pub coverage: Option<Coverage>,
    /// Findings from before it started.
    pub warnings: Vec<String>,
    /// Whether the user interrupted it.
    #[serde(skip)]
    pub interrupted: bool,
    /// The whole output, if it is streamed.
    #[serde(skip)]
    pub stream: OutputStream,
}

/// The output of a template, byte for byte.
#[derive(Debug, Default)]
pub struct OutputStream(Flow);

impl OutputStream {
    /// Writes all of it.
    pub fn copy_to(&self, out: &mut impl Write) -> io::Result<()> {
        self.0.copy_to(out)
    }

    /// Whether the output ends with a newline, so that a terminal is at the start of a line.
    pub fn ends_in_newline(&self) -> bool {
        self.0
            .tail(1)
            .is_ok_and(|(last, _)| last.is_empty() || last == b"\n")
    }
}

/// Why a template was not executed, or has no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The template or its values cannot be read, or are wrong.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The directory for its stages cannot be created.
    #[error(transparent)]
    Stages(#[from] DirError),
    /// There is no working directory.
    #[error("the working directory cannot be used: {0}")]
    NoDirectory(String),
    /// Its stdin cannot be read.
    #[error(transparent)]
    Stdin(#[from] TextError),
    /// The system refused to execute it.
    #[error(transparent)]
    Execute(#[from] io::Error),
    /// It was executed, but its output could not be kept.
    #[error("the run is over, and its output cannot be kept: {0}")]
    OutputLost(io::Error),
}

/// Executes a template and waits for it.
pub fn run(
    request: RunRequest,
    context: &RunContext<'_>,
    observer: &mut dyn RunObserver,
) -> Result<RunReport, Error> {
    let RunRequest {
        mut template,
        jobs,
        output,
    } = request;
    let stdin = template.stdin.take();
    let linked = template.link(&context.source)?;
    let name = format!(".materia-stages-{}", context.clock.fresh_id());
    let stages = context.spool.join(name);
    let stages_text = stages.to_string_lossy();
    let facts = HostFacts {
        home: context.user_home.and_then(Path::to_str),
        cwd: context.source.cwd.and_then(Path::to_str),
        has_stdin: stdin.is_some(),
        stages: Some(&stages_text),
        ..HostFacts::default()
    };
    let prepared = linked.prepare(facts).map_err(SourceError::Invalid)?;
    // Removed when the template has ended.
    let _stages = prepared
        .plan
        .keeps_stages()
        .then(|| Scratch::exactly(&stages))
        .transpose()?;
    if let (Some((name, fingerprint)), Some(home)) = (linked.ledger_entry(), context.home) {
        let now = context.clock.now();
        if let Err(reason) = registry::record(home, name, &fingerprint, LaunchKind::Direct, now) {
            observer.not_counted(&reason);
        }
    }
    observer.warnings(&prepared.warnings);
    let outcome = execute(&prepared, stdin, jobs, context, observer)?;
    report(outcome, prepared.messages(), output, context.spool).map_err(Error::OutputLost)
}

fn execute(
    prepared: &PreparedTemplate<'_>,
    stdin: Option<InputSource>,
    jobs: Option<usize>,
    context: &RunContext<'_>,
    observer: &mut dyn RunObserver,
) -> Result<Outcome, Error> {
    let cwd = context
        .cwd
        .map_err(|error| Error::NoDirectory(error.to_string()))?;
    // Read stdin before interrupts are caught, so that a user who types the input can still
    // interrupt.
    let stdin = stdin
        .map(|stdin| stdin.open(&context.source, context.spool))
        .transpose()?;
    let request = Request {
        plan: &prepared.plan,
        cwd: cwd.to_owned(),
        stdin,
        jobs,
        grace: DEFAULT_GRACE,
        spool: context.spool.to_owned(),
    };
    Ok(execute::run(
        &request,
        &mut ProcessSet::foreground()?,
        observer,
    )?)
}

/// Builds the report of an outcome. An output that is too long is written to a file in `dir`.
fn report(
    outcome: Outcome,
    warnings: Vec<String>,
    mode: OutputMode,
    dir: &Path,
) -> io::Result<RunReport> {
    let (bytes, output_file, stream) = match mode {
        OutputMode::Stream => (Vec::new(), None, outcome.output),
        OutputMode::Text => {
            let (bytes, file) = end_of(&outcome.output, dir)?;
            (bytes, file, Flow::None)
        }
    };
    Ok(RunReport {
        ok: outcome.status != ExecutionStatus::Failed,
        status: outcome.status,
        code: outcome.code,
        output: String::from_utf8_lossy(&bytes).into_owned(),
        output_truncated: output_file.is_some(),
        output_file,
        commands: outcome.commands,
        failures: outcome.failures,
        branches: outcome.branches,
        coverage: outcome.coverage,
        warnings,
        interrupted: outcome.interrupted,
        stream: OutputStream(stream),
    })
}

/// The end of an output, and the file with the whole output if it does not fit.
fn end_of(output: &Flow, dir: &Path) -> io::Result<(Vec<u8>, Option<String>)> {
    let (bytes, total) = output.tail(MAX_REPORT_OUTPUT)?;
    if total <= MAX_REPORT_OUTPUT as u64 {
        return Ok((bytes, None));
    }
    // Leave out a character that was split.
    let broken = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000)
        .count();
    let bytes = bytes[broken..].to_vec();
    let path = output.keep(dir, "materia-output-")?;
    Ok((bytes, Some(path.display().to_string())))
}
