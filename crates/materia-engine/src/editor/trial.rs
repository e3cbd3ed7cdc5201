//! `trial`: runs one utility with a custom input, before a cast relies on it.
//!
//! Owns the input that replaces a cast's, and the report. The utility runs exactly as in a cast:
//! same argv, same deadline, same limits, and its whole process tree is gone when this returns.
//! Nothing is stored.

mod call;

use std::io;
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::loadout::{Config, ConfigScope};
use materia_model::materia::{Materia, OutputParse};
use materia_model::utility::UtilityInput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::draft::ConfigDraft;
use super::{Edit, EditTarget, Section};
use crate::config::{ConfigFiles, ConfigSnapshot};
use crate::home::Home;
use crate::library::Library;
use crate::process::ProcessSet;
use crate::store::dir::{self, DirError, Scratch};
use crate::trust::ProjectTrust;
use crate::utility::call::Called;
use call::UtilityCall;

/// A utility to be tried.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TrialRequest {
    /// Its name.
    pub materia: String,
    /// The materia as it is being edited.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    pub value: Option<Value>,
    /// The file it would be saved to.
    pub target: EditTarget,
    /// What stands in for the person's request.
    pub request: String,
    /// What stands in for the shared state.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[serde(default)]
    pub state: Map<String, Value>,
    /// What stands in for the current item.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    #[serde(default)]
    pub item: Option<Value>,
}

/// What came of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TrialReport {
    /// What was started.
    pub argv: Vec<String>,
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<String>,
    /// Whether it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// The document it read.
    pub input: String,
    /// The beginning of its stdout.
    pub stdout: String,
    /// The beginning of its stderr.
    pub stderr: String,
    /// Its result, where it is read as JSON and is.
    pub result: Option<Value>,
    /// Why a cast would not go on with it.
    pub problem: Option<String>,
}

/// Why the utility was not run.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// There is no such materia.
    #[error("there is no utility {}", materia_model::text::quoted(.0))]
    Unknown(String),
    /// It is the role of an agent.
    #[error("{} is an agent's role, and only utilities can be tried", materia_model::text::quoted(.0))]
    Agent(String),
    /// It is defined in the project's config, which is not trusted (S1).
    #[error("{} stands in the project's config, which is not trusted", materia_model::text::quoted(.0))]
    Untrusted(String),
    /// It has errors, or its parameters do not fit.
    #[error("the utility is wrong")]
    Broken(Vec<Finding>),
    /// It needs something that a trial does not have.
    #[error("{}", .0)]
    Unavailable(&'static str),
    /// The directory for its output cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// I/O error.
    #[error("the utility cannot be run")]
    Io(#[from] io::Error),
}

/// The context of a trial.
#[derive(Debug, Clone, Copy)]
pub struct TrialContext<'a> {
    /// The project's directory.
    pub project: &'a Path,
    /// The library in which recipes are looked up.
    pub library: &'a Library,
    /// The user's directories.
    pub home: &'a Home,
    /// What `~` means in templates.
    pub user_home: Option<&'a Path>,
    /// Whether the user trusts the project for this process (S1).
    pub accepts: bool,
}

/// Runs a utility as defined in the config files, or as edited.
pub fn trial(
    files: ConfigFiles,
    request: &TrialRequest,
    context: TrialContext<'_>,
) -> Result<TrialReport, TrialError> {
    let files = match &request.value {
        Some(_) => drafted(files, request, context)?,
        None => files,
    };
    let snapshot = files.snapshot();
    let (config, name) = (snapshot.config(), request.materia.as_str());
    let Some(materia) = config.materia().find(|one| one.id == name) else {
        return Err(missing(config, name));
    };
    let Some(utility) = materia.utility() else {
        return Err(TrialError::Agent(name.to_owned()));
    };
    if files.layers()[materia.owner].scope == ConfigScope::Project
        && !may_run(&snapshot, request, context)
    {
        return Err(TrialError::Untrusted(name.to_owned()));
    }
    dir::create_private(context.home.profile())?;
    let scratch = Scratch::create(context.home.profile())?;
    let input = input(materia, &utility.params, request, context, scratch.path())
        .map_err(io::Error::from)?;
    let call = UtilityCall {
        utility,
        context,
        folder: files.path(materia.owner).and_then(Path::parent),
        spool: scratch.path(),
    };
    let called = call.run(input.clone(), &mut ProcessSet::new())?;
    Ok(report(materia, input, &called))
}

/// The config files with the edited utility.
fn drafted(
    files: ConfigFiles,
    request: &TrialRequest,
    context: TrialContext<'_>,
) -> Result<ConfigFiles, TrialError> {
    let edit = Edit {
        section: Section::Materia,
        name: &request.materia,
        value: request.value.as_ref(),
    };
    let file = request.target.file(context.home, context.project);
    let draft =
        ConfigDraft::new(files, request.target, &file, [edit]).map_err(TrialError::Broken)?;
    Ok(draft.files)
}

/// Whether a utility of the project may run. The text in the user's editor belongs to the user,
/// wherever it will be saved.
fn may_run(
    snapshot: &ConfigSnapshot<'_>,
    request: &TrialRequest,
    context: TrialContext<'_>,
) -> bool {
    context.accepts
        || request.value.is_some()
        || ProjectTrust::inspect_snapshot(snapshot, Some(context.home))
            .is_ok_and(|trust| trust.require().is_ok())
}

fn missing(config: &Config<'_>, name: &str) -> TrialError {
    let written = config.written_materia().iter().any(|one| one.name == name);
    if !written {
        return TrialError::Unknown(name.to_owned());
    }
    let prefix = materia_model::document::path_member("materia", name);
    let about = |finding: &&Finding| {
        finding
            .path
            .as_deref()
            .is_some_and(|path| path.starts_with(&prefix))
    };
    TrialError::Broken(config.findings().iter().filter(about).cloned().collect())
}

fn input(
    materia: &Materia,
    params: &Map<String, Value>,
    request: &TrialRequest,
    context: TrialContext<'_>,
    spool: &Path,
) -> Result<String, serde_json::Error> {
    let (cwd, run_dir) = (context.project.to_string_lossy(), spool.to_string_lossy());
    let item = request.item.as_ref();
    UtilityInput {
        cwd: &cwd,
        run_dir: &run_dir,
        request: &request.request,
        cast_id: "trial",
        socket_id: "Socket-1",
        materia_id: &materia.id,
        materia_label: materia.title(),
        params,
        state: &request.state,
        item,
        item_key: item.map(|_| "WI-1"),
        item_label: item
            .and_then(|item| item.get("title"))
            .and_then(Value::as_str),
        cursor: None,
        cursors: std::collections::BTreeMap::new(),
    }
    .line()
}

fn report(materia: &Materia, input: String, called: &Called) -> TrialReport {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&called.stdout).into_owned(),
        String::from_utf8_lossy(&called.stderr).into_owned(),
    );
    let mut ended = called.ended.clone();
    ended.stdout_artifact = "stdout".to_owned();
    ended.stderr_artifact = "stderr".to_owned();
    let mut problem = ended.failure(&stderr);
    let json = materia.parse == Some(OutputParse::Json) || materia.generator;
    let read = serde_json::from_str::<Value>(stdout.trim());
    if problem.is_none() && json {
        problem = match &read {
            Ok(Value::Object(_)) => None,
            Ok(_) => Some("stdout must be one JSON object".to_owned()),
            Err(error) => Some(format!("stdout is not one JSON document: {error}")),
        };
    }
    TrialReport {
        argv: ended.argv,
        code: ended.code,
        signal: ended.signal,
        timed_out: ended.timed_out,
        duration_ms: ended.duration_ms,
        input,
        result: read.ok().filter(Value::is_object),
        stdout,
        stderr,
        problem,
    }
}
