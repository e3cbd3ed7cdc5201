//! Goose recipes: one prompt for an agent, with parameters, checks and sub-recipes.
//!
//! Owns reading their YAML or JSON. The prompt becomes the input of one `materia agent run`; checks
//! become steps that are retried together with it; sub-recipes run first and their answers are
//! attached.

use serde_json::{Map, Value, json};

use super::{ImportResult, RecipeDraft, name_of, plain, word};
use crate::document::{self, JsonContent, JsonNode};
use crate::finding::{Finding, Source};
use crate::recipe::yaml;
use crate::text;

/// The fields that are converted, or deliberately ignored.
const KNOWN: [&str; 14] = [
    "version",
    "title",
    "description",
    "instructions",
    "prompt",
    "parameters",
    "extensions",
    "settings",
    "activities",
    "response",
    "sub_recipes",
    "retry",
    "author",
    "name",
];

struct Reader<'s> {
    source: &'s Source,
    notes: Vec<Finding>,
    args: Vec<Value>,
    defaults: Map<String, Value>,
    attached: Vec<String>,
}

/// Reads a goose recipe. `stem` is its file name without extension.
pub fn goose(source: &Source, stem: &str) -> Result<ImportResult, Vec<Finding>> {
    let text = source.text();
    let is_json = text.trim_start().starts_with('{');
    let root = if is_json {
        document::parse(source)?
    } else {
        yaml::parse(source, 0..text.len())?
    };
    if !matches!(root.content, JsonContent::Object(_))
        || root.get("prompt").or(root.get("instructions")).is_none()
    {
        let message = "this is no goose recipe: it has neither `prompt` nor `instructions`";
        return Err(vec![
            Finding::error("not-a-goose-recipe", message).at(source, &root.span),
        ]);
    }
    let mut reader = Reader {
        source,
        notes: Vec::new(),
        args: Vec::new(),
        defaults: Map::new(),
        attached: Vec::new(),
    };
    for member in root
        .members()
        .iter()
        .filter(|member| !KNOWN.contains(&member.name.as_str()))
    {
        reader.note(
            &member.name_span,
            format!(
                "`{}` is not known and was left out",
                text::printable(&member.name)
            ),
        );
    }
    let recipe = reader.recipe(&root);
    let name = root
        .get("name")
        .or(root.get("title"))
        .and_then(JsonNode::as_str)
        .map_or_else(|| name_of(stem), name_of);
    let needs = root
        .get("sub_recipes")
        .into_iter()
        .flat_map(JsonNode::items);
    let needs = needs
        .filter_map(|one| one.get("path")?.as_str())
        .map(str::to_owned)
        .collect();
    let mut notes = reader.notes;
    notes.sort_by_key(|note| note.place.as_ref().map(|at| (at.line, at.column)));
    Ok(ImportResult {
        recipes: vec![RecipeDraft { name, recipe }],
        notes,
        needs,
    })
}

impl Reader<'_> {
    fn note(&mut self, span: &std::ops::Range<usize>, message: String) {
        self.notes
            .push(Finding::warning("not-carried-over", message).at(self.source, span));
    }

    fn recipe(&mut self, root: &JsonNode) -> Value {
        let mut recipe = Map::new();
        if let Some(description) = root
            .get("description")
            .or(root.get("title"))
            .and_then(JsonNode::as_str)
        {
            recipe.insert("description".to_owned(), description.trim().into());
        }
        recipe.insert("async".to_owned(), true.into());
        root.get("parameters")
            .into_iter()
            .flat_map(JsonNode::items)
            .for_each(|one| self.parameter(one));
        let tools = self.extensions(root);
        self.settings(root);
        let (imports, mut steps) = self.below(root);
        let asked = self.prompt(root);
        let mut leaf = Map::new();
        leaf.insert("stage".to_owned(), "answer".into());
        leaf.insert("failure".to_owned(), "root".into());
        leaf.insert("input".to_owned(), asked.into());
        leaf.insert("template".to_owned(), self.command(tools).into());
        steps.push(self.checked(root, leaf));
        let mut args = std::mem::take(&mut self.args);
        args.extend([json!("agent:string"), json!("model:string")]);
        self.defaults.entry("agent").or_insert_with(|| "".into());
        self.defaults.entry("model").or_insert_with(|| "".into());
        recipe.insert("args".to_owned(), args.into());
        recipe.insert(
            "defaults".to_owned(),
            std::mem::take(&mut self.defaults).into(),
        );
        if !imports.is_empty() {
            recipe.insert("imports".to_owned(), imports.into());
        }
        recipe.insert("template".to_owned(), steps.into());
        Value::Object(recipe)
    }

    fn parameter(&mut self, one: &JsonNode) {
        let Some(key) = one.get("key").and_then(JsonNode::as_str).map(str::to_owned) else {
            return self.note(
                &one.span,
                "a parameter without a `key` was left out".to_owned(),
            );
        };
        let kind = one
            .get("input_type")
            .and_then(JsonNode::as_str)
            .unwrap_or("string");
        let declared = match kind {
            "number" => "number".to_owned(),
            "boolean" => "bool".to_owned(),
            "file" => {
                self.attached.push(key.clone());
                "path".to_owned()
            }
            "select" => {
                let words = one
                    .get("options")
                    .into_iter()
                    .flat_map(JsonNode::items)
                    .filter_map(JsonNode::as_str);
                let words: Vec<&str> = words.collect();
                let simple = |word: &&str| {
                    !word.is_empty()
                        && word
                            .chars()
                            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
                };
                if words.is_empty() || !words.iter().all(simple) {
                    self.note(
                        &one.span,
                        format!("the options of `{key}` are no plain words; any text is taken"),
                    );
                    "string".to_owned()
                } else {
                    format!("enum({})", words.join(","))
                }
            }
            _ => "string".to_owned(),
        };
        self.args.push(format!("{key}:{declared}").into());
        let optional = one.get("requirement").and_then(JsonNode::as_str) == Some("optional");
        match one.get("default") {
            Some(default) => {
                let value = default.to_value();
                let value = value
                    .as_str()
                    .map_or(value.clone(), |text| plain(text).into());
                self.defaults.insert(key, value);
            }
            None if optional && matches!(kind, "string" | "date") => {
                self.defaults.insert(key, "".into());
            }
            None if one.get("requirement").and_then(JsonNode::as_str) == Some("user_prompt") => {
                self.note(
                    &one.span,
                    format!("`{key}` was asked for; here it has to be given"),
                );
            }
            None => {}
        }
    }

    /// The tool scope for the extensions.
    fn extensions(&mut self, root: &JsonNode) -> &'static str {
        let mut tools = "none";
        for one in root.get("extensions").into_iter().flat_map(JsonNode::items) {
            let name = one
                .get("name")
                .and_then(JsonNode::as_str)
                .unwrap_or("?")
                .to_owned();
            match one.get("type").and_then(JsonNode::as_str) {
                Some("builtin") if name == "developer" => tools = "coding",
                Some("builtin" | "platform") => {
                    self.note(
                        &one.span,
                        format!("the extension `{name}` is a part of goose; the agent has to bring its like"),
                    );
                }
                _ => {
                    let what = one
                        .get("cmd")
                        .or(one.get("uri"))
                        .and_then(JsonNode::as_str)
                        .unwrap_or("?")
                        .to_owned();
                    let told = format!(
                        "the extension `{name}` ({}) is an MCP server: add it to the agent that plays",
                        text::printable(&what)
                    );
                    self.note(&one.span, told);
                }
            }
        }
        if root.get("extensions").is_none() {
            "coding"
        } else {
            tools
        }
    }

    fn settings(&mut self, root: &JsonNode) {
        let Some(settings) = root.get("settings") else {
            return;
        };
        let said = |name: &str| settings.get(name).and_then(JsonNode::as_str);
        if let Some(model) = said("goose_model") {
            let model = said("goose_provider").map_or_else(
                || model.to_owned(),
                |provider| format!("{provider}/{model}"),
            );
            self.defaults
                .insert("model".to_owned(), plain(&model).into());
        }
        for member in settings.members() {
            if !matches!(member.name.as_str(), "goose_model" | "goose_provider") {
                self.note(
                    &member.name_span,
                    format!(
                        "the setting `{}` is left to the agent",
                        text::printable(&member.name)
                    ),
                );
            }
        }
    }

    /// The sub-recipes. They run first, and the prompt sees their answers.
    fn below(&mut self, root: &JsonNode) -> (Map<String, Value>, Vec<Value>) {
        let (mut imports, mut steps) = (Map::new(), Vec::new());
        for one in root
            .get("sub_recipes")
            .into_iter()
            .flat_map(JsonNode::items)
        {
            let (Some(name), Some(path)) = (
                one.get("name").and_then(JsonNode::as_str),
                one.get("path").and_then(JsonNode::as_str),
            ) else {
                self.note(
                    &one.span,
                    "a sub-recipe without `name` and `path` was left out".to_owned(),
                );
                continue;
            };
            let alias = name_of(name).replace('-', "_");
            let stem = path.rsplit('/').next().unwrap_or(path);
            let stem = stem
                .strip_suffix(".yaml")
                .or(stem.strip_suffix(".yml"))
                .or(stem.strip_suffix(".json"))
                .unwrap_or(stem);
            imports.insert(alias.clone(), format!("./{}.json", name_of(stem)).into());
            let mut step = json!({"name": alias});
            let mut values = Map::new();
            for member in one.get("values").into_iter().flat_map(JsonNode::members) {
                let value = member.value.as_str().map_or_else(
                    || member.value.to_value(),
                    |text| self.filled(text, &member.value).into(),
                );
                values.insert(member.name.clone(), value);
            }
            if !values.is_empty() {
                step["values"] = values.into();
            }
            self.note(
                &one.span,
                format!(
                    "the agent chose when to use `{alias}`; here it runs first, and its answer is attached"
                ),
            );
            self.attached.push(format!("stages.{alias}"));
            steps.push(step);
        }
        (imports, steps)
    }

    fn prompt(&mut self, root: &JsonNode) -> String {
        let mut parts = Vec::new();
        for part in [root.get("instructions"), root.get("prompt")]
            .into_iter()
            .flatten()
        {
            if let Some(said) = part.as_str() {
                parts.push(self.filled(said.trim(), part));
            }
        }
        if let Some(schema) = root
            .get("response")
            .and_then(|response| response.get("json_schema"))
        {
            self.note(
                &schema.span,
                "the schema of the answer is asked for in the prompt and not enforced".to_owned(),
            );
            parts.push(format!(
                "Answer with one JSON document of this schema, and nothing else:\n{}",
                plain(&schema.to_value().to_string())
            ));
        }
        format!("{}\n", parts.join("\n\n"))
    }

    /// Converts goose's placeholders in a text to ours.
    fn filled(&mut self, said: &str, node: &JsonNode) -> String {
        let mut out = String::new();
        let mut rest = said;
        while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
            out.push_str(&plain(&rest[..at]));
            let close = if rest[at..].starts_with("{{") {
                "}}"
            } else {
                "%}"
            };
            let end = rest[at..]
                .find(close)
                .map_or(rest.len(), |end| at + end + 2);
            let inside = rest[at..end]
                .trim_start_matches("{{")
                .trim_end_matches("}}")
                .trim();
            let is_name = inside
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
                && inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if close == "}}" && self.attached.iter().any(|name| name == inside) {
                out.push_str(&format!("(the attached file {{{inside}}})"));
            } else if close == "}}" && is_name {
                out.push_str(&format!("{{{inside}}}"));
            } else {
                let told = text::bounded(&rest[at..end], 60).into_owned();
                self.note(
                    &node.span,
                    format!(
                        "`{}` needs goose's template language and stays as it is",
                        text::printable(&told)
                    ),
                );
                out.push_str(&plain(&rest[at..end]));
            }
            rest = &rest[end..];
        }
        out.push_str(&plain(rest));
        out
    }

    fn command(&self, tools: &str) -> String {
        let mut command = format!(
            "materia agent run {{agent?--agent:}} {{agent}} {{model?--model:}} {{model}} --tools {tools}"
        );
        for name in &self.attached {
            command.push_str(&format!(" --attach {{{name}}}"));
        }
        command
    }

    /// The prompt with its checks. All of it is retried until they pass.
    fn checked(&mut self, root: &JsonNode, leaf: Map<String, Value>) -> Value {
        let Some(retry) = root.get("retry") else {
            return leaf.into();
        };
        let tries = retry
            .get("max_retries")
            .and_then(|tries| tries.to_value().as_u64())
            .unwrap_or(0)
            + 1;
        let mut steps: Vec<Value> = vec![leaf.into()];
        for check in retry.get("checks").into_iter().flat_map(JsonNode::items) {
            match check.get("command").and_then(JsonNode::as_str) {
                Some(command) => steps.push(shell(&self.filled(command, check))),
                None => self.note(
                    &check.span,
                    "a check without a `command` was left out".to_owned(),
                ),
            }
        }
        steps.push(json!({"failure": "branch", "template": "cat {stages.answer}"}));
        let mut node = json!({"retry": tries.min(100), "failure": "root", "template": steps});
        if let Some(command) = retry.get("on_failure").and_then(JsonNode::as_str) {
            let command = self.filled(command, retry);
            node["recover"] = shell(&command);
        }
        if let Some(seconds) = retry
            .get("timeout_seconds")
            .and_then(|seconds| seconds.to_value().as_u64())
        {
            node["timeout"] = seconds.saturating_mul(1000).into();
        }
        node
    }
}

/// Goose documents these as lines for a shell.
fn shell(command: &str) -> Value {
    json!({"failure": "branch", "input": "", "template": format!("sh -c {}", word(command))})
}
