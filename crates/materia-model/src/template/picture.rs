//! The picture of a template: its tree in text, before any value is known.
//!
//! Owns how nodes, imports and controls are drawn for a user who wants to see the parts of a
//! recipe. Never resolves anything; `explain` shows what would run.

use super::node::{NodeBody, NodeGuard, NumberField, SettingContent, Template, TemplateNode};
use super::syntax::PlaceholderForm;
use crate::text;

/// The maximum size of a drawn command, in bytes.
const LONGEST: usize = 100;
/// The maximum size if the input of the command is drawn as well.
const SHORT: usize = 40;
/// The maximum number of lines of a picture.
const MOST_LINES: usize = 400;

impl Template {
    /// The tree as indented lines.
    pub fn picture(&self) -> String {
        let mut lines = Vec::new();
        draw(&self.root, 0, None, &mut lines);
        if lines.len() > MOST_LINES {
            let more = lines.len() - MOST_LINES;
            lines.truncate(MOST_LINES);
            lines.push(format!("… and {more} more"));
        }
        lines.join("\n")
    }
}

fn draw(node: &TemplateNode, depth: usize, import: Option<&str>, lines: &mut Vec<String>) {
    if lines.len() > MOST_LINES * 2 {
        return;
    }
    let label = node.label.as_ref().map(|label| label.text.spelled());
    let name = label
        .as_deref()
        .or(import)
        .map(|name| format!("{}: ", text::printable(name)))
        .unwrap_or_default();
    let indent = "  ".repeat(depth);
    let notes = notes(node);
    match &node.body {
        NodeBody::Command { raw, .. } => {
            let most = if node.input.is_some() { SHORT } else { LONGEST };
            let command = text::bounded(&raw.join(" "), most).replace('\n', " ");
            let input = node
                .input
                .as_ref()
                .map(|input| first_line(&input.text.spelled()))
                .unwrap_or_default();
            lines.push(format!(
                "{indent}{name}{}{input}{notes}",
                text::printable(&command)
            ));
        }
        NodeBody::Nested(inner) if inner.realm.is_some() => {
            // A label with placeholders differs in each copy; the stage is the name of all of them.
            let fixed = node.label.as_ref().and_then(|label| label.text.literal());
            let name = fixed
                .or(node.stage.as_deref())
                .or(label.as_deref())
                .unwrap_or("import");
            if notes.is_empty() {
                draw(inner, depth, Some(&format!("@{name}")), lines);
            } else {
                lines.push(format!("{indent}@{}{notes}", text::printable(name)));
                draw(inner, depth + 1, None, lines);
            }
        }
        NodeBody::Nested(inner) if notes.is_empty() => {
            draw(inner, depth, label.as_deref().or(import), lines);
        }
        NodeBody::Nested(inner) => {
            lines.push(format!("{indent}{name}{notes}"));
            draw(inner, depth + 1, None, lines);
        }
        NodeBody::Children(children) => {
            let kind = if node.parallel {
                "side by side"
            } else {
                "one after the other"
            };
            lines.push(format!("{indent}{name}{kind}{notes}"));
            children
                .iter()
                .for_each(|child| draw(child, depth + 1, None, lines));
        }
    }
    if let Some(recover) = &node.recover {
        lines.push(format!("{indent}  between attempts"));
        draw(recover, depth + 2, None, lines);
    }
}

/// The input of a node, in a few words.
fn first_line(input: &str) -> String {
    let line = input.lines().next().unwrap_or_default();
    format!(" \u{2190} {}", text::quoted(line))
}

/// The earlier stages that a node uses.
fn read_stages(node: &TemplateNode) -> Vec<String> {
    let texts = node
        .values
        .values()
        .filter_map(|setting| match &setting.content {
            SettingContent::Reference(text) => Some(text),
            SettingContent::Plain(_) => None,
        });
    let mut names: Vec<String> = Vec::new();
    for placeholder in texts.flat_map(super::syntax::TemplateText::placeholders) {
        if let PlaceholderForm::Stage { name } = &placeholder.form
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// The controls of a node in a few words.
fn notes(node: &TemplateNode) -> String {
    let mut notes = Vec::new();
    match &node.when {
        Some(NodeGuard::Always(yes)) => notes.push(format!("when {yes}")),
        Some(NodeGuard::Value(located, negated)) => {
            notes.push(format!(
                "when {}{}",
                if *negated { "!" } else { "" },
                located.text.spelled()
            ));
        }
        None => {}
    }
    let amounts = [
        ("×", &node.repeat),
        ("retry ", &node.retry),
        ("timeout ", &node.timeout),
        ("at least ", &node.min_successful),
    ];
    for (word, amount) in amounts {
        match amount {
            Some(NumberField::Fixed(number)) => notes.push(format!("{word}{number}")),
            Some(NumberField::Computed(located)) => {
                notes.push(format!("{word}{}", located.text.spelled()));
            }
            None => {}
        }
    }
    let reads = read_stages(node);
    if !reads.is_empty() {
        notes.push(format!("reads {}", text::list(&reads, "and")));
    }
    if let Some(failure) = node
        .failure
        .filter(|failure| *failure != super::plan::FailurePolicy::Continue)
    {
        notes.push(format!("failure {}", format!("{failure:?}").to_lowercase()));
    }
    if notes.is_empty() {
        String::new()
    } else {
        format!("  [{}]", notes.join(", "))
    }
}
