//! Utilities: the JSON document on a program's stdin, and the meaning of its exit.
//!
//! Owns the input document, the defaults, and the message of every kind of failure. Exit 0 means
//! that stdout is the result; stderr is diagnostics and never the result. Never starts anything:
//! `engine::utility` does, and returns a [`UtilityExit`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text;

/// The default timeout of a utility.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// How much of stdout, and how much of stderr, to keep.
pub const MAX_CAPTURE: usize = 1 << 20;

/// The document that a utility reads from stdin.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UtilityInput<'a> {
    /// The project directory, which is also the directory it runs in.
    pub cwd: &'a str,
    /// The directory for the artifacts of the cast.
    pub run_dir: &'a str,
    /// The user's request, unchanged.
    pub request: &'a str,
    pub cast_id: &'a str,
    pub socket_id: &'a str,
    pub materia_id: &'a str,
    pub materia_label: &'a str,
    pub params: &'a Map<String, Value>,
    pub state: &'a Map<String, Value>,
    /// The current item of the socket's list.
    pub item: Option<&'a Value>,
    /// Its key, such as `WI-1`.
    pub item_key: Option<&'a str>,
    pub item_label: Option<&'a str>,
    /// The cursor of the socket's list.
    pub cursor: Option<CursorPosition<'a>>,
    /// Every cursor by name.
    pub cursors: BTreeMap<&'a str, usize>,
}

/// A cursor and its position.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CursorPosition<'a> {
    pub name: &'a str,
    /// The index of the current item.
    pub index: usize,
}

impl UtilityInput<'_> {
    /// The document as one line for stdin.
    pub fn line(&self) -> Result<String, serde_json::Error> {
        let mut line = serde_json::to_string(self)?;
        line.push('\n');
        Ok(line)
    }
}

/// How a utility ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UtilityExit {
    /// The command line.
    pub argv: Vec<String>,
    /// The exit code, if it has one.
    pub code: Option<i32>,
    /// The name of the signal that ended it.
    pub signal: Option<String>,
    pub timed_out: bool,
    pub timeout_ms: u64,
    pub duration_ms: u64,
    /// Why it could not be started.
    pub spawn_error: Option<String>,
    /// Whether stdout was truncated.
    pub stdout_truncated: bool,
    /// Whether stderr was truncated.
    pub stderr_truncated: bool,
    pub stdout_artifact: String,
    pub stderr_artifact: String,
}

impl UtilityExit {
    /// The failure message, if it failed. `stderr` is its diagnostics.
    pub fn failure(&self, stderr: &str) -> Option<String> {
        let command = command_words(&self.argv);
        if let Some(error) = &self.spawn_error {
            return Some(format!("cannot start {command}: {error}"));
        }
        let how = match (self.timed_out, &self.signal, self.code) {
            (true, ..) => format!("timed out after {}ms", self.timeout_ms),
            (false, Some(signal), _) => format!("was ended by {signal}"),
            (false, None, Some(0)) => return None,
            (false, None, Some(code)) => format!("failed with exit code {code}"),
            (false, None, None) => "ended without an exit code".to_owned(),
        };
        Some(format!(
            "{command} {how}; stderr: {}{}; see {} and {}",
            summary(stderr),
            if self.stderr_truncated { " (cut)" } else { "" },
            self.stdout_artifact,
            self.stderr_artifact
        ))
    }
}

/// A command for users: JSON-quoted words, truncated.
fn command_words(argv: &[String]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| Value::String(word.clone()).to_string())
        .collect();
    text::bounded(&words.join(" "), 300).into_owned()
}

/// A text in one line of at most 800 bytes.
fn summary(stderr: &str) -> String {
    // Collapse only the beginning: a megabyte of diagnostics is no message.
    let part = &stderr[..stderr.floor_char_boundary(8 << 10)];
    let line: Vec<&str> = part.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        "<empty>".to_owned()
    } else {
        text::printable(&text::bounded(&line, 800)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ended() -> UtilityExit {
        UtilityExit {
            argv: vec!["sh".to_owned(), "-c".to_owned(), "exit 7".to_owned()],
            code: Some(0),
            timeout_ms: 50,
            stdout_artifact: "1.stdout.txt".to_owned(),
            stderr_artifact: "1.stderr.txt".to_owned(),
            ..UtilityExit::default()
        }
    }

    #[test]
    fn the_input_is_one_line_with_the_keys_of_the_protocol() {
        let (params, state) = (Map::new(), Map::new());
        let input = UtilityInput {
            cwd: "/p",
            run_dir: "/p/r",
            request: "two\nlines",
            cast_id: "c",
            socket_id: "hello",
            materia_id: "m",
            materia_label: "M",
            params: &params,
            state: &state,
            item: None,
            item_key: None,
            item_label: None,
            cursor: Some(CursorPosition {
                name: "i",
                index: 1,
            }),
            cursors: BTreeMap::from([("i", 1)]),
        };
        let line = input.line().unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        let expected = json!({
            "cwd": "/p", "runDir": "/p/r", "request": "two\nlines", "castId": "c", "socketId": "hello",
            "materiaId": "m", "materiaLabel": "M", "params": {}, "state": {}, "item": null, "itemKey": null,
            "itemLabel": null, "cursor": {"name": "i", "index": 1}, "cursors": {"i": 1}
        });
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), expected);
    }

    #[test]
    fn c12_every_end_has_its_words() {
        let cases = [
            (ended(), None),
            (
                UtilityExit {
                    code: Some(7),
                    ..ended()
                },
                Some(
                    "failed with exit code 7; stderr: bad thing; see 1.stdout.txt and 1.stderr.txt",
                ),
            ),
            (
                UtilityExit {
                    code: None,
                    signal: Some("SIGKILL".to_owned()),
                    ..ended()
                },
                Some("was ended by SIGKILL"),
            ),
            (
                UtilityExit {
                    timed_out: true,
                    code: Some(0),
                    ..ended()
                },
                Some("timed out after 50ms"),
            ),
            (
                UtilityExit {
                    spawn_error: Some("not found".to_owned()),
                    code: None,
                    ..ended()
                },
                Some("cannot start \"sh\" \"-c\" \"exit 7\": not found"),
            ),
        ];
        for (ended, expected) in cases {
            let message = ended.failure("bad\n  thing\n");
            assert_eq!(message.is_some(), expected.is_some(), "{ended:?}");
            assert!(
                message
                    .unwrap_or_default()
                    .contains(expected.unwrap_or_default()),
                "{ended:?}"
            );
        }
        let long = UtilityExit {
            code: Some(1),
            ..ended()
        }
        .failure(&"x".repeat(MAX_CAPTURE))
        .unwrap();
        assert!(long.len() < 1200);
    }
}
