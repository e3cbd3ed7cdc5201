//! A tool call as words of the command line.
//!
//! Owns the parameters of our own tools, in both spellings of the reference (`to`, `type`, `body`
//! and `target`, `action`, `input`), and what is said about those that do not fit. Caller data is
//! data: it stands behind `--` or comes by stdin, so that no value can become an option.

use materia_engine::inspect::LINES;
use serde_json::{Map, Value};

use super::given::{Arguments, Given, Misfit, misfit};
use super::request::Request;

/// The parameter that asks for the whole report.
pub(super) const VERBOSE: &str = "verbose";

/// How long a call may wait where nothing is said, in seconds: clients lose patience with longer
/// ones.
const WAIT: f64 = 240.0;
/// How long a call may wait at most, in seconds.
const LONGEST_WAIT: f64 = 3600.0;
/// The views that are lists of messages or members.
const LISTS: [&str; 6] = [
    "mailbox",
    "messages",
    "previews",
    "roster",
    "contacts",
    "transcript",
];
/// The longest single word of a command line, in bytes; the system has a limit just above.
const LONGEST_WORD: usize = 120 * 1024;

/// The request that a call of one of our own tools is; none for other names.
pub(super) fn request(tool: &str, arguments: Arguments) -> Option<Result<Request, Misfit>> {
    let mut arguments = arguments;
    // How much comes back is not the command line's business.
    arguments.shift_remove(VERBOSE);
    let mut given = Given {
        tool: tool.to_owned(),
        arguments,
        notes: Vec::new(),
    };
    let made = match tool {
        "spawn" => spawn(&mut given),
        "message" => message(&mut given),
        "inspect" => inspect(&mut given),
        "register_tool" => register(&mut given),
        "cast" => cast(&mut given),
        "plan" => plan(&mut given),
        "wait" => wait(&mut given),
        _ => return None,
    };
    Some(made.and_then(|request| given.rest(request)))
}

/// The request that a call of a registered tool is.
pub(super) fn tool(name: &str, detached: bool, mut arguments: Arguments) -> Request {
    let run = if detached {
        arguments.shift_remove("run_id")
    } else {
        None
    };
    let run = run
        .as_ref()
        .and_then(Value::as_str)
        .map(|run| format!("run:{}", run.trim_start_matches("run:")));
    let mut words: Vec<String> = if detached {
        vec!["spawn".into()]
    } else {
        vec!["tool".into(), "call".into()]
    };
    words.extend(run.into_iter().flat_map(|run| ["--as".to_owned(), run]));
    words.extend(["--values", "-", "--", name].map(str::to_owned));
    Request::report(words).reading(Value::Object(arguments).to_string())
}

fn spawn(given: &mut Given) -> Result<Request, Misfit> {
    let template = given.take("template");
    let recipe = match given.text("file")? {
        Some(file) => Some((file, true)),
        None => given.text("recipe")?.map(|recipe| (recipe, false)),
    };
    let mut words = vec!["spawn".to_owned()];
    words.extend(given.option("--as", "as")?);
    match given.take("artifacts") {
        None => {}
        Some(Value::Object(artifacts)) => {
            for (name, declared) in artifacts {
                let said = if declared.is_object() {
                    Some(declared.to_string())
                } else {
                    None
                };
                let path = said.or_else(|| declared.as_str().map(str::to_owned));
                let Some(path) = path else {
                    return misfit(
                        format!("the artifact `{name}` has no path"),
                        "write {\"log\": \"out.log\"}",
                    );
                };
                words.extend(["--artifact".to_owned(), format!("{name}={path}")]);
            }
        }
        Some(_) => return misfit("`artifacts` is no object", "write {\"log\": \"out.log\"}"),
    }
    let values = given.take("values");
    if let Some(values) = &values {
        if !values.is_object() {
            return misfit("`values` is no object", "write {\"name\": \"value\"}");
        }
        words.extend(["--values".to_owned(), "-".to_owned()]);
    }
    words.extend(given.option("--on-session-end", "on_session_end")?);
    let agent = given.option("--agent", "agent")?;
    let (model, prompt) = (given.option("--model", "model")?, given.text("prompt")?);
    given.ignore(
        "state_dir",
        "`state_dir` is not used: the reply says where the run's directory is",
    );
    given.drop(&["transport_context"]);
    if agent.is_some() && template.is_none() && recipe.is_none() {
        words.extend(agent.into_iter().chain(model));
        if prompt
            .as_ref()
            .is_some_and(|prompt| prompt.len() > LONGEST_WORD)
        {
            return misfit(
                "the prompt is too long",
                "write it into a file and name that",
            );
        }
        words.extend(
            prompt
                .into_iter()
                .flat_map(|prompt| ["--".to_owned(), prompt]),
        );
        return Ok(Request::report(words));
    }
    match (template, recipe) {
        (Some(_), Some(_)) => return misfit("both a template and a recipe", "give one of them"),
        (None, None) => return misfit("nothing to run", "give `template`, `recipe` or `agent`"),
        (Some(template), None) => {
            words.extend(["--template".to_owned(), template_text(&template)?]);
        }
        (None, Some((file, true))) if is_file(&file) => words.extend(["--file".to_owned(), file]),
        (None, Some((name, _))) => words.extend(["--".to_owned(), name]),
    }
    let request = Request::report(words);
    Ok(match values {
        Some(values) => request.reading(values.to_string()),
        None => request,
    })
}

/// A name with a slash or an ending is a file; a bare one is looked up.
fn is_file(given: &str) -> bool {
    given.contains('/')
        || [".json", ".md"]
            .iter()
            .any(|ending| given.ends_with(ending))
}

fn template_text(template: &Value) -> Result<String, Misfit> {
    let text = template
        .as_str()
        .map_or_else(|| template.to_string(), str::to_owned);
    if text.len() > LONGEST_WORD {
        return misfit(
            "the template is too long",
            "save it as a recipe and spawn that",
        );
    }
    Ok(text)
}

fn message(given: &mut Given) -> Result<Request, Misfit> {
    let Some(to) = given.either("to", "target")? else {
        return misfit("`to` is missing", "write the address, such as run:ID");
    };
    let newer = given.arguments.contains_key("action");
    let Some(kind) = given.either("type", "action")? else {
        return misfit(
            "`type` is missing",
            "write what it is, such as task.run or control.kill",
        );
    };
    // In the newer spelling the runtime's own actions are bare words.
    let own = ["kill", "cancel", "archive", "prune", "continue", "abort"].contains(&kind.as_str());
    let kind = if newer && own {
        format!("control.{kind}")
    } else {
        kind
    };
    let body = given.take("body").or_else(|| given.take("input"));
    let mut words = vec!["message".to_owned()];
    for (option, name) in [
        ("--from", "from"),
        ("--summary", "summary"),
        ("--reply-to", "reply_to"),
        ("--correlation", "correlation_id"),
    ] {
        words.extend(given.option(option, name)?);
    }
    if let Some(metadata) = given.take("metadata") {
        words.push(format!("--metadata={metadata}"));
    }
    words.extend(
        body.as_ref()
            .into_iter()
            .flat_map(|_| ["--body-file".to_owned(), "-".to_owned()]),
    );
    words.extend(["--".to_owned(), to, kind]);
    let request = Request::report(words);
    // As JSON, so that a text which looks like a number stays a text.
    Ok(match body {
        Some(body) => request.reading(body.to_string()),
        None => request,
    })
}

fn inspect(given: &mut Given) -> Result<Request, Misfit> {
    let Some(target) = given.text("target")? else {
        return misfit(
            "`target` is missing",
            "write run:ID, coordinator, recipes or tool:NAME",
        );
    };
    let view = given.text("view")?.filter(|view| !view.is_empty());
    let lines = given.number("lines")?;
    let status = given.option("--status", "status")?;
    given.drop(&["source", "identity"]);
    let view = view.as_deref();
    if target == "recipes" {
        let word = if view == Some("doctor") {
            "doctor"
        } else {
            "list"
        };
        return Ok(Request::report(["recipe", word]));
    }
    if let Some(name) = target
        .strip_prefix("tool:")
        .filter(|name| !["materia", "pi-actors"].contains(name))
    {
        return Ok(Request::report(["tool", "show", "--", name]));
    }
    let (target, view) = match (target.as_str(), view) {
        ("runtime", Some("runs")) => ("coordinator", None),
        ("runtime", view) => ("tool:materia", view),
        (run, Some("trace")) if run.starts_with("run:") => (run, Some("tail")),
        (run, Some("control")) if run.starts_with("run:") => (run, Some("mailbox")),
        (run, Some("recipe")) if run.starts_with("run:") => (run, Some("status")),
        same => same,
    };
    let mut words = vec!["inspect".to_owned()];
    words.extend(view.map(|view| format!("--view={view}")));
    // A report has all of a list, and a model has only so much room.
    let lines = lines.or_else(|| {
        view.is_some_and(|view| LISTS.contains(&view))
            .then(|| LINES.to_string())
    });
    words.extend(lines.map(|lines| format!("--lines={lines}")));
    words.extend(status);
    words.extend(["--".to_owned(), target.to_owned()]);
    Ok(Request::report(words))
}

fn register(given: &mut Given) -> Result<Request, Misfit> {
    let Some(name) = given.text("name")? else {
        return Ok(Request::report(["tool", "list"]));
    };
    let update = given.flag("update")?;
    if let Some(draft) = given.text("draft")?.filter(|draft| !draft.is_empty()) {
        let mut words = vec!["tool".to_owned(), "promote".to_owned()];
        words.extend(["--name".to_owned(), name]);
        words.extend(update.then(|| "--update".to_owned()));
        words.extend(["--".to_owned(), draft]);
        return Ok(Request::report(words));
    }
    if given.arguments.get("template").is_some_and(is_blank) {
        given.arguments.clear();
        return Ok(Request::report(["tool", "remove", "--", &name]));
    }
    let mut fields = Map::new();
    for field in ["description", "async", "args", "defaults", "values"] {
        if let Some(value) = given.take(field) {
            fields.insert(
                field.to_owned(),
                if field == "args" {
                    arguments(value)
                } else {
                    value
                },
            );
        }
    }
    given.ignore(
        "state_dir",
        "`state_dir` is not used: every run has a directory of its own",
    );
    if let Some(from) = given.take("from") {
        fields.insert("imports".to_owned(), serde_json::json!({"recipe": from}));
        fields.insert("template".to_owned(), serde_json::json!({"name": "recipe"}));
    }
    if let Some(template) = given.take("template") {
        fields.insert("template".to_owned(), template);
    }
    let verb = if update { "update" } else { "register" };
    Ok(
        Request::report(["tool", verb, "--file", "/dev/stdin", "--", &name])
            .reading(Value::Object(fields).to_string()),
    )
}

/// Null and blank mean: take it away.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Declarations in one text, `a, b:int=3`, or as they are.
fn arguments(given: Value) -> Value {
    let Some(text) = given.as_str() else {
        return given;
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
    serde_json::json!(parts)
}

fn cast(given: &mut Given) -> Result<Request, Misfit> {
    let Some(request) = given
        .text("request")?
        .filter(|request| !request.trim().is_empty())
    else {
        return misfit("`request` is missing", "write what should be done");
    };
    if request.len() > LONGEST_WORD {
        return misfit(
            "the request is too long",
            "put it into a file and name the file",
        );
    }
    let loadout = given.option("--loadout", "loadout")?;
    // A run that is to have a name of its own is spawned, which takes no loadout for granted.
    let mut words = match (given.option("--as", "as")?, &loadout) {
        (None, _) => vec!["cast".to_owned(), "--detach".to_owned()],
        (Some(_), None) => {
            return misfit(
                "`as` needs a `loadout`",
                "name the loadout, or leave `as` out",
            );
        }
        (Some(name), Some(_)) => vec!["spawn".to_owned(), name],
    };
    words.extend(loadout);
    words.extend(given.option("--agent", "agent")?);
    words.extend(["--".to_owned(), request]);
    Ok(Request::report(words))
}

fn plan(given: &mut Given) -> Result<Request, Misfit> {
    let mut words = vec!["plan".to_owned()];
    words.extend(
        given
            .number("items")?
            .map(|items| format!("--items={items}")),
    );
    words.extend(
        given
            .text("loadout")?
            .into_iter()
            .flat_map(|loadout| ["--".to_owned(), loadout]),
    );
    Ok(Request::report(words))
}

fn wait(given: &mut Given) -> Result<Request, Misfit> {
    let runs: Vec<String> = match given.take("runs").or_else(|| given.take("run")) {
        Some(Value::String(run)) => vec![run],
        Some(Value::Array(runs)) => runs
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    if runs.is_empty() {
        return misfit("`runs` is missing", "write [\"run:ID\"]");
    }
    let timeout = given
        .number("timeout")?
        .map_or(Ok(WAIT), |text| text.parse::<f64>());
    let Some(timeout) = timeout
        .ok()
        .filter(|timeout| (0.0..=LONGEST_WAIT).contains(timeout))
    else {
        return misfit(
            "`timeout` is no number of seconds up to 3600",
            "leave it out",
        );
    };
    let mut words = vec!["wait".to_owned(), format!("--timeout={timeout}")];
    words.extend(given.flag("any")?.then(|| "--any".to_owned()));
    words.push("--".to_owned());
    words.extend(runs);
    Ok(Request::report(words))
}

#[cfg(test)]
mod tests;
