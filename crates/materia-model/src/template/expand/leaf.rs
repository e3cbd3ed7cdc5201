//! Commands: words to argv.
//!
//! Owns which words vanish (T2), how the command is resolved, and the rejection of NUL bytes. A
//! caller's value appears in its word byte for byte. Never consults the file system or the search
//! path.

use super::super::HostFacts;
use super::super::fault::PlaceholderFault;
use super::super::node::TemplateNode;
use super::super::origin::TextOrigin;
use super::super::plan::{PlanBody, PlanStdin};
use super::super::scope::NameFrame;
use super::super::syntax::{TemplateText, TextPiece};
use super::Expander;

impl<'t> Expander<'t> {
    pub(super) fn command(
        &mut self,
        node: &'t TemplateNode,
        words: &'t [TemplateText],
        frame: &NameFrame<'_, 't>,
        stdin: PlanStdin,
    ) -> Option<PlanBody> {
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
                &PlaceholderFault::Wrong {
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
        Some(PlanBody::Command { argv, stdin, part })
    }

    fn word(
        &mut self,
        node: &'t TemplateNode,
        word: &'t TemplateText,
        frame: &NameFrame<'_, 't>,
    ) -> Option<String> {
        let text = self.text(word, &node.origin, frame)?;
        if !text.contains('\0') {
            return Some(text);
        }
        let message = "a word has a NUL byte, which no command line can carry".to_owned();
        let hint = "pass the value by file or stdin".to_owned();
        self.fault(
            &PlaceholderFault::Wrong {
                code: "nul-byte",
                message,
                hint,
            },
            &node.origin,
            brace(word),
        );
        None
    }

    /// Evaluates one text. Tries every placeholder, so that all missing names are reported at once.
    pub(super) fn text(
        &mut self,
        text: &'t TemplateText,
        origin: &'t TextOrigin,
        frame: &NameFrame<'_, 't>,
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
        // The sum of the parts can exceed the limit even if no part does.
        if let Err(fault) = self.evaluator.text(text, frame)
            && self.findings.is_empty()
        {
            self.fault(&fault, origin, brace(text));
        }
        None
    }
}

fn brace(word: &TemplateText) -> usize {
    let placeholder = word.pieces.iter().find_map(|piece| match piece {
        TextPiece::Placeholder(placeholder) => Some(placeholder.at),
        TextPiece::Literal(_) => None,
    });
    placeholder.unwrap_or(0)
}

impl HostFacts<'_> {
    /// Resolves a command: `~` is home, a relative path with a slash is relative to the directory.
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

    /// Expands a leading `~` of a path.
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

/// Resolves a relative path against a directory, without `.` and `..`.
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
