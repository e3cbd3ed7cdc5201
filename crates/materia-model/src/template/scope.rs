//! Scope: the value of a name at one node.
//!
//! Owns the layers of names and their order: names that `repeat` sets and `values` bind, then the
//! caller's values, then `defaults` from the inside out, then the defaults of `args` (T3, T12,
//! T18). A frame lives on the stack of the walk that made it. Never evaluates text: `evaluate`
//! does.

use super::node::{DeclaredValueType, DocumentScope, TemplateNode, ValueSetting, ValueSettings};
use super::syntax::reserved;

/// One layer of names, on top of the outer layers.
#[derive(Clone, Copy)]
pub(crate) struct NameFrame<'s, 't> {
    outer: Option<&'s NameFrame<'s, 't>>,
    layer: Layer<'s, 't>,
}

#[derive(Clone, Copy)]
enum Layer<'s, 't> {
    Realm(&'t DocumentScope),
    Args(&'t ValueSettings),
    Defaults(&'t ValueSettings),
    /// Defaults of an importer, and the scope they resolve in.
    Given(&'t ValueSettings, &'s NameFrame<'s, 't>),
    Repeat(RepeatIndex),
    Bound(&'t ValueSettings),
}

/// The index of a copy of a repeated node.
#[derive(Clone, Copy)]
pub(crate) struct RepeatIndex {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

/// A value that the caller cannot override.
pub(crate) enum FixedValue<'s, 't> {
    Number { value: usize, width: usize },
    Bound(&'t ValueSetting, &'s NameFrame<'s, 't>),
}

impl<'s, 't> NameFrame<'s, 't> {
    /// Only the names from the document's location.
    pub(crate) fn outside(realm: &'t DocumentScope) -> Self {
        Self {
            outer: None,
            layer: Layer::Realm(realm),
        }
    }

    fn over(&'s self, layer: Layer<'s, 't>) -> NameFrame<'s, 't> {
        NameFrame {
            outer: Some(self),
            layer,
        }
    }

    /// Runs `then` in the scope of a node; `turn` is set for a copy of a repeated one.
    ///
    /// Bound values are innermost, so that they resolve outside of themselves and can use `index`.
    pub(crate) fn within<R>(
        &self,
        node: &'t TemplateNode,
        turn: Option<RepeatIndex>,
        then: impl FnOnce(&NameFrame<'_, 't>) -> R,
    ) -> R {
        if let Some(realm) = node.realm.as_deref() {
            return self.abroad(node, realm, turn, then);
        }
        let args = node
            .args
            .as_ref()
            .map(|settings| self.over(Layer::Args(settings)));
        let frame = args.as_ref().unwrap_or(self);
        let defaults =
            (!node.defaults.is_empty()).then(|| frame.over(Layer::Defaults(&node.defaults)));
        let frame = defaults.as_ref().unwrap_or(frame);
        frame.inside(node, turn, then)
    }

    /// The same for the root of an imported document. Separate, because most nodes do not need its
    /// stack space.
    fn abroad<R>(
        &self,
        node: &'t TemplateNode,
        realm: &'t DocumentScope,
        turn: Option<RepeatIndex>,
        then: impl FnOnce(&NameFrame<'_, 't>) -> R,
    ) -> R {
        let frame = self.over(Layer::Realm(realm));
        let args = node
            .args
            .as_ref()
            .map(|settings| frame.over(Layer::Args(settings)));
        let frame = args.as_ref().unwrap_or(&frame);
        let frame = frame.over(Layer::Defaults(&node.defaults));
        frame
            .over(Layer::Given(&node.given, self))
            .inside(node, turn, then)
    }

    /// The innermost layers of a node.
    fn inside<R>(
        &self,
        node: &'t TemplateNode,
        turn: Option<RepeatIndex>,
        then: impl FnOnce(&NameFrame<'_, 't>) -> R,
    ) -> R {
        let frame = self;
        let repeat = turn.map(|turn| frame.over(Layer::Repeat(turn)));
        let frame = repeat.as_ref().unwrap_or(frame);
        let bound = (!node.values.is_empty()).then(|| frame.over(Layer::Bound(&node.values)));
        then(bound.as_ref().unwrap_or(frame))
    }

    /// The scope in which bound values of the innermost node are resolved.
    pub(crate) fn around_bound(&'s self) -> &'s NameFrame<'s, 't> {
        match self.layer {
            Layer::Bound(_) => self.outer.unwrap_or(self),
            _ => self,
        }
    }

    fn chain(&'s self) -> impl Iterator<Item = &'s NameFrame<'s, 't>> {
        std::iter::successors(Some(self), |frame| frame.outer)
    }

    /// The fixed value of a name at this node, from the inside out.
    pub(crate) fn fixed(&'s self, name: &str) -> Option<FixedValue<'s, 't>> {
        self.chain().find_map(|frame| match frame.layer {
            Layer::Repeat(turn) => turn.value(name),
            Layer::Bound(settings) => Some(FixedValue::Bound(settings.get(name)?, frame.outer?)),
            _ => None,
        })
    }

    /// The defaults of a name in order of precedence, each with the scope it resolves in. The
    /// address of each identifies it.
    pub(crate) fn defaults(
        &'s self,
        name: &str,
    ) -> impl Iterator<Item = (&'t ValueSetting, &'s NameFrame<'s, 't>)> {
        let own = self.chain().filter_map(move |frame| match frame.layer {
            Layer::Defaults(settings) => Some((settings, self)),
            Layer::Given(settings, around) => Some((settings, around)),
            _ => None,
        });
        let args = self.chain().find_map(|frame| match frame.layer {
            Layer::Args(settings) => Some((settings, self)),
            _ => None,
        });
        own.chain(args)
            .filter_map(move |(settings, frame)| Some((settings.get(name)?, frame)))
    }

    /// The declarations of the document at this node.
    pub(crate) fn realm(&'s self) -> Option<&'t DocumentScope> {
        self.chain().find_map(|frame| match frame.layer {
            Layer::Realm(realm) => Some(realm),
            _ => None,
        })
    }

    /// The type that the document at this node declares for a name.
    pub(crate) fn declared(&'s self, name: &str) -> Option<&'t DeclaredValueType> {
        self.realm()?.types.get(name)
    }
}

impl RepeatIndex {
    fn value<'s, 't>(self, name: &str) -> Option<FixedValue<'s, 't>> {
        let (bare, width) = reserved(name)?;
        let value = match bare {
            "index" => self.index,
            "prev" => (self.index + self.count - 1) % self.count.max(1),
            "next" => (self.index + 1) % self.count.max(1),
            _ => self.count,
        };
        Some(FixedValue::Number { value, width })
    }
}
