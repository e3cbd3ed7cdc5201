//! The options of a step: `key=value`.
//!
//! Owns parsing them against the keys that the step accepts. An empty value counts as absent, so
//! that a recipe can pass on an option that its caller left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use materia_model::text;

use super::{RecipeStep, StepContext};
use crate::utility::answer::UtilityError;
use crate::utility::place;

/// The given options.
#[derive(Debug, Default)]
pub struct StepOptions {
    given: BTreeMap<String, String>,
}

impl StepOptions {
    /// Parses the words. An unknown key, a word that is no `key=value` and a missing required key
    /// are errors.
    pub fn read(step: &RecipeStep, words: &[String]) -> Result<Self, UtilityError> {
        let (required, optional) = step.takes.split_once('|').unwrap_or(("", step.takes));
        let known: Vec<&str> = required
            .split_whitespace()
            .chain(optional.split_whitespace())
            .collect();
        let shape = format!(
            "materia utility {} {}",
            step.name,
            shape(required, optional)
        );
        let mut given = BTreeMap::new();
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                let message = format!("{} is no key=value", text::quoted(word));
                return Err(UtilityError::wrong(message, shape));
            };
            if !known.contains(&key) {
                let hint = match text::closest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean {near}=…? {shape}"),
                    None => shape,
                };
                return Err(UtilityError::wrong(
                    format!("`{}` takes no {}", step.name, text::quoted(key)),
                    hint,
                ));
            }
            if !value.is_empty() {
                given.insert(key.to_owned(), value.to_owned());
            }
        }
        match required
            .split_whitespace()
            .find(|key| !given.contains_key(*key))
        {
            Some(key) => Err(UtilityError::wrong(
                format!("`{}` needs {key}=…", step.name),
                shape,
            )),
            None => Ok(Self { given }),
        }
    }

    /// A value.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.given.get(key).map(String::as_str)
    }

    /// A value, or its default.
    pub fn text_or<'a>(&'a self, key: &str, otherwise: &'a str) -> &'a str {
        self.text(key).unwrap_or(otherwise)
    }

    /// Whether it was given and is not a word for no.
    pub fn flag(&self, key: &str) -> bool {
        self.text(key).is_some_and(|value| {
            !matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "0")
        })
    }

    /// A non-negative integer.
    pub fn number(&self, key: &str, otherwise: u64) -> Result<u64, UtilityError> {
        let Some(value) = self.text(key) else {
            return Ok(otherwise);
        };
        value.trim().parse().map_err(|_| {
            let message = format!(
                "{key} is {}, and it must be a whole number from 0",
                text::quoted(value)
            );
            UtilityError::wrong(message, format!("write {key}={otherwise}"))
        })
    }

    /// One of a few words.
    pub fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
        otherwise: T,
    ) -> Result<T, UtilityError> {
        let Some(value) = self.text(key) else {
            return Ok(otherwise);
        };
        words
            .iter()
            .find(|(word, _)| *word == value)
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let message = format!(
                    "{key} is {}, which is none of its words",
                    text::quoted(value)
                );
                UtilityError::wrong(message, format!("write {key}={}", text::list(&known, "or")))
            })
    }

    /// A path, resolved against the working directory; `~/` is the home directory.
    pub fn path(&self, key: &str, context: &StepContext<'_>) -> Option<PathBuf> {
        self.text(key)
            .map(|told| path(told, context.cwd, context.home_dir))
    }
}

fn path(told: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    match (
        told.strip_prefix("~/").or((told == "~").then_some("")),
        home,
    ) {
        (Some(rest), Some(home)) => place::resolved(home, rest),
        _ => place::resolved(cwd, told),
    }
}

fn shape(required: &str, optional: &str) -> String {
    let words = required.split_whitespace().map(|key| format!("{key}=…"));
    let optional = optional.split_whitespace().map(|key| format!("[{key}=…]"));
    words.chain(optional).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<StepOptions, UtilityError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let step = RecipeStep {
            name: "artifact-write",
            about: "writes a file",
            takes: "path | mode source check",
            act: |_, _| Ok(serde_json::Value::Null.into()),
        };
        StepOptions::read(&step, &words)
    }

    #[test]
    fn words_are_read_against_what_the_step_takes() {
        let options = read(&["path=a=b", "mode=", "check=no"]).unwrap();
        assert_eq!(
            (
                options.text("path"),
                options.text("mode"),
                options.flag("check")
            ),
            (Some("a=b"), None, false)
        );
        for (words, part) in [
            (vec!["path"], "no key=value"),
            (vec!["path="], "needs path"),
            (vec!["path=x", "mod=create"], "takes no"),
        ] {
            let trouble = read(&words).unwrap_err();
            assert!(
                trouble.message.contains(part) && trouble.hint.contains("materia utility"),
                "{trouble:?}"
            );
        }
        assert!(
            read(&["path=x", "mode=later"])
                .unwrap()
                .word("mode", &[("create", 1)], 1)
                .is_err()
        );
    }
}
