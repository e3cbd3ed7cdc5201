//! A call of a command template, reported like the call of a program (C20).
//!
//! Owns the expansion with the parameters as values, the deadline of the whole call, and the
//! substitutes for stdout, stderr and the exit code. The template reads the input document.

use std::io::{self, Write};
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::template::plan::{PlanBody, PlanControls};
use materia_model::template::{HostFacts, Plan, Template, expand};
use materia_model::utility::{DEFAULT_TIMEOUT_MS, MAX_CAPTURE, UtilityExit};
use serde_json::{Map, Value};

use super::call::Called;
use crate::clock::Stopwatch;
use crate::execute::{self, Outcome, Request, Unobserved};
use crate::process::{DEFAULT_GRACE, ProcessSet};
use crate::store::spool;

/// The directories of a template call.
#[derive(Debug, Clone, Copy)]
pub struct TemplateContext<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// What `~` means.
    pub home: Option<&'a Path>,
    /// The directory for the outputs of stages; `None` if nothing is going to run.
    pub stages: Option<&'a Path>,
}

/// Expands a template with these parameters into a plan with a time limit.
pub fn plan(
    template: &Template,
    params: &Map<String, Value>,
    place: TemplateContext<'_>,
    timeout_ms: Option<u64>,
) -> Result<Plan, Vec<Finding>> {
    let stages = place.stages.map(Path::to_string_lossy);
    let facts = HostFacts {
        home: place.home.and_then(Path::to_str),
        cwd: place.cwd.to_str(),
        has_stdin: true,
        stages: stages.as_deref(),
        ..HostFacts::default()
    };
    let inner = expand(template, params, facts)?.plan;
    let timeout = Some(timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS));
    let controls = PlanControls {
        timeout,
        ..PlanControls::plain(inner.controls.failure)
    };
    Ok(Plan {
        body: PlanBody::Nested(Box::new(inner)),
        controls,
    })
}

/// Runs a plan with this input document. All its processes are gone when this returns.
pub fn call(
    plan: &Plan,
    input: &str,
    cwd: &Path,
    dir: &Path,
    processes: &mut ProcessSet,
) -> io::Result<Called> {
    let watch = Stopwatch::start();
    let request = Request {
        plan,
        cwd: cwd.to_owned(),
        stdin: Some(spool::collected(dir, &mut input.as_bytes())?),
        jobs: None,
        grace: DEFAULT_GRACE,
        spool: dir.to_owned(),
    };
    let outcome = execute::run(&request, processes, &mut Unobserved)?;
    let mut stdout = Beginning::default();
    outcome.output.copy_to(&mut stdout)?;
    let mut stderr = Beginning::default();
    for failure in &outcome.failures {
        writeln!(stderr, "{}", failure.stderr.trim_end())?;
    }
    let ended = UtilityExit {
        argv: told(&outcome),
        code: Some(if outcome.status == execute::ExecutionStatus::Failed {
            outcome.code.max(1)
        } else {
            0
        }),
        timed_out: outcome.code == 124 && outcome.failures.iter().any(|failure| failure.timed_out),
        timeout_ms: plan.controls.timeout.unwrap_or(DEFAULT_TIMEOUT_MS),
        duration_ms: u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        stdout_truncated: stdout.cut,
        stderr_truncated: stderr.cut,
        ..UtilityExit::default()
    };
    Ok(Called {
        ended,
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        interrupted: outcome.interrupted,
    })
}

/// The command that the result names: the one that failed, else the last one.
fn told(outcome: &Outcome) -> Vec<String> {
    let failed = outcome
        .failures
        .iter()
        .rev()
        .map(|failure| &failure.argv)
        .find(|argv| !argv.is_empty());
    failed
        .or(outcome.commands.last().map(|command| &command.argv))
        .cloned()
        .unwrap_or_default()
}

/// Keeps the beginning of what is written to it.
#[derive(Debug, Default)]
struct Beginning {
    bytes: Vec<u8>,
    cut: bool,
}

impl Write for Beginning {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let room = MAX_CAPTURE - self.bytes.len();
        self.bytes.extend_from_slice(&more[..more.len().min(room)]);
        self.cut |= more.len() > room;
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use materia_model::finding::Source;
    use materia_model::template::parse;
    use serde_json::json;

    use super::*;

    fn place(cwd: &Path) -> TemplateContext<'_> {
        TemplateContext {
            cwd,
            home: None,
            stages: None,
        }
    }

    fn ran(template: &Value, timeout_ms: Option<u64>) -> Called {
        let dir = tempfile::tempdir().unwrap();
        let template = parse(&Source::new("t", &template.to_string())).unwrap();
        let params = json!({"word": "hello"});
        let plan = plan(
            &template,
            params.as_object().unwrap(),
            place(dir.path()),
            timeout_ms,
        )
        .unwrap();
        call(
            &plan,
            "{\"in\": 1}\n",
            dir.path(),
            dir.path(),
            &mut ProcessSet::new(),
        )
        .unwrap()
    }

    #[test]
    fn c20_a_template_reads_the_input_and_gets_the_parameters() {
        let done = ran(&json!(["cat", "sh -c 'cat; echo {word}'"]), None);
        assert_eq!(
            String::from_utf8(done.stdout).unwrap(),
            "{\"in\": 1}\nhello\n"
        );
        assert_eq!((done.ended.code, done.ended.timed_out), (Some(0), false));
    }

    #[test]
    fn c20_failures_and_deadlines_are_told_like_those_of_a_program() {
        let failed = ran(&json!("sh -c 'echo bad >&2; exit 3'"), None);
        assert_eq!(
            (failed.ended.code, failed.stderr.as_slice()),
            (Some(3), &b"bad\n"[..])
        );
        assert_eq!(failed.ended.argv[0], "sh");
        assert!(!ran(&json!("sh -c 'exit 124'"), None).ended.timed_out);
        let late = ran(&json!("sleep 60"), Some(200));
        assert!(
            late.ended.timed_out && late.ended.timeout_ms == 200,
            "{late:?}"
        );
        let long = ran(&json!("head -c 3000000 /dev/zero"), None);
        assert!(long.stdout.len() == MAX_CAPTURE && long.ended.stdout_truncated);
    }

    #[test]
    fn t21_a_missing_parameter_is_found_before_anything_starts() {
        let template = parse(&Source::new("t", "echo {nobody}")).unwrap();
        assert!(plan(&template, &Map::new(), place(Path::new("/")), None).is_err());
    }
}
