//! Names that a template sets: `args`, `defaults`, `values`, and their declared types (T3, T6).
//!
//! Owns reading them and checking that literal defaults fit their types. A default is a reference
//! if every brace pair in it is a placeholder; otherwise it is plain text. Never resolves a
//! reference.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::argument;
use super::super::node::{
    DeclaredArgument, DeclaredValueType, NodeBody, SettingContent, TemplateNode, ValueSetting,
    ValueSettings,
};
use super::super::origin::{TextOrigin, TextProblem, column};
use super::super::syntax::{
    CommandWord, PlaceholderForm, TemplateText, is_name, leading_name, reserved,
};
use super::super::value::ValueType;
use super::TemplateReader;
use super::field::NodeField;
use crate::document::{self, path_index, path_member};
use crate::finding::Finding;
use crate::text;

impl TemplateReader<'_> {
    /// `args`: a list of declarations, or one comma-separated text.
    pub(super) fn arguments(&mut self, field: NodeField<'_>) -> ValueSettings {
        let mut settings = ValueSettings::new();
        let mut seen = BTreeMap::new();
        for (value, path) in entries(field.value, field.path) {
            let entry = NodeField {
                value,
                path: &path,
                ..field
            };
            let Some(list) = value.as_str() else {
                self.wrong_kind(entry, "a list of texts such as `name:type`");
                continue;
            };
            let origin = self.origin(entry);
            match argument::parse_list(list) {
                Ok(arguments) => {
                    arguments.into_iter().for_each(|argument| {
                        self.argument(argument, &origin, &mut settings, &mut seen, field.on_root);
                    });
                }
                Err(problem) => self.problem(&origin, problem),
            }
        }
        settings
    }

    fn argument(
        &mut self,
        argument: DeclaredArgument,
        origin: &TextOrigin,
        settings: &mut ValueSettings,
        seen: &mut BTreeMap<String, ()>,
        root: bool,
    ) {
        let name = &argument.name;
        if seen.insert(name.clone(), ()).is_some() {
            let message = format!("{} is declared twice", text::quoted(name));
            let hint = "keep one of them".to_owned();
            self.problem(
                origin,
                TextProblem {
                    code: "duplicate-argument",
                    message,
                    hint,
                    at: argument.at,
                },
            );
        }
        self.warn_reserved(name, origin, argument.at);
        if let Some(ty) = &argument.ty {
            self.declare(name, ty, origin, argument.at);
        }
        if let Some(default) = &argument.default {
            let setting = ValueSetting {
                content: self.content(default, origin),
                origin: origin.clone(),
            };
            self.declare_references(&setting);
            settings.insert(name.clone(), setting);
        }
        if root {
            self.declared.push(argument);
        }
    }

    /// `defaults` or `values`: an object of values by name.
    pub(super) fn settings(&mut self, field: NodeField<'_>) -> ValueSettings {
        let mut settings = ValueSettings::new();
        if !matches!(field.value.content, document::JsonContent::Object(_)) {
            self.wrong_kind(field, "an object of values by name");
        }
        for member in field.value.members() {
            let path = path_member(field.path, &member.name);
            if !is_name(&member.name) {
                if self.no_room_for_errors() {
                    continue;
                }
                let message = format!("{} is no name", text::quoted(&member.name));
                let finding =
                    Finding::error("invalid-name", message).at(self.source, &member.name_span);
                self.push(
                    finding
                        .hint("names are letters, digits, `_` and `-`, not beginning with a digit"),
                    &path,
                );
                continue;
            }
            let origin = TextOrigin::json(self.source, &member.value.span, &path);
            self.warn_reserved(&member.name, &origin, 0);
            let content = match member.value.as_str() {
                Some(text) => self.content(text, &origin),
                None => SettingContent::Plain(member.value.to_value()),
            };
            let setting = ValueSetting { content, origin };
            self.declare_references(&setting);
            settings.insert(member.name.clone(), setting);
        }
        settings
    }

    /// Reads a text as a default: a reference if all its braces are placeholders, else plain text.
    fn content(&mut self, given: &str, origin: &TextOrigin) -> SettingContent {
        let word = CommandWord::whole(given);
        match TemplateText::parse(&word, given, self.unit) {
            Ok(text) if text.placeholders().next().is_some() => {
                self.uses_stages |= text
                    .placeholders()
                    .any(|one| matches!(one.form, PlaceholderForm::Stage { .. }));
                SettingContent::Reference(text)
            }
            Ok(text) => SettingContent::Plain(text.literal().unwrap_or(&word.text).into()),
            Err(problem) if problem.code == "unknown-reference" => {
                self.problem(origin, problem);
                SettingContent::Plain(word.text.into())
            }
            Err(_) => SettingContent::Plain(word.text.into()),
        }
    }

    fn warn_reserved(&mut self, name: &str, origin: &TextOrigin, at: usize) {
        if reserved(name).is_some() && !self.no_room_for_warnings() {
            let message = format!("`{name}` is set by `repeat`, which wins inside a repeated node");
            let finding = Finding::warning("reserved-name", message).hint("choose another name");
            let finding = origin.locate(finding, at);
            self.push(finding, "");
        }
    }

    fn declare_references(&mut self, setting: &ValueSetting) {
        if let SettingContent::Reference(text) = &setting.content {
            self.declare_inline(text, &setting.origin);
        }
    }

    /// Records types that are declared in placeholders.
    pub(super) fn declare_inline(&mut self, text: &TemplateText, origin: &TextOrigin) {
        for placeholder in text.placeholders() {
            if let PlaceholderForm::Value {
                name,
                declared: Some(ty),
                default,
                ..
            } = &placeholder.form
            {
                self.declare(name, ty, origin, placeholder.at);
                if let Some(default) = default {
                    let unfit = ty.fit(Cow::Owned(default.as_str().into())).is_none();
                    unfit.then(|| {
                        self.unfit(name, ty, &default.as_str().into(), origin, placeholder.at);
                    });
                }
            }
        }
    }

    fn declare(&mut self, name: &str, ty: &ValueType, origin: &TextOrigin, at: usize) {
        let Some(first) = self.types.get(name) else {
            let declared = DeclaredValueType {
                ty: ty.clone(),
                origin: origin.clone(),
                at,
            };
            self.types.insert(name.to_owned(), declared);
            return;
        };
        if first.ty != *ty && self.errors < super::MAX_FINDINGS {
            let place = first
                .origin
                .locate(Finding::warning("", ""), first.at)
                .place;
            let before = place.map_or(String::new(), |place| {
                format!(" at line {}, column {}", place.line, place.column)
            });
            let message = format!("`{name}` is declared {ty} here and {}{before}", first.ty);
            let hint = "declare it once, in `args`".to_owned();
            self.problem(
                origin,
                TextProblem {
                    code: "conflicting-types",
                    message,
                    hint,
                    at,
                },
            );
        }
    }

    /// Converts literal defaults to their declared types, once all types are known.
    pub(super) fn fit_settings(&mut self, node: &mut TemplateNode) {
        // Values bound for an import already fit the types of that import.
        let abroad = matches!(&node.body, NodeBody::Nested(inner) if inner.realm.is_some());
        let values = Some(&mut node.values).filter(|_| !abroad);
        for settings in [Some(&mut node.defaults), values, node.args.as_mut()]
            .into_iter()
            .flatten()
        {
            for (name, setting) in settings {
                self.fit_setting(name, setting);
            }
        }
        node.recover
            .iter_mut()
            .for_each(|recover| self.fit_settings(recover));
        match &mut node.body {
            NodeBody::Command { .. } => {}
            NodeBody::Children(children) => children
                .iter_mut()
                .for_each(|child| self.fit_settings(child)),
            NodeBody::Nested(_) if abroad => {}
            NodeBody::Nested(inner) => self.fit_settings(inner),
        }
    }

    fn fit_setting(&mut self, name: &str, setting: &mut ValueSetting) {
        let ty = self.types.get(name).map(|declared| declared.ty.clone());
        self.fit_setting_to(name, setting, ty.as_ref());
    }

    /// Converts a literal value to a type, or reports that it does not fit.
    pub(super) fn fit_setting_to(
        &mut self,
        name: &str,
        setting: &mut ValueSetting,
        ty: Option<&ValueType>,
    ) {
        let Some(ty) = ty else { return };
        let Some(value) = setting.content.plain_mut() else {
            return;
        };
        match ty.fit(Cow::Borrowed(value)) {
            Some(Cow::Owned(fitted)) => *value = fitted,
            Some(Cow::Borrowed(_)) => {}
            None => {
                let value = value.clone();
                self.unfit(name, ty, &value, &setting.origin, 0);
            }
        }
    }

    fn unfit(
        &mut self,
        name: &str,
        ty: &ValueType,
        value: &serde_json::Value,
        origin: &TextOrigin,
        at: usize,
    ) {
        let message = format!(
            "the default of `{name}` is {}, and it must be {}",
            text::quoted(&value.to_string()),
            ty.described()
        );
        let hint = format!("write {} or change the type", ty.described());
        self.problem(
            origin,
            TextProblem {
                code: "invalid-default",
                message,
                hint,
                at,
            },
        );
    }

    /// Warns about braces around a placeholder that look like an intended placeholder.
    pub(super) fn warn_nested(
        &mut self,
        word: &CommandWord,
        text: &TemplateText,
        whole: &str,
        origin: &TextOrigin,
    ) {
        for placeholder in text.placeholders() {
            if self.no_room_for_warnings() {
                return;
            }
            let before = whole.get(..placeholder.at).unwrap_or("");
            let open = before
                .rfind('{')
                .filter(|open| !before[*open..].contains('}'));
            let Some(open) = open else { continue };
            let inside = &before[open + 1..];
            let name = leading_name(inside);
            let meant = !name.is_empty() && inside[name.len()..].starts_with(['=', '?', '[', ':']);
            let one_word = word.quoted || !inside.contains(char::is_whitespace);
            if meant && one_word && !before[..open].ends_with('\\') {
                let message = format!(
                    "the braces at column {} are literal (word {}: {}), because placeholders do not nest",
                    column(whole, open),
                    word.number,
                    text::quoted(&word.text)
                );
                let finding = Finding::warning("nested-braces", message)
                    .hint("put the inner value into `defaults`, or write \\{ for a literal brace");
                let finding = origin.locate(finding, open);
                self.push(finding, "");
            }
        }
    }
}

fn entries<'n>(node: &'n document::JsonNode, path: &str) -> Vec<(&'n document::JsonNode, String)> {
    match &node.content {
        document::JsonContent::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (item, path_index(path, index)))
            .collect(),
        _ => vec![(node, path.to_owned())],
    }
}
