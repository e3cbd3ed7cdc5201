//! Translates the arguments of the built-in tools into calls of the engine.
//!
//! Owns the parameters of the built-in tools, in both forms of the reference (`to`, `type`, `body`
//! and `target`, `action`, `input`), and the errors for arguments that do not fit.

use std::path::PathBuf;
use std::time::Duration;

use materia_engine::api::{
    AgentChoice, AgentOptions, CastOptions, CastRequest, INSPECT_LINES, InspectRequest,
    MessageDraft, MessageRequest, PlanRequest, PromoteToolRequest, RegisterToolRequest, RunOptions,
    SpawnAgentRequest, SpawnRequest, TemplateRequest, TemplateSource, TemplateValues, WaitRequest,
};
use materia_model::run::OnSessionEnd;
use serde_json::{Map, Value, json};

use super::arguments::{ArgumentError, ArgumentMap, ArgumentReader, invalid};
use super::call::{Call, CallRequest};

/// The parameter that requests the complete report.
pub(super) const VERBOSE: &str = "verbose";

/// Default timeout of a wait, in seconds: clients give up on longer calls.
const DEFAULT_WAIT_SECONDS: f64 = 240.0;
/// Maximum timeout of a wait, in seconds.
const MAX_WAIT_SECONDS: f64 = 3600.0;
/// Default number of items in a plan, as on the command line.
const DEFAULT_PLAN_ITEMS: u64 = 5;
/// Maximum number of items in a plan.
const MAX_PLAN_ITEMS: u64 = 100_000;
/// The views that are lists of messages or members.
const LIST_VIEWS: [&str; 6] = [
    "mailbox",
    "messages",
    "previews",
    "roster",
    "contacts",
    "transcript",
];
/// Runtime actions that the newer form of the reference writes without their prefix.
const CONTROL_ACTIONS: [&str; 6] = ["kill", "cancel", "archive", "prune", "continue", "abort"];

/// The call for one of the built-in tools. `None` for other names.
pub(super) fn own_tool(
    tool: &str,
    mut arguments: ArgumentMap,
) -> Option<Result<Call, ArgumentError>> {
    // The code that sends the report decides how much of it to send.
    arguments.shift_remove(VERBOSE);
    let mut reader = ArgumentReader {
        tool: tool.to_owned(),
        arguments,
        notes: Vec::new(),
    };
    let request = match tool {
        "spawn" => spawn(&mut reader),
        "message" => message(&mut reader),
        "inspect" => inspect(&mut reader),
        "register_tool" => register(&mut reader),
        "cast" => cast(&mut reader),
        "plan" => plan(&mut reader),
        "wait" => wait(&mut reader),
        _ => return None,
    };
    Some(request.and_then(|request| {
        let notes = reader.finish()?;
        Ok(Call { request, notes })
    }))
}

/// The call for a registered tool.
pub(super) fn registered_tool(name: &str, detached: bool, mut arguments: ArgumentMap) -> Call {
    if !detached {
        return Call::new(CallRequest::ToolCall(name.to_owned(), arguments));
    }
    let run = arguments.shift_remove("run_id");
    let address = run
        .as_ref()
        .and_then(Value::as_str)
        .map(|run| format!("run:{}", run.trim_start_matches("run:")));
    Call::new(CallRequest::Spawn(SpawnRequest {
        template: template_request(TemplateSource::Recipe(name.to_owned()), arguments),
        artifacts: Vec::new(),
        options: RunOptions {
            address,
            ..RunOptions::default()
        },
    }))
}

fn template_request(source: TemplateSource, values: Map<String, Value>) -> TemplateRequest {
    TemplateRequest {
        source,
        values: TemplateValues::Object(values),
        arguments: Vec::new(),
        stdin: None,
    }
}

fn spawn(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let template = reader.take("template");
    let recipe = match reader.text("file")? {
        Some(file) => Some(file_or_recipe(file)),
        None => reader.text("recipe")?.map(TemplateSource::Recipe),
    };
    let artifacts = artifacts(reader)?;
    let values = match reader.take("values") {
        None => Map::new(),
        Some(Value::Object(values)) => values,
        Some(_) => return invalid("`values` is no object", "write {\"name\": \"value\"}"),
    };
    let options = RunOptions {
        address: reader.text("as")?,
        on_session_end: on_session_end(reader)?,
        ..RunOptions::default()
    };
    let (agent, model, prompt) = (
        reader.text("agent")?,
        reader.text("model")?,
        reader.text("prompt")?,
    );
    reader.ignore(
        "state_dir",
        "`state_dir` is not used: the reply says where the run's directory is",
    );
    reader.drop(&["transport_context"]);
    let source = match (template, recipe) {
        (Some(_), Some(_)) => return invalid("both a template and a recipe", "give one of them"),
        (Some(Value::String(template)), None) => TemplateSource::Inline(template),
        (Some(template), None) => TemplateSource::Inline(template.to_string()),
        (None, Some(source)) => source,
        (None, None) if agent.is_some() => {
            return Ok(CallRequest::SpawnAgent(SpawnAgentRequest {
                agent: AgentChoice {
                    agent,
                    script: None,
                },
                options: AgentOptions {
                    model,
                    ..AgentOptions::default()
                },
                message: prompt,
                run: options,
            }));
        }
        (None, None) => {
            return invalid("nothing to run", "give `template`, `recipe` or `agent`");
        }
    };
    Ok(CallRequest::Spawn(SpawnRequest {
        template: template_request(source, values),
        artifacts,
        options,
    }))
}

fn artifacts(reader: &mut ArgumentReader) -> Result<Vec<String>, ArgumentError> {
    let declared = match reader.take("artifacts") {
        None => return Ok(Vec::new()),
        Some(Value::Object(declared)) => declared,
        Some(_) => return invalid("`artifacts` is no object", "write {\"log\": \"out.log\"}"),
    };
    let one = |(name, declared): (String, Value)| match declared {
        Value::String(path) => Ok(format!("{name}={path}")),
        Value::Object(_) => Ok(format!("{name}={declared}")),
        _ => invalid(
            format!("the artifact `{name}` has no path"),
            "write {\"log\": \"out.log\"}",
        ),
    };
    declared.into_iter().map(one).collect()
}

fn on_session_end(reader: &mut ArgumentReader) -> Result<OnSessionEnd, ArgumentError> {
    match reader.text("on_session_end")?.as_deref() {
        None | Some("keep") => Ok(OnSessionEnd::Keep),
        Some("kill") => Ok(OnSessionEnd::Kill),
        Some(_) => invalid(
            "`on_session_end` is neither `keep` nor `kill`",
            "write keep or kill",
        ),
    }
}

/// A name with a slash or an extension is a file; other names are looked up.
fn file_or_recipe(named: String) -> TemplateSource {
    let is_file = named.contains('/')
        || [".json", ".md"]
            .iter()
            .any(|ending| named.ends_with(ending));
    if is_file {
        TemplateSource::File(PathBuf::from(named))
    } else {
        TemplateSource::Recipe(named)
    }
}

fn message(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let Some(to) = reader.either("to", "target")? else {
        return invalid("`to` is missing", "write the address, such as run:ID");
    };
    let newer = reader.arguments.contains_key("action");
    let Some(kind) = reader.either("type", "action")? else {
        return invalid(
            "`type` is missing",
            "write what it is, such as task.run or control.kill",
        );
    };
    let kind = if newer && CONTROL_ACTIONS.contains(&kind.as_str()) {
        format!("control.{kind}")
    } else {
        kind
    };
    Ok(CallRequest::Message(MessageRequest {
        draft: MessageDraft {
            to,
            kind,
            body: reader.take("body").or_else(|| reader.take("input")),
            from: reader.text("from")?,
            summary: reader.text("summary")?,
            reply_to: reader.text("reply_to")?,
            correlation_id: reader.text("correlation_id")?,
            metadata: reader.take("metadata"),
        },
        ..MessageRequest::default()
    }))
}

fn inspect(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let Some(target) = reader.text("target")? else {
        return invalid(
            "`target` is missing",
            "write run:ID, coordinator, recipes or tool:NAME",
        );
    };
    let view = reader.text("view")?.filter(|view| !view.is_empty());
    let lines = reader.count("lines")?;
    let status = reader.text("status")?;
    reader.drop(&["source", "identity"]);
    let view = view.as_deref();
    if target == "recipes" {
        return Ok(match view {
            Some("doctor") => CallRequest::RecipeDoctor,
            _ => CallRequest::RecipeList,
        });
    }
    let tool = target.strip_prefix("tool:");
    if let Some(name) = tool.filter(|name| !["materia", "pi-actors"].contains(name)) {
        return Ok(CallRequest::RecipeShow(name.to_owned()));
    }
    let (target, view) = match (target.as_str(), view) {
        ("runtime", Some("runs")) => ("coordinator", None),
        ("runtime", view) => ("tool:materia", view),
        (run, Some("trace")) if run.starts_with("run:") => (run, Some("tail")),
        (run, Some("control")) if run.starts_with("run:") => (run, Some("mailbox")),
        (run, Some("recipe")) if run.starts_with("run:") => (run, Some("status")),
        same => same,
    };
    // A report contains the whole list, but a model's context is limited.
    let is_list = view.is_some_and(|view| LIST_VIEWS.contains(&view));
    let lines = lines.and_then(|lines| usize::try_from(lines).ok());
    Ok(CallRequest::Inspect(InspectRequest {
        target: target.to_owned(),
        view: view.map(str::to_owned),
        lines: lines.or(is_list.then_some(INSPECT_LINES)),
        status,
        ..InspectRequest::default()
    }))
}

fn register(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let Some(name) = reader.text("name")? else {
        return Ok(CallRequest::ToolList);
    };
    let update = reader.flag("update")?;
    if let Some(draft) = reader.text("draft")?.filter(|draft| !draft.is_empty()) {
        return Ok(CallRequest::ToolPromote(PromoteToolRequest {
            draft,
            name: Some(name),
            update,
        }));
    }
    if reader.arguments.get("template").is_some_and(is_blank) {
        reader.arguments.clear();
        return Ok(CallRequest::ToolRemove(name));
    }
    let mut fields = Map::new();
    for field in ["description", "async", "args", "defaults", "values"] {
        let value = reader.take(field).map(|value| match field {
            "args" => declared_arguments(value),
            _ => value,
        });
        fields.extend(value.map(|value| (field.to_owned(), value)));
    }
    reader.ignore(
        "state_dir",
        "`state_dir` is not used: every run has a directory of its own",
    );
    if let Some(from) = reader.take("from") {
        fields.insert("imports".to_owned(), json!({"recipe": from}));
        fields.insert("template".to_owned(), json!({"name": "recipe"}));
    }
    if let Some(template) = reader.take("template") {
        fields.insert("template".to_owned(), template);
    }
    Ok(CallRequest::ToolRegister(RegisterToolRequest {
        name,
        update,
        fields,
        ..RegisterToolRequest::default()
    }))
}

/// Null and blank mean: remove it.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Declarations as one text, `a, b:int=3`, or unchanged.
fn declared_arguments(value: Value) -> Value {
    let Some(text) = value.as_str() else {
        return value;
    };
    let (mut depth, mut parts) = (0i32, vec![String::new()]);
    for character in text.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    let parts: Vec<&str> = parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
        .collect();
    json!(parts)
}

fn cast(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let request = reader.text("request")?;
    let Some(request) = request.filter(|request| !request.trim().is_empty()) else {
        return invalid("`request` is missing", "write what should be done");
    };
    let loadout = reader.text("loadout")?;
    let address = reader.text("as")?;
    let cast = CastRequest {
        request,
        options: CastOptions {
            agents: AgentChoice {
                agent: reader.text("agent")?,
                script: None,
            },
            detach: true,
            ..CastOptions::default()
        },
        loadout,
    };
    // A run with an address of its own is spawned, and a spawn has no default loadout.
    match address {
        None => Ok(CallRequest::Cast(cast)),
        Some(_) if cast.loadout.is_none() => invalid(
            "`as` needs a `loadout`",
            "name the loadout, or leave `as` out",
        ),
        address => Ok(CallRequest::SpawnCast(
            cast,
            RunOptions {
                address,
                ..RunOptions::default()
            },
        )),
    }
}

fn plan(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let items = reader.count("items")?.unwrap_or(DEFAULT_PLAN_ITEMS);
    if items > MAX_PLAN_ITEMS {
        let message = format!("`items` is more than {MAX_PLAN_ITEMS}");
        return invalid(message, "write a smaller number");
    }
    Ok(CallRequest::Plan(PlanRequest {
        loadout: reader.text("loadout")?,
        items,
        ..PlanRequest::default()
    }))
}

fn wait(reader: &mut ArgumentReader) -> Result<CallRequest, ArgumentError> {
    let runs: Vec<String> = match reader.take("runs").or_else(|| reader.take("run")) {
        Some(Value::String(run)) => vec![run],
        Some(Value::Array(runs)) => runs
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    if runs.is_empty() {
        return invalid("`runs` is missing", "write [\"run:ID\"]");
    }
    let seconds = reader.number("timeout")?.unwrap_or(DEFAULT_WAIT_SECONDS);
    if !(0.0..=MAX_WAIT_SECONDS).contains(&seconds) {
        return invalid(
            "`timeout` is no number of seconds up to 3600",
            "leave it out",
        );
    }
    Ok(CallRequest::Wait(WaitRequest {
        runs,
        any: reader.flag("any")?,
        timeout: Some(Duration::from_secs_f64(seconds)),
        ..WaitRequest::default()
    }))
}

#[cfg(test)]
mod tests;
