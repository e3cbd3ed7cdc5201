//! One call of the engine on behalf of a client.
//!
//! Owns the requests that clients can make, and turning a report or an error into one answer. Calls
//! that execute programs become a command of this program in a process of its own, so that
//! cancelling one ends what it started. Never reads parameters: `tool_call` and `resources` do.

use materia_engine::api::{
    ApiError, CastListRequest, CastReport, CastRequest, CastShowRequest, Engine, ErrorKind,
    GridFormat, GridRequest, InspectRequest, LoadoutsRequest, MessageRequest, OwnCommandReport,
    OwnCommandRequest, PlanRequest, PromoteToolRequest, RecipeDoctorReport, RegisterToolRequest,
    RunOptions, SpawnAgentRequest, SpawnRequest, WaitObserver, WaitReport, WaitRequest,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A call, with notes for the client.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) request: CallRequest,
    /// Notes about parameters that have no effect.
    pub(super) notes: Vec<String>,
}

/// A request to the engine.
#[derive(Debug)]
pub(super) enum CallRequest {
    Spawn(SpawnRequest),
    SpawnAgent(SpawnAgentRequest),
    SpawnCast(CastRequest, RunOptions),
    Cast(CastRequest),
    CastList,
    CastShow(String),
    Message(MessageRequest),
    Inspect(InspectRequest),
    Wait(WaitRequest),
    Plan(PlanRequest),
    LoadoutList,
    Grid(String),
    RecipeList,
    RecipeDoctor,
    RecipeShow(String),
    ToolList,
    ToolRegister(RegisterToolRequest),
    ToolPromote(PromoteToolRequest),
    ToolRemove(String),
    /// A registered tool and its arguments.
    ToolCall(String, Map<String, Value>),
    /// A command line of the user; the answer is the text that a terminal would show.
    CommandLine(Vec<String>),
}

/// Selects the text that describes the report of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Spawn,
    Cast,
    /// A cast was started as a run with an address of its own.
    SpawnCast,
    Wait,
    /// A tool was called or changed.
    Tool,
    Other,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Answer {
    /// The exit code of a command with this result.
    pub(super) code: u8,
    /// The report or the error, as `--json` prints it; for a command line, a text.
    pub(super) document: Value,
}

impl Call {
    pub(super) fn new(request: CallRequest) -> Self {
        Self {
            request,
            notes: Vec::new(),
        }
    }
}

impl CallRequest {
    pub(super) fn kind(&self) -> CallKind {
        match self {
            Self::Spawn(_) | Self::SpawnAgent(_) => CallKind::Spawn,
            Self::SpawnCast(..) => CallKind::SpawnCast,
            Self::Cast(_) => CallKind::Cast,
            Self::Wait(_) => CallKind::Wait,
            Self::ToolCall(..)
            | Self::ToolList
            | Self::ToolRegister(_)
            | Self::ToolPromote(_)
            | Self::ToolRemove(_) => CallKind::Tool,
            _ => CallKind::Other,
        }
    }

    /// Performs the call.
    pub(super) fn perform(self, engine: &Engine) -> Answer {
        match self {
            Self::Spawn(request) => Answer::of(engine.spawn(request)),
            Self::SpawnAgent(request) => Answer::of(engine.spawn_agent(request, &mut ())),
            Self::SpawnCast(request, run) => Answer::of(engine.spawn_cast(&request, &run, &mut ())),
            Self::Cast(request) => {
                Answer::with_code(engine.cast(&request, &mut ()), CastReport::exit_code)
            }
            Self::CastList => Answer::of(engine.casts(&CastListRequest::default())),
            Self::CastShow(cast) => Answer::of(engine.cast_show(&CastShowRequest {
                cast: Some(cast),
                ..CastShowRequest::default()
            })),
            Self::Message(request) if request.draft.to.starts_with("tool:") => {
                message_to_tool(engine, &request)
            }
            Self::Message(request) => {
                let report = engine.message(request, None);
                Answer::with_code(report, |report| failed_unless(report.ok))
            }
            Self::Inspect(request) => Answer::of(engine.inspect(&request)),
            Self::Wait(request) => {
                let report = engine.wait(&request, &mut NoWaitOutput);
                Answer::with_code(report, |report| failed_unless(report.ok))
            }
            Self::Plan(request) => Answer::of(engine.plan(&request)),
            Self::LoadoutList => Answer::of(engine.loadouts(&LoadoutsRequest::default())),
            Self::Grid(loadout) => grid(engine, loadout),
            Self::RecipeList => Answer::of(engine.recipe_list()),
            Self::RecipeDoctor => {
                Answer::with_code(engine.recipe_doctor(), RecipeDoctorReport::exit_code)
            }
            Self::RecipeShow(name) => Answer::of(engine.recipe_show(&name)),
            Self::ToolList => Answer::of(engine.tool_list()),
            Self::ToolRegister(request) => Answer::of(engine.tool_register(request)),
            Self::ToolPromote(request) => Answer::of(engine.tool_promote(&request)),
            Self::ToolRemove(name) => Answer::of(engine.tool_remove(&name)),
            Self::ToolCall(name, values) => tool_call(engine, name, values),
            Self::CommandLine(arguments) => command_line(engine, arguments),
        }
    }
}

impl Answer {
    /// The answer for a report; any report is a success.
    fn of<T: Serialize>(result: Result<T, ApiError>) -> Self {
        Self::with_code(result, |_| 0)
    }

    /// The answer for a report, with an exit code computed from it.
    fn with_code<T: Serialize>(result: Result<T, ApiError>, code: impl FnOnce(&T) -> u8) -> Self {
        match result {
            Ok(report) => match serde_json::to_value(&report) {
                Ok(document) => Self {
                    code: code(&report),
                    document,
                },
                Err(error) => Self::error(&ApiError::from_error(
                    ErrorKind::Internal,
                    "internal",
                    &error,
                )),
            },
            Err(error) => Self::error(&error),
        }
    }

    /// The answer for an error.
    pub(super) fn error(error: &ApiError) -> Self {
        Self {
            code: error.kind.exit_code(),
            document: json!(error.report()),
        }
    }
}

fn failed_unless(ok: bool) -> u8 {
    if ok { 0 } else { ErrorKind::Failed.exit_code() }
}

/// Shows nothing while waiting for runs: the report is the answer.
struct NoWaitOutput;

impl WaitObserver for NoWaitOutput {
    fn report(&mut self, _: &WaitReport) {}
}

fn grid(engine: &Engine, loadout: String) -> Answer {
    let request = GridRequest {
        loadout: Some(loadout),
        ..GridRequest::default()
    };
    let drawn = engine
        .grid(&request)
        .map(|grid| grid.text(GridFormat::Json));
    match drawn.map(|text| serde_json::from_str(&text)) {
        Ok(Ok(document)) => Answer { code: 0, document },
        Ok(Err(error)) => Answer::error(&ApiError::from_error(
            ErrorKind::Internal,
            "internal",
            &error,
        )),
        Err(error) => Answer::error(&error),
    }
}

fn tool_call(engine: &Engine, name: String, values: Map<String, Value>) -> Answer {
    let options = ["--json", "tool", "call", "--values", "-", "--"];
    let arguments = options.into_iter().map(str::to_owned).chain([name]);
    reported(engine.own_command(OwnCommandRequest {
        arguments: arguments.collect(),
        stdin: Some(Value::Object(values).to_string()),
    }))
}

/// A message to a tool executes it.
fn message_to_tool(engine: &Engine, request: &MessageRequest) -> Answer {
    let draft = &request.draft;
    let mut arguments = vec!["--json".to_owned(), "message".to_owned()];
    for (option, value) in [
        ("--from", &draft.from),
        ("--summary", &draft.summary),
        ("--reply-to", &draft.reply_to),
        ("--correlation", &draft.correlation_id),
    ] {
        arguments.extend(value.iter().map(|value| format!("{option}={value}")));
    }
    let metadata = draft.metadata.iter();
    arguments.extend(metadata.map(|metadata| format!("--metadata={metadata}")));
    if draft.body.is_some() {
        arguments.push("--body-file=-".to_owned());
    }
    // After `--`, input from the client cannot become an option.
    arguments.extend(["--".to_owned(), draft.to.clone(), draft.kind.clone()]);
    reported(engine.own_command(OwnCommandRequest {
        arguments,
        stdin: draft.body.as_ref().map(Value::to_string),
    }))
}

/// The report that a command of this program printed.
fn reported(result: Result<OwnCommandReport, ApiError>) -> Answer {
    let report = match result {
        Ok(report) => report,
        Err(error) => return Answer::error(&error),
    };
    match serde_json::from_slice(&report.stdout) {
        Ok(document) => Answer {
            code: exit_code(report.code),
            document,
        },
        Err(_) => {
            let message = format!("no report (exit code {}): {}", report.code, report.stderr);
            Answer::error(&ApiError::new(ErrorKind::Internal, "internal", message))
        }
    }
}

fn command_line(engine: &Engine, arguments: Vec<String>) -> Answer {
    let request = OwnCommandRequest {
        arguments,
        stdin: None,
    };
    match engine.own_command(request) {
        Ok(report) => {
            let stdout = String::from_utf8_lossy(&report.stdout);
            let text = match stdout.trim().is_empty() {
                true => report.stderr,
                false => stdout.trim_end().to_owned(),
            };
            Answer {
                code: exit_code(report.code),
                document: text.into(),
            }
        }
        Err(error) => Answer::error(&error),
    }
}

/// Converts an exit code to a byte. A process killed by a signal has no exit code.
fn exit_code(code: i32) -> u8 {
    u8::try_from(code).unwrap_or(ErrorKind::Internal.exit_code())
}
