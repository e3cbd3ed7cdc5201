//! Leaves: words to argv.
//!
//! Owns which words vanish (T2), where the command is found, and the refusal of NUL bytes. A
//! caller's value ends up in its word byte for byte. Never consults the file system or the search
//! path.

use super::super::Facts;
use super::super::fault::Fault;
use super::super::node::Node;
use super::super::origin::Origin;
use super::super::plan::{Body, Stdin};
use super::super::scope::Frame;
use super::super::syntax::{Piece, Text};
use super::Expander;

impl<'t> Expander<'t> {
    pub(super) fn command(
        &mut self,
        node: &'t Node,
        words: &'t [Text],
        frame: &Frame<'_, 't>,
        stdin: Stdin,
    ) -> Option<Body> {
        let mut argv = Vec::with_capacity(words.len());
        let mut whole = true;
        for word in words {
            match self.word(node, word, frame) {
                Some(text) if text.is_empty() && word.vanishes => {}
                Some(text) => argv.push(text),
                None => whole = false,
            }
        }
        if !whole {
            return None;
        }
        let Some(command) = argv.first_mut().filter(|command| !command.is_empty()) else {
            let message = "the command is empty once its values are in".to_owned();
            let hint = "give the first word a value, or a default as in {tool=echo}".to_owned();
            self.fault(
                &Fault::Wrong {
                    code: "empty-command",
                    message,
                    hint,
                },
                &node.origin,
                0,
            );
            return None;
        };
        *command = self.evaluator.facts.command(command);
        let part = frame.realm().and_then(|realm| realm.part.clone());
        Some(Body::Command { argv, stdin, part })
    }

    fn word(&mut self, node: &'t Node, word: &'t Text, frame: &Frame<'_, 't>) -> Option<String> {
        let text = self.text(word, &node.origin, frame)?;
        if !text.contains('\0') {
            return Some(text);
        }
        let message = "a word has a NUL byte, which no command line can carry".to_owned();
        let hint = "pass the value by file or stdin".to_owned();
        self.fault(
            &Fault::Wrong {
                code: "nul-byte",
                message,
                hint,
            },
            &node.origin,
            brace(word),
        );
        None
    }

    /// One text; every placeholder is tried, so that all that is missing is said at once.
    pub(super) fn text(
        &mut self,
        text: &'t Text,
        origin: &'t Origin,
        frame: &Frame<'_, 't>,
    ) -> Option<String> {
        if let Ok(text) = self.evaluator.text(text, frame) {
            return Some(text);
        }
        for placeholder in text.placeholders() {
            if self.halted {
                break;
            }
            if let Err(fault) = self.evaluator.value(placeholder, frame) {
                self.fault(&fault, origin, placeholder.at);
            }
        }
        // The sum of the parts can be too much where no part is.
        if let Err(fault) = self.evaluator.text(text, frame)
            && self.findings.is_empty()
        {
            self.fault(&fault, origin, brace(text));
        }
        None
    }
}

fn brace(word: &Text) -> usize {
    let placeholder = word.pieces.iter().find_map(|piece| match piece {
        Piece::Placeholder(placeholder) => Some(placeholder.at),
        Piece::Literal(_) => None,
    });
    placeholder.unwrap_or(0)
}

impl Facts<'_> {
    /// A command as it is started: `~` is home, a relative path with a slash is seen from the
    /// directory.
    fn command(&self, command: &str) -> String {
        if command == "~" || command.starts_with("~/") {
            return self.at_home(command);
        }
        match self.cwd {
            Some(cwd) if command.contains('/') && !command.starts_with('/') => {
                resolve(cwd, command)
            }
            _ => command.to_owned(),
        }
    }

    /// A path that may begin with `~`, spelled out.
    pub(crate) fn at_home(&self, path: &str) -> String {
        let rest = path
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (rest, self.home) {
            (Some(rest), Some(home)) => format!("{}{rest}", home.trim_end_matches('/')),
            _ => path.to_owned(),
        }
    }
}

/// A relative path seen from a directory, without `.` and `..`.
fn resolve(cwd: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in cwd.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
