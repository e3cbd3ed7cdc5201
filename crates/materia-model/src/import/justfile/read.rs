//! Parses a justfile's lines into recipes, variables and settings.
//!
//! Owns the supported grammar. Every line that cannot be converted becomes a note.

use std::collections::BTreeMap;
use std::ops::Range;

use super::token::{JustToken, JustValue, tokens, value};
use crate::finding::{Finding, Source};
use crate::text;

/// A parsed justfile.
pub(super) struct Justfile<'s> {
    pub(super) source: &'s Source,
    pub(super) variables: BTreeMap<String, JustValue>,
    pub(super) recipes: Vec<JustRecipe>,
    pub(super) aliases: Vec<(String, String)>,
    /// The shell that the file names.
    pub(super) shell: Option<Vec<String>>,
    pub(super) notes: Vec<Finding>,
}

/// One recipe.
#[derive(Default)]
pub(super) struct JustRecipe {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) parameters: Vec<JustParameter>,
    pub(super) before: Vec<JustDependency>,
    pub(super) after: Vec<JustDependency>,
    pub(super) lines: Vec<JustLine>,
    /// Whether it is for another operating system.
    pub(super) elsewhere: bool,
    /// The indentation of its last ordinary line.
    indent: usize,
    pub(super) span: Range<usize>,
}

pub(super) struct JustParameter {
    pub(super) name: String,
    pub(super) default: Option<JustValue>,
    /// Whether it takes several words; `*` may take none.
    pub(super) many: Option<char>,
}

pub(super) struct JustDependency {
    pub(super) name: String,
    pub(super) arguments: Vec<JustValue>,
}

/// One line of a body, with continued lines joined.
pub(super) struct JustLine {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// The lines above a recipe.
#[derive(Default)]
struct Above {
    comment: Option<String>,
    doc: Option<String>,
    elsewhere: bool,
}

/// Parses the whole file.
pub(super) fn read(source: &Source) -> Justfile<'_> {
    let mut file = Justfile {
        source,
        variables: BTreeMap::new(),
        recipes: Vec::new(),
        aliases: Vec::new(),
        shell: None,
        notes: Vec::new(),
    };
    let mut above = Above::default();
    let mut in_body = false;
    let mut offset = 0;
    for full in source.text().split_inclusive('\n') {
        let span = offset..offset + full.trim_end().len();
        offset += full.len();
        let line = full.trim_end_matches(['\n', '\r']);
        let indented = line.starts_with([' ', '\t']);
        if in_body && (indented || line.trim().is_empty()) {
            if let Some(recipe) = file.recipes.last_mut() {
                body(recipe, line, span);
            }
            continue;
        }
        in_body = false;
        if line.trim().is_empty() {
            above = Above::default();
        } else if let Some(comment) = line.strip_prefix('#') {
            above.comment = Some(comment.trim_start_matches('!').trim().to_owned());
        } else if line.starts_with('[') {
            attribute(&mut file, &mut above, line, &span);
        } else {
            in_body = statement(&mut file, std::mem::take(&mut above), line, span);
        }
    }
    file
}

fn body(recipe: &mut JustRecipe, line: &str, span: Range<usize>) {
    let text = line.trim();
    let script = recipe
        .lines
        .first()
        .is_some_and(|line| line.text.starts_with("#!"));
    match recipe.lines.last_mut() {
        Some(last) if script => {
            // A script keeps the indentation beyond that of its first line.
            let inner = line
                .char_indices()
                .take_while(|(at, c)| *at < recipe.indent && c.is_whitespace())
                .count();
            last.text.push('\n');
            last.text
                .push_str(line.get(inner..).unwrap_or(text).trim_end());
        }
        Some(last) if last.text.ends_with('\\') => {
            last.text.pop();
            last.text.push_str(text);
        }
        _ if text.is_empty() || text.starts_with('#') && !text.starts_with("#!") => {}
        _ => {
            recipe.indent = line.len() - line.trim_start().len();
            recipe.lines.push(JustLine {
                text: text.to_owned(),
                span,
            });
        }
    }
}

impl Justfile<'_> {
    fn note(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.notes
            .push(Finding::warning("not-carried-over", message).at(self.source, span));
    }
}

fn attribute(file: &mut Justfile<'_>, above: &mut Above, line: &str, span: &Range<usize>) {
    let words = tokens(line.trim_start_matches('['));
    for (at, word) in words.iter().enumerate() {
        let JustToken::Name(name) = word else {
            continue;
        };
        match name.as_str() {
            "private" | "group" | "unix" | "linux" | "no-exit-message" | "no-quiet" => {}
            "doc" => {
                if let Some(JustToken::Text(text)) = words.get(at + 2) {
                    above.doc = Some(text.clone());
                }
            }
            "windows" | "macos" | "openbsd" => above.elsewhere = true,
            other => file.note(span, format!("`[{other}]` is not carried over")),
        }
    }
}

/// Returns whether a body follows.
fn statement(file: &mut Justfile<'_>, above: Above, line: &str, span: Range<usize>) -> bool {
    let words = tokens(line);
    match words.as_slice() {
        [JustToken::Name(set), JustToken::Name(name), rest @ ..] if set == "set" => {
            setting(file, name, rest, &span);
        }
        [
            JustToken::Name(alias),
            JustToken::Name(name),
            JustToken::Sign(":="),
            JustToken::Name(target),
        ] if alias == "alias" => {
            file.aliases.push((name.clone(), target.clone()));
        }
        [
            JustToken::Name(export),
            JustToken::Name(name),
            JustToken::Sign(":="),
            rest @ ..,
        ] if export == "export" => {
            file.note(&span, format!("`{name}` was exported to every command; here it is a value and no variable of the environment"));
            variable(file, name, rest, &span);
        }
        [JustToken::Name(name), JustToken::Sign(":="), rest @ ..] => {
            variable(file, name, rest, &span);
        }
        [JustToken::Name(word), ..]
            if matches!(word.as_str(), "import" | "mod" | "unexport") && !line.contains(':') =>
        {
            file.note(
                &span,
                format!("`{word}` is not carried over; import that file by itself"),
            );
        }
        _ => return header(file, above, &words, span),
    }
    false
}

fn setting(file: &mut Justfile<'_>, name: &str, rest: &[JustToken], span: &Range<usize>) {
    if name == "shell" {
        let words = rest.iter().filter_map(|token| {
            if let JustToken::Text(text) = token {
                Some(text.clone())
            } else {
                None
            }
        });
        file.shell = Some(words.collect::<Vec<String>>()).filter(|words| !words.is_empty());
    } else if !matches!(
        name,
        "quiet" | "ignore-comments" | "fallback" | "allow-duplicate-recipes" | "windows-shell"
    ) {
        file.note(span, format!("the setting `{name}` is not carried over"));
    }
}

fn variable(file: &mut Justfile<'_>, name: &str, rest: &[JustToken], span: &Range<usize>) {
    let (given, _) = value(rest);
    if let Some(odd) = odd(&given) {
        let message = format!(
            "only just can work out {}: `{name}` has to be given",
            text::printable(&odd)
        );
        file.note(span, message);
    }
    file.variables.insert(name.to_owned(), given);
}

/// The first piece of a value that only `just` can evaluate.
pub(super) fn odd(value: &JustValue) -> Option<String> {
    value.pieces.iter().find_map(|piece| {
        if let super::token::JustValuePiece::Odd(odd) = piece {
            Some(odd.clone())
        } else {
            None
        }
    })
}

fn header(file: &mut Justfile<'_>, above: Above, words: &[JustToken], span: Range<usize>) -> bool {
    let colon = words.iter().position(|word| *word == JustToken::Sign(":"));
    let quiet = usize::from(words.first() == Some(&JustToken::Sign("@")));
    let (Some(colon), Some(JustToken::Name(name))) = (colon, words.get(quiet)) else {
        file.note(&span, "this line is not understood and was left out");
        return false;
    };
    let description = above.doc.or(above.comment);
    let mut recipe = JustRecipe {
        name: name.clone(),
        description,
        elsewhere: above.elsewhere,
        span: span.clone(),
        ..JustRecipe::default()
    };
    parameters(file, &mut recipe, &words[quiet + 1..colon], &span);
    let mut rest = &words[colon + 1..];
    let mut after = false;
    while let Some(word) = rest.first() {
        match word {
            JustToken::Sign("&&") => {
                after = true;
                rest = &rest[1..];
            }
            JustToken::Sign("(") => {
                let close = rest
                    .iter()
                    .position(|word| *word == JustToken::Sign(")"))
                    .unwrap_or(rest.len() - 1);
                if let Some(JustToken::Name(name)) = rest.get(1) {
                    let mut arguments = Vec::new();
                    let mut inside = rest.get(2..close).unwrap_or_default();
                    while !inside.is_empty() {
                        let (argument, used) = value(inside);
                        arguments.push(argument);
                        inside = &inside[used.max(1)..];
                    }
                    let list = if after {
                        &mut recipe.after
                    } else {
                        &mut recipe.before
                    };
                    list.push(JustDependency {
                        name: name.clone(),
                        arguments,
                    });
                }
                rest = &rest[close + 1..];
            }
            JustToken::Name(name) => {
                let list = if after {
                    &mut recipe.after
                } else {
                    &mut recipe.before
                };
                list.push(JustDependency {
                    name: name.clone(),
                    arguments: Vec::new(),
                });
                rest = &rest[1..];
            }
            _ => rest = &rest[1..],
        }
    }
    file.recipes.push(recipe);
    true
}

fn parameters(
    file: &mut Justfile<'_>,
    recipe: &mut JustRecipe,
    words: &[JustToken],
    span: &Range<usize>,
) {
    let mut rest = words;
    let mut many = None;
    while let Some(word) = rest.first() {
        match word {
            JustToken::Sign("+") => many = Some('+'),
            JustToken::Sign("*") => many = Some('*'),
            JustToken::Sign("$") => {
                file.note(
                    span,
                    "a parameter with `$` was a variable of the environment; here it is a value",
                );
            }
            JustToken::Name(name) => {
                let mut default = None;
                if rest.get(1) == Some(&JustToken::Sign("=")) {
                    let (given, used) = value(&rest[2..]);
                    default = Some(given);
                    rest = &rest[1 + used..];
                }
                if many.is_some() {
                    file.note(
                        span,
                        format!("`{name}` took several words; here it is one word"),
                    );
                }
                recipe.parameters.push(JustParameter {
                    name: name.clone(),
                    default,
                    many: many.take(),
                });
            }
            _ => file.note(span, "a parameter is not understood and was left out"),
        }
        rest = &rest[1..];
    }
}
