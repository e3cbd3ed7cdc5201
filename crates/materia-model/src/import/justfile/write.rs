//! Converts a justfile's recipe to one of ours.
//!
//! Owns the translation: variables and parameters become arguments, dependencies imports, lines
//! steps that stop at the first failure. Rejects a line that needs a shell unless the user allows
//! one.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::super::{RecipeDraft, name_of, plain, word};
use super::ShellLines;
use super::read::{JustDependency, JustLine, JustRecipe, Justfile, odd};
use super::token::{JustValue, JustValuePiece, tokens, value};
use crate::finding::Finding;
use crate::text;

/// Words that only a shell understands.
const BUILTINS: [&str; 16] = [
    "cd", "export", "source", ".", "if", "for", "while", "case", "set", "eval", "exec", "alias",
    "ulimit", "umask", "trap", "unset",
];

/// Interpreters that take a program as an argument, and the option for it.
const INTERPRETERS: [(&str, &str); 7] = [
    ("sh", "-c"),
    ("bash", "-c"),
    ("zsh", "-c"),
    ("dash", "-c"),
    ("python3", "-c"),
    ("python", "-c"),
    ("node", "-e"),
];

/// The recipe, or `None` if a part of it cannot be converted; a note says which.
pub(super) fn draft(
    file: &Justfile<'_>,
    recipe: &JustRecipe,
    shell: ShellLines,
    notes: &mut Vec<Finding>,
) -> Option<RecipeDraft> {
    let before = notes.len();
    if recipe.elsewhere {
        let message = format!("`{}` is for another system and left out", recipe.name);
        notes.push(Finding::warning("left-out", message).at(file.source, &recipe.span));
        return None;
    }
    let mut used = BTreeSet::new();
    let mut steps = dependencies(file, &recipe.before, &mut used);
    for line in &recipe.lines {
        match step(file, line, shell, &mut used) {
            Ok(step) => steps.push(step),
            Err(why) => {
                let hint = "write it as words, name a shell in the justfile (`set shell := [\"sh\", \"-cu\"]`), or pass --shell";
                let message = format!("`{}` is left out: {why}", recipe.name);
                notes.push(
                    Finding::warning("left-out", message)
                        .at(file.source, &line.span)
                        .hint(hint),
                );
            }
        }
    }
    if notes.len() > before {
        return None;
    }
    steps.extend(dependencies(file, &recipe.after, &mut used));
    let mut document = Map::new();
    if let Some(description) = &recipe.description {
        document.insert("description".to_owned(), description.as_str().into());
    }
    let (args, defaults) = arguments(file, recipe, used);
    if !args.is_empty() {
        document.insert("args".to_owned(), args.into());
    }
    if !defaults.is_empty() {
        document.insert("defaults".to_owned(), defaults.into());
    }
    let imports: Map<String, Json> = recipe
        .before
        .iter()
        .chain(&recipe.after)
        .map(|one| {
            (
                alias(&one.name),
                format!("./{}.json", name_of(&one.name)).into(),
            )
        })
        .collect();
    if !imports.is_empty() {
        document.insert("imports".to_owned(), imports.into());
    }
    if steps.is_empty() {
        steps.push(json!({"template": "true"}));
    }
    document.insert("template".to_owned(), steps.into());
    Some(RecipeDraft {
        name: name_of(&recipe.name),
        recipe: document.into(),
    })
}

/// Aliases of converted recipes.
pub(super) fn aliases(file: &Justfile<'_>, left_out: &BTreeSet<String>) -> Vec<RecipeDraft> {
    let there = |target: &String| {
        !left_out.contains(target) && file.recipes.iter().any(|recipe| recipe.name == *target)
    };
    let kept = file.aliases.iter().filter(|(_, target)| there(target));
    kept.map(|(name, target)| {
        let description = format!("Another name of {target}");
        let import = alias(target);
        let recipe = json!({
            "description": description,
            "imports": {import.clone(): format!("./{}.json", name_of(target))},
            "template": [{"name": import}],
        });
        RecipeDraft {
            name: name_of(name),
            recipe,
        }
    })
    .collect()
}

fn alias(name: &str) -> String {
    name_of(name).replace('-', "_")
}

fn dependencies(
    file: &Justfile<'_>,
    all: &[JustDependency],
    used: &mut BTreeSet<String>,
) -> Vec<Json> {
    let node = |one: &JustDependency| {
        let mut node = json!({"name": alias(&one.name), "input": ""});
        let target = file.recipes.iter().find(|recipe| recipe.name == one.name);
        let mut values = Map::new();
        for (argument, parameter) in one
            .arguments
            .iter()
            .zip(target.iter().flat_map(|recipe| &recipe.parameters))
        {
            values.insert(parameter.name.clone(), template(argument, used).into());
        }
        if !values.is_empty() {
            node["values"] = values.into();
        }
        node
    };
    all.iter().map(node).collect()
}

/// A value as template text. Adds the names in it to `used`.
fn template(value: &JustValue, used: &mut BTreeSet<String>) -> String {
    let mut out = String::new();
    for piece in &value.pieces {
        match piece {
            JustValuePiece::Text(text) => out.push_str(&plain(text)),
            JustValuePiece::Name(name) => {
                used.insert(name.clone());
                out.push_str(&format!("{{{name}}}"));
            }
            JustValuePiece::Odd(_) => {}
        }
    }
    out
}

fn arguments(
    file: &Justfile<'_>,
    recipe: &JustRecipe,
    mut used: BTreeSet<String>,
) -> (Vec<Json>, Map<String, Json>) {
    let mut defaults = Map::new();
    let mut args: Vec<Json> = Vec::new();
    for parameter in &recipe.parameters {
        args.push(parameter.name.as_str().into());
        used.remove(&parameter.name);
        let default = match (&parameter.default, parameter.many) {
            (Some(given), _) if odd(given).is_none() => Some(template(given, &mut used)),
            (None, Some('*')) => Some(String::new()),
            _ => None,
        };
        if let Some(default) = default {
            defaults.insert(parameter.name.clone(), default.into());
        }
    }
    // Variables can refer to other variables.
    let mut seen = BTreeSet::new();
    while let Some(name) = used.pop_first() {
        if !seen.insert(name.clone())
            || recipe
                .parameters
                .iter()
                .any(|parameter| parameter.name == name)
        {
            continue;
        }
        args.push(name.as_str().into());
        if let Some(given) = file
            .variables
            .get(&name)
            .filter(|given| odd(given).is_none())
        {
            defaults.insert(name, template(given, &mut used).into());
        }
    }
    (args, defaults)
}

/// Converts one line to a step.
fn step(
    file: &Justfile<'_>,
    line: &JustLine,
    shell: ShellLines,
    used: &mut BTreeSet<String>,
) -> Result<Json, String> {
    if let Some(script) = line.text.strip_prefix("#!") {
        return interpreted(script, used);
    }
    let body = line.text.trim_start_matches(['@', '-']);
    let may_fail = line.text[..line.text.len() - body.len()].contains('-');
    let (text, needs_shell) = interpolated(body.trim(), used)?;
    let command = if !needs_shell {
        text
    } else if let Some(words) = &file.shell {
        let words: Vec<String> = words.iter().map(|one| plain(one)).collect();
        format!("{} {}", words.join(" "), word(&text))
    } else if shell == ShellLines::Allowed {
        format!("sh -cu {}", word(&text))
    } else {
        return Err(format!("{} needs a shell", text::quoted(body.trim())));
    };
    let failure = if may_fail { "continue" } else { "root" };
    Ok(json!({"failure": failure, "input": "", "template": command}))
}

/// A script with a shebang line: the justfile itself names the interpreter.
fn interpreted(script: &str, used: &mut BTreeSet<String>) -> Result<Json, String> {
    let (first, rest) = script.split_once('\n').unwrap_or((script, ""));
    let program = first
        .split_whitespace()
        .find(|word| !word.ends_with("/env") && !word.starts_with('-'));
    let program = program
        .and_then(|path| path.rsplit('/').next())
        .unwrap_or_default();
    let Some((name, option)) = INTERPRETERS.iter().find(|(name, _)| *name == program) else {
        return Err(format!(
            "a script for {} cannot be given as a word",
            text::quoted(program)
        ));
    };
    let (text, _) = interpolated(rest.trim_end(), used)?;
    Ok(
        json!({"failure": "root", "input": "", "template": format!("{name} {option} {}", word(&text))}),
    )
}

/// Converts `{{ }}` in a line to placeholders; also returns whether the line needs a shell.
fn interpolated(line: &str, used: &mut BTreeSet<String>) -> Result<(String, bool), String> {
    let mut out = String::new();
    let mut shell = false;
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        shell |= needs_shell(&rest[..at]);
        out.push_str(&plain(&rest[..at]));
        if let Some(literal) = rest[at..].strip_prefix("{{{{") {
            out.push_str("\\{\\{");
            rest = literal;
            continue;
        }
        let end = rest[at..].find("}}").ok_or("`{{` has no end")?;
        let words = tokens(&rest[at + 2..at + end]);
        let (inside, taken) = value(&words);
        if taken < words.len() || odd(&inside).is_some() {
            return Err(format!(
                "only just can work out {}",
                text::quoted(&rest[at..at + end + 2])
            ));
        }
        out.push_str(&template(&inside, used));
        rest = &rest[at + end + 2..];
    }
    shell |= needs_shell(rest);
    out.push_str(&plain(rest));
    let first = line.split_whitespace().next().unwrap_or_default();
    let assigns = first
        .split_once('=')
        .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    Ok((out, shell || assigns || BUILTINS.contains(&first)))
}

/// Whether a text means more to a shell than its words. Checks quoted text, too: `"$x"` is not a
/// plain word.
fn needs_shell(text: &str) -> bool {
    let mut quoted = false;
    text.chars().any(|c| {
        quoted ^= c == '\'';
        !quoted && "|&;<>$`*?[]()~#\n".contains(c)
    })
}
