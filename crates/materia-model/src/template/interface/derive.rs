//! Derivation: walks a template for the names it uses.
//!
//! Owns which uses make an argument required and which type they suggest. Names that a node binds
//! or `repeat` sets are not arguments. Never evaluates anything.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::HOST_NAMES;
use super::super::node::{
    DocumentScope, LocatedText, NodeBody, NodeGuard, NumberField, SettingContent, Template,
    TemplateNode, ValueSetting, ValueSettings,
};
use super::super::scope::{FixedValue, NameFrame};
use super::super::syntax::expression::Expression;
use super::super::syntax::{ItemIndex, Placeholder, PlaceholderForm, TemplateText, reserved};
use super::super::value::ValueType;
use super::{Inferred, TemplateArg, TemplateInterface, Use};

impl TemplateInterface {
    pub(super) fn of(template: &Template) -> Self {
        let home = &template.realm;
        let mut walk = Walk {
            home,
            order: Vec::new(),
            uses: BTreeMap::new(),
            known: BTreeSet::new(),
        };
        walk.node(&template.root, &NameFrame::outside(&template.realm));
        let mut unused = BTreeSet::new();
        let mut names: Vec<String> = Vec::new();
        for argument in &template.declared {
            names.push(argument.name.clone());
            let default =
                template.root.defaults.contains_key(&argument.name) || argument.default.is_some();
            if !walk.uses.contains_key(&argument.name) && !default {
                unused.insert(argument.name.clone());
            }
        }
        let declared: BTreeSet<&String> = names.iter().collect();
        let derived: Vec<String> = walk
            .order
            .iter()
            .filter(|name| !declared.contains(name) && reserved(name).is_none())
            .filter(|name| template.declared.is_empty() || walk.is_public(name))
            .cloned()
            .collect();
        names.extend(derived);
        let args: Vec<TemplateArg> = names
            .into_iter()
            .map(|name| walk.arg(template, name, &unused))
            .collect();
        walk.known.extend(template.realm.types.keys().cloned());
        walk.known.extend(args.iter().map(|arg| arg.name.clone()));
        Self {
            args,
            known: walk.known,
            unused,
        }
    }
}

struct Walk<'h> {
    home: &'h DocumentScope,
    order: Vec<String>,
    uses: BTreeMap<String, Use>,
    known: BTreeSet<String>,
}

/// Whether a template fails without the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl Walk<'_> {
    /// If arguments are declared, names that only imports use, with a default, are not public.
    fn is_public(&self, name: &str) -> bool {
        self.uses
            .get(name)
            .is_none_or(|used| used.at_home || used.required)
    }

    fn arg(&self, template: &Template, name: String, unused: &BTreeSet<String>) -> TemplateArg {
        let used = self.uses.get(&name).cloned().unwrap_or_default();
        let declared = template
            .realm
            .types
            .get(&name)
            .map(|declared| declared.ty.clone());
        let declared = declared.or(used.declared);
        let inferred = match used.inferred.keys().next() {
            Some(Inferred::Array) => ValueType::Array,
            Some(Inferred::Int) => ValueType::Int,
            Some(Inferred::Bool) => ValueType::Bool,
            Some(Inferred::Text) | None => ValueType::String,
        };
        let ty = declared.unwrap_or(inferred);
        let default = used.default.or_else(|| root_default(template, &name));
        let default = default.map(|value| {
            ty.fit(Cow::Borrowed(&value))
                .map_or_else(|| value.clone(), Cow::into_owned)
        });
        let required = unused.contains(&name) || used.required;
        TemplateArg {
            name,
            ty,
            required,
            default,
        }
    }

    fn node<'t>(&mut self, node: &'t TemplateNode, outer: &NameFrame<'_, 't>) {
        let settings = [Some(&node.defaults), Some(&node.given), node.args.as_ref()];
        for settings in settings.into_iter().flatten() {
            self.known.extend(settings.keys().cloned());
        }
        outer.within(node, None, |frame| self.fields(node, frame));
    }

    fn fields<'t>(&mut self, node: &'t TemplateNode, frame: &NameFrame<'_, 't>) {
        let around = if node.values.is_empty() {
            frame
        } else {
            frame.around_bound()
        };
        self.references(&node.values, around, Need::Required);
        self.references(&node.defaults, frame, Need::Optional);
        self.references(&node.given, frame, Need::Optional);
        node.args
            .iter()
            .for_each(|settings| self.references(settings, frame, Need::Optional));
        match &node.when {
            Some(NodeGuard::Value(located, _)) => {
                self.text(&located.text, frame, Some(Inferred::Bool), Need::Optional);
            }
            Some(NodeGuard::Always(_)) | None => {}
        }
        let counts = [
            &node.repeat,
            &node.timeout,
            &node.delay,
            &node.retry,
            &node.concurrency,
            &node.min_successful,
        ];
        for amount in counts.into_iter().flatten() {
            if let NumberField::Computed(LocatedText { text, .. }) = amount {
                self.text(text, frame, Some(Inferred::Int), Need::Required);
            }
        }
        for located in [&node.label, &node.output, &node.input]
            .into_iter()
            .flatten()
        {
            self.text(&located.text, frame, None, Need::Required);
        }
        node.recover
            .iter()
            .for_each(|recover| self.node(recover, frame));
        match &node.body {
            NodeBody::Command { words, .. } => {
                words
                    .iter()
                    .for_each(|word| self.text(word, frame, None, Need::Required));
            }
            NodeBody::Children(children) => {
                children.iter().for_each(|child| self.node(child, frame));
            }
            NodeBody::Nested(inner) => self.node(inner, frame),
        }
    }

    /// Names inside defaults are needed only if the default is used.
    fn references<'t>(
        &mut self,
        settings: &'t ValueSettings,
        frame: &NameFrame<'_, 't>,
        need: Need,
    ) {
        for setting in settings.values() {
            if let SettingContent::Reference(text) = &setting.content {
                self.text(text, frame, None, need);
            }
        }
    }

    fn text(
        &mut self,
        text: &TemplateText,
        frame: &NameFrame<'_, '_>,
        whole: Option<Inferred>,
        need: Need,
    ) {
        let single = text.single().is_some();
        for placeholder in text.placeholders() {
            self.placeholder(
                placeholder,
                frame,
                whole.filter(|_| single).unwrap_or(Inferred::Text),
                need,
            );
        }
    }

    fn placeholder(
        &mut self,
        placeholder: &Placeholder,
        frame: &NameFrame<'_, '_>,
        plain: Inferred,
        need: Need,
    ) {
        match &placeholder.form {
            PlaceholderForm::Value {
                name,
                difference: Some(difference),
                ..
            } if begins_reserved(name) => {
                self.integers(difference, frame, need);
            }
            PlaceholderForm::Value {
                name,
                default,
                difference,
                ..
            } => {
                if let Some(difference) = difference {
                    let mut names = Vec::new();
                    difference.names(&mut names);
                    self.known.extend(names.into_iter().map(str::to_owned));
                }
                let need = if default.is_some() {
                    Need::Optional
                } else {
                    need
                };
                self.mention(name, frame, plain, need, default.as_deref());
            }
            PlaceholderForm::Fallback { name, .. } => {
                self.mention(name, frame, plain, Need::Optional, None);
            }
            PlaceholderForm::Choice { name, .. } => {
                self.mention(name, frame, Inferred::Bool, Need::Optional, None);
            }
            PlaceholderForm::Item { name, index } => {
                self.mention(name, frame, Inferred::Array, need, None);
                if let ItemIndex::Name(index) = index {
                    self.mention(index, frame, Inferred::Int, need, None);
                }
            }
            PlaceholderForm::Length { name } => {
                self.mention(name, frame, Inferred::Array, need, None);
            }
            PlaceholderForm::Stage { .. } => {}
            PlaceholderForm::Expression { expression, .. } => {
                self.integers(expression, frame, need);
            }
        }
    }

    fn integers(&mut self, expression: &Expression, frame: &NameFrame<'_, '_>, need: Need) {
        let mut names = Vec::new();
        expression.names(&mut names);
        names
            .into_iter()
            .for_each(|name| self.mention(name, frame, Inferred::Int, need, None));
    }

    fn mention(
        &mut self,
        name: &str,
        frame: &NameFrame<'_, '_>,
        inferred: Inferred,
        need: Need,
        inline: Option<&str>,
    ) {
        if reserved(name).is_some() || matches!(frame.fixed(name), Some(FixedValue::Bound(..))) {
            return;
        }
        let setting = frame.defaults(name).map(|(setting, _)| setting).next();
        if setting.is_none() && is_given_by_place(name, frame) {
            self.known.insert(name.to_owned());
            return;
        }
        let abroad = !std::ptr::eq(frame.realm().unwrap_or(self.home), self.home);
        let has_default = setting.is_some() || inline.is_some();
        if !self.uses.contains_key(name) {
            self.order.push(name.to_owned());
        }
        let used = self.uses.entry(name.to_owned()).or_default();
        used.required |= need == Need::Required && !has_default;
        used.at_home |= !abroad;
        if used.declared.is_none() {
            used.declared = frame.declared(name).map(|declared| declared.ty.clone());
        }
        used.inferred.insert(inferred, ());
        if used.default.is_none() {
            used.default = setting
                .map(setting_value)
                .or_else(|| inline.map(Value::from));
        }
    }
}

/// Whether the host sets the name, or the document's location does and the document does not
/// declare it.
fn is_given_by_place(name: &str, frame: &NameFrame<'_, '_>) -> bool {
    let realm = frame.realm();
    let place = realm
        .is_some_and(|realm| realm.place.contains_key(name) && !realm.types.contains_key(name));
    place || HOST_NAMES.contains(&name)
}

/// `index-1` is a subtraction from `index`; `my-name` is a name.
fn begins_reserved(name: &str) -> bool {
    name.split('-')
        .next()
        .is_some_and(|first| reserved(first).is_some())
}

/// The root's default of a declared argument that no text uses.
fn root_default(template: &Template, name: &str) -> Option<Value> {
    let root = &template.root;
    root.defaults
        .get(name)
        .or_else(|| root.args.as_ref()?.get(name))
        .map(setting_value)
}

fn setting_value(setting: &ValueSetting) -> Value {
    match &setting.content {
        SettingContent::Plain(value) => value.clone(),
        SettingContent::Reference(text) => text.spelled().into(),
    }
}
