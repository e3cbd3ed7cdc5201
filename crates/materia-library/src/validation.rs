//! `validation`: runs a check without a shell and reports how it ended.
//!
//! Owns which check `auto` selects in a project, the timeout, and the report. As a gate it fails if
//! the check fails; with `report=true` it always succeeds, so that later steps can read why a check
//! failed.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use materia_engine::process::{Cause, ProcessEnd};
use materia_engine::utility::program;
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::finding::Source;
use materia_model::{template, text};
use serde_json::Value;

use crate::files;

/// Maximum bytes of a stream that the report quotes.
const QUOTED: usize = 16 * 1024;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let scope = options
        .path("scope", context)
        .unwrap_or_else(|| context.cwd.to_owned());
    let patience = Duration::from_millis(options.number("timeout-ms", 300_000)?.max(1));
    let reports = options.flag("report");
    let words = match options.text_or("command", "auto") {
        "auto" => match found(&scope) {
            Some(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            None => return nothing(&scope, reports),
        },
        command => split(command)?,
    };
    let argv: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = program::ask(context.processes, &argv, &scope, patience)?;
    let (verdict, how) = judged(&ended, patience);
    let report = report(&argv, &scope, verdict, &how, &ended);
    if verdict == "passed" || reports {
        return Ok(UtilityReport {
            output: UtilityOutput::Text(report),
            notes: Vec::new(),
        });
    }
    let message = format!(
        "{} {verdict}: {how}\n\n{report}",
        text::quoted(&argv.join(" "))
    );
    Err(UtilityError::failed(
        message,
        format!(
            "run it yourself in {}",
            text::quoted(&scope.to_string_lossy())
        ),
    ))
}

/// Splits a command line by the rules of templates: there is no shell.
fn split(command: &str) -> Result<Vec<String>, UtilityError> {
    let hint = "write one command with its arguments; for more, put them into a script";
    let words = template::split(&Source::new("command", command)).map_err(|findings| {
        let why = findings
            .first()
            .map_or("it cannot be split", |finding| finding.message.as_str())
            .to_owned();
        UtilityError::wrong(
            format!("the command {} is wrong: {why}", text::quoted(command)),
            hint,
        )
    })?;
    let shell = |word: &&String| {
        matches!(
            word.as_str(),
            "&&" | "||" | "|" | ";" | ">" | ">>" | "<" | "&"
        )
    };
    if let Some(word) = words.iter().find(shell) {
        let message = format!(
            "the command has {} in it, and there is no shell",
            text::quoted(word)
        );
        return Err(UtilityError::wrong(message, hint));
    }
    if words.is_empty() {
        Err(UtilityError::wrong("the command is empty", hint))
    } else {
        Ok(words)
    }
}

/// The check that a project has by convention.
fn found(scope: &Path) -> Option<&'static [&'static str]> {
    let has = |name: &str| scope.join(name).is_file();
    let scripts = files::text(&scope.join("package.json")).ok();
    let manifest: Option<Value> = scripts.and_then(|text| serde_json::from_str(&text).ok());
    let script = |name: &str| {
        manifest
            .as_ref()
            .is_some_and(|manifest| manifest["scripts"][name].is_string())
    };
    let target = |name: &str| {
        let rules = files::text(&scope.join("Makefile")).unwrap_or_default();
        rules.lines().any(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(':'))
        })
    };
    Some(match () {
        () if script("validate") => &["npm", "run", "validate"],
        () if script("test") => &["npm", "test"],
        () if has("Cargo.toml") => &["cargo", "test"],
        () if target("check") => &["make", "check"],
        () if target("test") => &["make", "test"],
        () if has("go.mod") => &["go", "test", "./..."],
        () if has("pyproject.toml") => &["python3", "-m", "pytest"],
        () => return None,
    })
}

fn nothing(scope: &Path, reports: bool) -> Result<UtilityReport, UtilityError> {
    let message = format!(
        "no check was found in {}",
        text::quoted(&scope.to_string_lossy())
    );
    if !reports {
        return Err(UtilityError::failed(
            message,
            "name one: command='make check'",
        ));
    }
    let text = format!("# Validation: not run\n\n{message}\n");
    Ok(UtilityReport {
        output: UtilityOutput::Text(text),
        notes: vec!["no check was found, and none was run".to_owned()],
    })
}

fn judged(ended: &ProcessEnd, patience: Duration) -> (&'static str, String) {
    match &ended.cause {
        Cause::NotStarted(error) => ("failed", error.to_string()),
        Cause::TimedOut(_) => ("failed", format!("no end in {} ms", patience.as_millis())),
        _ if ended.success() => ("passed", "exit code 0".to_owned()),
        _ => ("failed", format!("exit code {}", ended.code())),
    }
}

fn report(argv: &[&str], scope: &Path, verdict: &str, how: &str, ended: &ProcessEnd) -> String {
    let mut text = format!(
        "# Validation: {verdict}\n\n- command: {}\n- directory: {}\n- result: {how}\n- took: {} ms\n",
        argv.join(" "),
        scope.display(),
        ended.elapsed.as_millis()
    );
    for (name, stream) in [
        ("stdout", &ended.stdout.bytes),
        ("stderr", &ended.stderr.bytes),
    ] {
        let all = String::from_utf8_lossy(stream);
        let all = all.trim_end();
        if !all.is_empty() {
            let from = all.char_indices().rev().nth(QUOTED).map_or(0, |(at, _)| at);
            let cut = if from > 0 { ", its end" } else { "" };
            let _ = write!(text, "\n## {name}{cut}\n\n{}\n", &all[from..]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_words_and_what_needs_a_shell_is_refused() {
        assert_eq!(split("cargo test 'a b'").unwrap(), ["cargo", "test", "a b"]);
        for wrong in ["a && b", "a | b", "'open", "  "] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_project_has_its_own_check() {
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            materia_engine::store::atomic::write(&temp.path().join(name), text.as_bytes()).unwrap();
        };
        assert_eq!(found(temp.path()), None);
        write("Makefile", "test:\n\ttrue\ncheck: test\n");
        assert_eq!(found(temp.path()), Some(&["make", "check"][..]));
        write("package.json", r#"{"scripts": {"test": "x"}}"#);
        assert_eq!(found(temp.path()), Some(&["npm", "test"][..]));
    }
}
