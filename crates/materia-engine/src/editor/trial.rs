//! `trial`: one utility run by hand with an input of one's own, before a cast relies on it.
//!
//! Owns the input that stands in for a cast's, and the report. The utility runs exactly as in a
//! cast: same argv, same deadline, same limits, and its whole process tree is gone when this
//! returns. Nothing is kept.

use std::io;
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::loadout::{Config, Scope};
use materia_model::materia::{Materia, Parse, Run, Utility};
use materia_model::utility::Input;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::Files;
use crate::library::Library;
use crate::process::Nursery;
use crate::store::dir::{self, DirError, Scratch};
use crate::utility::call::{Call, Called, call, located};
use crate::utility::{find, native, recipe, template};

/// What a utility is tried with.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// What stands in for the person's request.
    pub request: String,
    /// What stands in for the shared state.
    pub state: Map<String, Value>,
    /// What stands in for the current item.
    pub item: Option<Value>,
    /// Parameters instead of the materia's own.
    pub params: Option<Map<String, Value>>,
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

/// Why nothing was tried.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// There is no such materia.
    #[error("there is no utility {}", materia_model::text::quoted(.0))]
    Unknown(String),
    /// It is an agent's role.
    #[error("{} is an agent's role, and only utilities can be tried", materia_model::text::quoted(.0))]
    Agent(String),
    /// It stands in the project's config, which nobody trusted (S1).
    #[error("{} stands in the project's config, which is not trusted", materia_model::text::quoted(.0))]
    Untrusted(String),
    /// It is wrong, or its parameters do not fit.
    #[error("the utility is wrong")]
    Broken(Vec<Finding>),
    /// It needs something that cannot be tried here.
    #[error("{}", .0)]
    Unavailable(&'static str),
    /// There is no room for its output.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// The system refused.
    #[error("the utility cannot be run")]
    Io(#[from] io::Error),
}

/// Where a utility is tried.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The project directory.
    pub cwd: &'a Path,
    /// Where recipes are looked for.
    pub library: &'a Library,
    /// The person's home directory: what `~` means in templates.
    pub home: Option<&'a Path>,
    /// A directory of ours where things may stand for a moment.
    pub room: &'a Path,
    /// Whether the person accepts what the project brings (S1).
    pub trusting: bool,
}

/// Runs the utility of this name with an input of one's own.
pub fn trial(
    files: &Files,
    name: &str,
    sample: &Sample,
    place: Place<'_>,
    nursery: &mut Nursery,
) -> Result<TrialReport, TrialError> {
    let cwd = place.cwd;
    let config = Config::load(files.layers());
    let Some(materia) = config.materia().find(|one| one.id == name) else {
        return Err(missing(&config, name));
    };
    let Some(utility) = materia.utility() else {
        return Err(TrialError::Agent(name.to_owned()));
    };
    if files.layers()[materia.owner].scope == Scope::Project && !place.trusting {
        return Err(TrialError::Untrusted(name.to_owned()));
    }
    dir::create_private(place.room)?;
    let scratch = Scratch::create(place.room)?;
    let params = sample.params.as_ref().unwrap_or(&utility.params);
    let input = input(materia, params, sample, cwd, scratch.path()).map_err(io::Error::from)?;
    let folder = files.path(materia.owner).and_then(Path::parent);
    let room = Room {
        cwd,
        library: place.library,
        home: place.home,
        folder,
        spool: scratch.path(),
        params,
    };
    let called = run(utility, input.clone(), &room, nursery)?;
    Ok(told(materia, input, &called))
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
    sample: &Sample,
    cwd: &Path,
    spool: &Path,
) -> Result<String, serde_json::Error> {
    let (cwd, run_dir) = (cwd.to_string_lossy(), spool.to_string_lossy());
    Input {
        cwd: &cwd,
        run_dir: &run_dir,
        request: &sample.request,
        cast_id: "trial",
        socket_id: "Socket-1",
        materia_id: &materia.id,
        materia_label: materia.title(),
        params,
        state: &sample.state,
        item: sample.item.as_ref(),
        item_key: sample.item.as_ref().map(|_| "WI-1"),
        item_label: sample
            .item
            .as_ref()
            .and_then(|item| item.get("title"))
            .and_then(Value::as_str),
        cursor: None,
        cursors: std::collections::BTreeMap::new(),
    }
    .line()
}

struct Room<'a> {
    cwd: &'a Path,
    library: &'a Library,
    home: Option<&'a Path>,
    folder: Option<&'a Path>,
    spool: &'a Path,
    params: &'a Map<String, Value>,
}

fn run(
    utility: &Utility,
    input: String,
    room: &Room<'_>,
    nursery: &mut Nursery,
) -> Result<Called, TrialError> {
    let (cwd, spool, timeout_ms) = (room.cwd, room.spool, utility.timeout_ms);
    let place = template::Place {
        cwd,
        home: room.home,
        stages: Some(spool),
    };
    match &utility.run {
        Run::Command(argv) => {
            let argv = room
                .folder
                .map_or_else(|| argv.clone(), |folder| located(argv, folder));
            Ok(call(
                Call {
                    argv: &argv,
                    cwd,
                    input,
                    timeout_ms,
                    spool,
                },
                nursery,
            )?)
        }
        Run::Shipped(name) => {
            let shipped =
                find(name).ok_or(TrialError::Unavailable("no utility of this name ships"))?;
            Ok(native::call(shipped, &input, cwd, nursery))
        }
        Run::Template(written) => {
            let plan = template::plan(written, room.params, place, timeout_ms)
                .map_err(TrialError::Broken)?;
            Ok(template::call(&plan, &input, cwd, spool, nursery)?)
        }
        Run::Recipe(name) => {
            let plan = recipe::plan(room.library, name, room.params, place, timeout_ms);
            Ok(template::call(
                &plan.map_err(TrialError::Broken)?,
                &input,
                cwd,
                spool,
                nursery,
            )?)
        }
    }
}

fn told(materia: &Materia, input: String, called: &Called) -> TrialReport {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&called.stdout).into_owned(),
        String::from_utf8_lossy(&called.stderr).into_owned(),
    );
    let mut ended = called.ended.clone();
    ended.stdout_artifact = "stdout".to_owned();
    ended.stderr_artifact = "stderr".to_owned();
    let mut problem = ended.failure(&stderr);
    let json = materia.parse == Some(Parse::Json) || materia.generator;
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
