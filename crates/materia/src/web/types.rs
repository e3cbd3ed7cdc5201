//! The client's types: the TypeScript of everything that goes over the wire.
//!
//! Owns collecting the declarations and formatting them as `web/src/types.ts`, which a test
//! compares byte for byte. Exists only in builds with the feature `typescript`. Knows no route.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ts_rs::{Config, TS, TypeVisitor};

/// Different Rust types that would have the same name in TypeScript.
#[derive(Debug, PartialEq, Eq)]
pub struct NameClash(pub Vec<String>);

/// Declarations by name.
pub(super) struct Types {
    config: Config,
    declared: BTreeMap<String, String>,
    clashes: Vec<String>,
}

impl Default for Types {
    fn default() -> Self {
        Self {
            // All our integers are small enough for a double.
            config: Config::new().with_large_int("number"),
            declared: BTreeMap::new(),
            clashes: Vec::new(),
        }
    }
}

impl Types {
    /// Adds a type and all types that it refers to.
    pub(super) fn add<T: TS + 'static>(&mut self) {
        self.visit::<T>();
    }

    /// All declarations, sorted by name.
    pub(super) fn text(self) -> Result<String, NameClash> {
        if !self.clashes.is_empty() {
            return Err(NameClash(self.clashes));
        }
        let head = "// Written by the test `ui::the_clients_types_are_current`; MATERIA_WRITE_REFERENCE=1 writes it.\n";
        let all = self.declared.into_values();
        Ok(all.fold(head.to_owned(), |text, declared| {
            format!("{text}\n{declared}")
        }))
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        T::visit_generics(self);
        // Built-in types such as strings and lists need no declaration.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        let docs = T::docs().unwrap_or_default();
        let declared = format!("{docs}export {}", T::decl(&self.config));
        let declared = lay_out(&declared);
        match self.declared.entry(name) {
            Entry::Vacant(free) => {
                free.insert(declared);
                T::visit_dependencies(self);
            }
            Entry::Occupied(known) if *known.get() != declared => {
                self.clashes.push(known.key().clone());
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// Maximum width of a union on one line.
const WIDTH: usize = 100;

/// Formats a declaration with one line per field.
fn lay_out(declared: &str) -> String {
    let mut text = String::new();
    let mut open: Vec<bool> = Vec::new();
    let mut rest = declared.trim();
    while let Some(next) = rest.chars().next() {
        let depth = open.iter().filter(|block| **block).count();
        if let Some(comment) = rest.strip_prefix("/**") {
            let (words, behind) = comment.split_once("*/").unwrap_or((comment, ""));
            push_comment(&mut text, words, depth);
            rest = behind.trim_start();
            continue;
        }
        let length = match next {
            '"' => 2 + rest[1..].find('"').unwrap_or(rest.len() - 2),
            _ => next.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        rest = behind;
        match next {
            '{' => {
                let block = !rest.trim_start().starts_with(['[', '}']);
                open.push(block);
                text.push('{');
                if block {
                    push_line(&mut text, depth + 1);
                    rest = rest.trim_start();
                }
            }
            '}' => {
                if open.pop() == Some(true) {
                    let end = text.trim_end().trim_end_matches(';').len();
                    text.truncate(end);
                    text.push(';');
                    push_line(&mut text, depth - 1);
                }
                text.push('}');
            }
            '<' | '(' | '[' => {
                open.push(false);
                text.push_str(token);
            }
            '>' | ')' | ']' => {
                open.pop();
                text.push_str(token);
            }
            ',' if open.last() == Some(&true) => {
                text.push(';');
                push_line(&mut text, depth);
                rest = rest.trim_start();
            }
            ' ' | '\n' if text.ends_with([' ', '\n']) => {}
            '\n' => text.push(' '),
            _ => text.push_str(token),
        }
    }
    text.push('\n');
    text.lines().map(|line| broken(line) + "\n").collect()
}

fn push_line(text: &mut String, depth: usize) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
}

/// Writes a comment on one line if it has one line, else on several.
fn push_comment(text: &mut String, words: &str, depth: usize) {
    let lines: Vec<&str> = words
        .lines()
        .map(|line| line.trim().trim_start_matches('*').trim())
        .filter(|line| !line.is_empty())
        .collect();
    match lines[..] {
        [line] => text.push_str(&format!("/** {line} */")),
        _ => {
            text.push_str("/**");
            for line in lines {
                push_line(text, depth);
                text.push_str(&format!(" * {line}"));
            }
            push_line(text, depth);
            text.push_str(" */");
        }
    }
    push_line(text, depth);
}

/// Splits a union that is too long into one line per member.
fn broken(line: &str) -> String {
    let line = line.trim_end();
    if line.len() <= WIDTH || line.trim_start().starts_with(['/', '*']) {
        return line.to_owned();
    }
    let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
    match line.split_once(" = ").or_else(|| line.split_once(": ")) {
        Some((name, parts)) if parts.contains(" | ") => {
            let sign = if line.contains(" = ") { " =" } else { ":" };
            let parts = parts.split(" | ").map(|part| format!("\n{indent}| {part}"));
            parts.fold(format!("{name}{sign}"), |text, part| text + &part)
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(TS)]
    #[ts(rename = "Same")]
    #[expect(dead_code, reason = "only its shape is used")]
    struct Words {
        /// What was said.
        text: String,
        kept: Vec<(u64, Option<String>)>,
    }

    #[derive(TS)]
    #[ts(rename = "Same")]
    #[expect(dead_code, reason = "only its shape is used")]
    struct Numbers {
        count: u64,
    }

    #[test]
    fn every_field_has_a_line_and_a_comment_stays_with_it() {
        let mut types = Types::default();
        types.add::<Words>();
        types.add::<Words>();
        let text = types.text().unwrap();
        let expected = "export type Same = {\n  /** What was said. */\n  text: string;\n  \
                        kept: Array<[number, string | null]>;\n};\n";
        assert_eq!(text.split_once("\n\n").unwrap().1, expected);
    }

    #[test]
    fn two_types_of_one_name_are_refused() {
        let mut types = Types::default();
        types.add::<Words>();
        types.add::<Numbers>();
        assert_eq!(types.text(), Err(NameClash(vec!["Same".to_owned()])));
    }
}
