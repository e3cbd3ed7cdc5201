//! Definitions as written, merged over all layers, for editors.
//!
//! Owns the conversion of merged fields back to one JSON value. Includes broken definitions,
//! because users fix them in an editor.

use serde_json::Value;

use super::merge::{MergedDefinition, MergedDefinitions};
use super::{Config, ConfigScope};

/// A definition as written.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenDefinition<'a> {
    pub name: &'a str,
    /// The highest layer that defines it.
    pub scope: ConfigScope,
    /// The value merged over all layers.
    pub value: Value,
}

impl<'a> Config<'a> {
    /// The loadouts, in the order of their first definition.
    pub fn written_loadouts(&self) -> Vec<WrittenDefinition<'a>> {
        self.written_all(&self.merged.loadouts)
    }

    /// The materia, in the order of their first definition.
    pub fn written_materia(&self) -> Vec<WrittenDefinition<'a>> {
        self.written_all(&self.merged.materia)
    }

    fn written_all(&self, definitions: &MergedDefinitions<'a>) -> Vec<WrittenDefinition<'a>> {
        let scope = |one: &MergedDefinition<'a>| self.layers[one.highest.layer].scope;
        let written = |one: &MergedDefinition<'a>| WrittenDefinition {
            name: one.name,
            scope: scope(one),
            value: value(one),
        };
        definitions.live().map(written).collect()
    }
}

/// The fields of a definition as one object. A value that is not an object stays as it is.
pub(super) fn value(one: &MergedDefinition<'_>) -> Value {
    if one.broken {
        return one.highest.node().to_value();
    }
    let fields = one.fields.iter();
    let pairs = fields.map(|field| (field.name().to_owned(), field.node().to_value()));
    Value::Object(pairs.collect())
}
