//! Evaluation: placeholders to values, texts to strings.
//!
//! Owns the value of each form, the limit of references, and the budget that keeps hostile
//! templates from multiplying (S5). Caller data is data: only template text is scanned for
//! placeholders (T3). Enforces types here, on every value from a default (T6).

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_json::{Map, Value};

use super::HostFacts;
use super::fault::{
    DefaultTrail, MAX_REFERENCES, PlaceholderFault, cycle, shown, too_far, unfit, wrong,
};
use super::node::{SettingContent, Template, ValueSetting};
use super::scope::{FixedValue, NameFrame};
use super::stage::PlanStages;
use super::syntax::expression::{self, Expression, ExpressionError};
use super::syntax::{ItemIndex, Placeholder, PlaceholderForm, TemplateText, TextPiece};
use super::value::{ValueType, integer, is_truthy, render};
use crate::text;

/// The maximum number of placeholders that one expansion resolves.
const MAX_STEPS: usize = 10_000_000;
/// The maximum amount of text that one expansion produces.
const MAX_BYTES: usize = 256 << 20;

pub(crate) struct Evaluator<'t> {
    pub(crate) template: &'t Template,
    pub(crate) caller: &'t Map<String, Value>,
    pub(crate) facts: HostFacts<'t>,
    /// The stages that end before the step that is being expanded.
    pub(crate) stages: RefCell<PlanStages>,
    steps: Cell<usize>,
    bytes: Cell<usize>,
}

type Result<T> = std::result::Result<T, PlaceholderFault>;

impl<'t> Evaluator<'t> {
    pub(crate) fn new(
        template: &'t Template,
        caller: &'t Map<String, Value>,
        facts: HostFacts<'t>,
    ) -> Self {
        let stages = RefCell::new(PlanStages::default());
        Self {
            template,
            caller,
            facts,
            stages,
            steps: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    /// Replaces every placeholder of a text.
    pub(crate) fn text(&self, text: &TemplateText, frame: &NameFrame<'_, 't>) -> Result<String> {
        self.text_on(text, frame, None)
    }

    /// The value of one placeholder.
    pub(crate) fn value(
        &self,
        placeholder: &Placeholder,
        frame: &NameFrame<'_, 't>,
    ) -> Result<Cow<'t, Value>> {
        self.value_on(placeholder, frame, None)
    }

    fn text_on(
        &self,
        text: &TemplateText,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<String> {
        let mut whole = String::new();
        for piece in &text.pieces {
            let before = whole.len();
            match piece {
                TextPiece::Literal(literal) => whole.push_str(literal),
                TextPiece::Placeholder(placeholder) => {
                    whole.push_str(&render(self.value_on(placeholder, frame, trail)?.as_ref()));
                }
            }
            spend(&self.bytes, whole.len() - before, MAX_BYTES)?;
        }
        Ok(whole)
    }

    fn value_on(
        &self,
        placeholder: &Placeholder,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        spend(&self.steps, 1, MAX_STEPS)?;
        let look = |name: &str| self.look(name, frame, trail);
        match &placeholder.form {
            PlaceholderForm::Value {
                name,
                default,
                difference,
                ..
            } => {
                if let Some(value) = look(name)? {
                    return Ok(value);
                }
                if let Some(default) = default {
                    return self.fit(
                        name,
                        Cow::Owned(self.home_path(name, default, frame).into()),
                        frame,
                    );
                }
                let known = |name: &str| matches!(look(name), Ok(Some(_)));
                match difference
                    .as_ref()
                    .filter(|difference| names(difference).into_iter().all(known))
                {
                    Some(_) => self.compute(name, 0, frame, trail),
                    None => Err(PlaceholderFault::Missing(name.clone())),
                }
            }
            PlaceholderForm::Fallback { name, otherwise } => {
                let value = look(name)?.filter(|value| is_truthy(value));
                Ok(value.unwrap_or_else(|| Cow::Owned(otherwise.as_str().into())))
            }
            PlaceholderForm::Choice {
                name,
                negated,
                yes,
                no,
            } => {
                let truthy = look(name)?.is_some_and(|value| is_truthy(&value)) != *negated;
                Ok(Cow::Owned(if truthy { yes } else { no }.as_str().into()))
            }
            PlaceholderForm::Item { name, index } => self.item(name, index, frame, trail),
            PlaceholderForm::Stage { name } => {
                let path = self.stages.borrow_mut().named(name, frame.realm())?;
                Ok(Cow::Owned(path.into()))
            }
            PlaceholderForm::Length { name } => {
                let value = self.needed(name, frame, trail)?;
                Ok(Cow::Owned(array(name, value.as_ref())?.len().into()))
            }
            PlaceholderForm::Expression {
                source,
                width,
                expression,
            } => {
                if source.contains('-') {
                    return self.compute(source, *width, frame, trail);
                }
                self.calculate(expression, source, *width, frame, trail)
            }
        }
    }

    /// Evaluates an expression whose hyphens may be part of names, which is known only now (T8).
    fn compute(
        &self,
        source: &str,
        width: usize,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        let is_value = |name: &str| matches!(self.look(name, frame, trail), Ok(Some(_)));
        let expression = expression::parse(source, &is_value).map_err(|because| {
            wrong(
                "invalid-expression",
                format!("{}: {because}", text::quoted(source)),
                "",
            )
        })?;
        self.calculate(&expression, source, width, frame, trail)
    }

    fn calculate(
        &self,
        expression: &Expression,
        source: &str,
        width: usize,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        let mut int = |name: &str| self.int(name, frame, trail);
        let number = expression
            .evaluate(&mut int)
            .map_err(|failure| match failure {
                ExpressionError::Zero => wrong(
                    "division-by-zero",
                    format!("{} divides by zero", text::quoted(source)),
                    "divide by something that cannot be 0",
                ),
                ExpressionError::Overflow => wrong(
                    "overflow",
                    format!("{} is too large", text::quoted(source)),
                    "integers have 64 bits",
                ),
                ExpressionError::Name(fault) => fault,
            })?;
        Ok(Cow::Owned(if width == 0 {
            number.into()
        } else {
            format!("{number:0width$}").into()
        }))
    }

    fn int(
        &self,
        name: &str,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<i64> {
        let value = self.needed(name, frame, trail)?;
        integer(&value).ok_or_else(|| {
            let message = format!("`{name}` is {}, and it must be an integer", shown(&value));
            wrong("invalid-value", message, "expressions take integers only")
        })
    }

    fn item(
        &self,
        name: &str,
        index: &ItemIndex,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        let value = self.needed(name, frame, trail)?;
        let items = array(name, &value)?;
        let position = match index {
            ItemIndex::Literal(position) => Some(*position),
            ItemIndex::Name(index) => usize::try_from(self.int(index, frame, trail)?).ok(),
        };
        let length = items.len();
        let Some(position) = position.filter(|position| *position < length) else {
            let asked = match index {
                ItemIndex::Literal(position) => position.to_string(),
                ItemIndex::Name(index) => format!("{index} = {}", self.int(index, frame, trail)?),
            };
            let message = format!(
                "`{name}` has {}, and item {asked} is asked for",
                text::count(length, "item")
            );
            return Err(wrong("index-out-of-range", message, "items count from 0"));
        };
        Ok(match value {
            Cow::Borrowed(Value::Array(items)) => items
                .get(position)
                .map_or(Cow::Owned(Value::Null), Cow::Borrowed),
            value => Cow::Owned(value.get(position).cloned().unwrap_or(Value::Null)),
        })
    }

    fn needed(
        &self,
        name: &str,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        self.look(name, frame, trail)?
            .ok_or_else(|| PlaceholderFault::Missing(name.to_owned()))
    }

    /// The value of a name, if it has one.
    fn look(
        &self,
        name: &str,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Option<Cow<'t, Value>>> {
        spend(&self.steps, 1, MAX_STEPS)?;
        match frame.fixed(name) {
            Some(FixedValue::Number { value, width: 0 }) => {
                return Ok(Some(Cow::Owned(value.into())));
            }
            Some(FixedValue::Number { value, width }) => {
                return Ok(Some(Cow::Owned(format!("{value:0width$}").into())));
            }
            // Bound values are resolved in an outer scope, so that no chain of them can be cyclic.
            Some(FixedValue::Bound(setting, outside)) => {
                match self.setting(name, setting, outside, frame, None) {
                    // A binding that only forwards a name has no effect if that name has no value.
                    Err(PlaceholderFault::Missing(_)) if hands_on(setting) => {}
                    bound => return bound.map(Some),
                }
            }
            None => {}
        }
        let host = || self.facts.host.and_then(|host| host.get(name));
        if let Some(value) = self.caller.get(name).or_else(host) {
            let value = Cow::Borrowed(value);
            return if self.is_abroad(frame) {
                self.fit(name, value, frame)
            } else {
                Ok(value)
            }
            .map(Some);
        }
        self.default(name, frame, trail)
    }

    fn default(
        &self,
        name: &str,
        frame: &NameFrame<'_, 't>,
        trail: Option<&DefaultTrail<'_>>,
    ) -> Result<Option<Cow<'t, Value>>> {
        let mut seen = false;
        for (setting, around) in frame.defaults(name) {
            if DefaultTrail::has(trail, setting) {
                // A default that mentions its own name refers to the next outer one.
                seen = true;
                continue;
            }
            let outwards = !std::ptr::eq(around, frame);
            match self.setting(name, setting, around, frame, trail.filter(|_| !outwards)) {
                Err(PlaceholderFault::Missing(_)) if outwards && hands_on(setting) => {}
                found => return found.map(Some),
            }
        }
        if seen {
            return Err(cycle(name, trail));
        }
        let place = frame.realm().and_then(|realm| realm.place.get(name));
        place
            .map(|setting| self.setting(name, setting, frame, frame, trail))
            .transpose()
    }

    /// Whether this is a scope of an imported document, which has its own types.
    fn is_abroad(&self, frame: &NameFrame<'_, 't>) -> bool {
        frame
            .realm()
            .is_some_and(|realm| !std::ptr::eq(realm, &raw const self.template.realm))
    }

    fn setting(
        &self,
        name: &str,
        setting: &'t ValueSetting,
        frame: &NameFrame<'_, 't>,
        user: &NameFrame<'_, 't>,
        before: Option<&DefaultTrail<'_>>,
    ) -> Result<Cow<'t, Value>> {
        let text = match &setting.content {
            SettingContent::Plain(Value::String(text))
                if text.starts_with('~') && is_path(name, user) =>
            {
                return Ok(Cow::Owned(self.home_path(name, text, user).into()));
            }
            SettingContent::Plain(value) if self.is_abroad(user) => {
                return self.fit(name, Cow::Borrowed(value), user);
            }
            SettingContent::Plain(value) => return Ok(Cow::Borrowed(value)),
            SettingContent::Reference(text) => text,
        };
        if DefaultTrail::length(before) >= MAX_REFERENCES {
            return Err(too_far(name, before));
        }
        let trail = DefaultTrail {
            name,
            setting,
            before,
        };
        let value = match text.single() {
            Some(placeholder) => self.value_on(placeholder, frame, Some(&trail))?,
            None => {
                let resolved = self.text_on(text, frame, Some(&trail))?;
                let ours = matches!(text.pieces.first(), Some(TextPiece::Literal(_)));
                Cow::Owned(if ours {
                    self.home_path(name, &resolved, user).into()
                } else {
                    resolved.into()
                })
            }
        };
        self.fit(name, value, user)
    }

    /// The only place that converts a value to its declared type; caller values passed it before.
    fn fit(
        &self,
        name: &str,
        value: Cow<'t, Value>,
        frame: &NameFrame<'_, 't>,
    ) -> Result<Cow<'t, Value>> {
        let Some(declared) = frame.declared(name) else {
            return Ok(value);
        };
        if let (Value::String(text), ValueType::Array) = (value.as_ref(), &declared.ty) {
            // Charge for parsing JSON again in every copy, so that it cannot multiply.
            spend(&self.steps, text.len() / 4, MAX_STEPS)?;
        }
        declared
            .ty
            .fit(value.clone())
            .ok_or_else(|| unfit(name, &declared.ty, &value))
    }

    /// Expands `~` in a path from template text. Never changes caller data.
    fn home_path(&self, name: &str, path: &str, frame: &NameFrame<'_, 't>) -> String {
        if is_path(name, frame) {
            self.facts.at_home(path)
        } else {
            path.to_owned()
        }
    }
}

/// Whether a name is declared as a path.
pub(crate) fn is_path(name: &str, frame: &NameFrame<'_, '_>) -> bool {
    frame
        .declared(name)
        .is_some_and(|declared| declared.ty == ValueType::Path)
}

fn hands_on(setting: &ValueSetting) -> bool {
    matches!(&setting.content, SettingContent::Reference(text) if text.single().is_some())
}

fn names(expression: &Expression) -> Vec<&str> {
    let mut found = Vec::new();
    expression.names(&mut found);
    found
}

fn array<'v>(name: &str, value: &'v Value) -> Result<&'v Vec<Value>> {
    value.as_array().ok_or_else(|| {
        let message = format!("`{name}` is {}, and it must be an array", shown(value));
        let hint =
            format!("pass a JSON array, and declare `{name}:array` so that text is read as one");
        wrong("invalid-value", message, hint)
    })
}

fn spend(spent: &Cell<usize>, more: usize, limit: usize) -> Result<()> {
    let total = spent.get().saturating_add(more);
    spent.set(total);
    if total <= limit {
        return Ok(());
    }
    let message = "the expanded template is too large".to_owned();
    Err(wrong(
        "too-large",
        message,
        "repeat less, or pass long values by file",
    ))
}
