//! Field tables: one list of an object's fields that drives its reader, its unknown-field warnings
//! and its JSON Schema.
//!
//! Owns the table, the ways to read a field, and the schema of a table. Never names a field of a
//! document: each kind of document has its tables beside its reader.

use serde_json::{Map, Value, json};

use super::DocValue;

/// The fields of one kind of object. `R` is the way to read a field; see [`Read`].
pub(crate) struct FieldTable<R: 'static> {
    /// The object's name in messages, such as `a socket`.
    pub(crate) owner: &'static str,
    /// The object's description in the schema.
    pub(crate) about: &'static str,
    pub(crate) fields: &'static [Field<R>],
}

/// One field of an object.
pub(crate) struct Field<R> {
    pub(crate) name: &'static str,
    about: &'static str,
    required: bool,
    schema: Schema,
    pub(crate) read: R,
}

/// The schema of a field's value.
#[derive(Clone, Copy)]
pub(crate) enum Schema {
    String,
    Boolean,
    /// A whole number with this minimum.
    Count(u64),
    /// A number from 0.
    Amount,
    /// A number from 0 to 100.
    Percent,
    /// One of these words.
    Enum(&'static [&'static str]),
    /// Any object.
    Object,
    List(&'static Schema),
    /// The definition with this name in the `$defs` of the document's schema.
    Ref(&'static str),
    /// Anything else, as JSON Schema.
    Json(fn() -> Value),
    /// Not in the schema: the field is read, but not suggested.
    Hidden,
}

/// How to read a field of `T`: by its kind, or by a function with a context `C`. An unreadable
/// value is reported and sets nothing.
pub(crate) enum Read<T, C = ()> {
    String(fn(&mut T, &str)),
    /// A string that is not blank.
    Text(fn(&mut T, &str)),
    Boolean(fn(&mut T, bool)),
    Count(u64, fn(&mut T, u64)),
    Amount(fn(&mut T, f64)),
    Percent(fn(&mut T, f64)),
    With(fn(&mut T, &C, &DocValue<'_>)),
    /// Checks only that it is an object; another reader reads its members.
    Object,
    /// Does not read it: another reader does, or it is for editors.
    Unread,
}

/// An incomplete field: the way to read it follows.
pub(crate) struct FieldName {
    name: &'static str,
    about: &'static str,
    required: bool,
}

/// Starts a row of a table: the name of a field and its description in the schema.
pub(crate) const fn field(name: &'static str, about: &'static str) -> FieldName {
    FieldName {
        name,
        about,
        required: false,
    }
}

impl FieldName {
    /// Marks the field as required in the schema. The reader of the object reports a missing one.
    pub(crate) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub(crate) const fn read<R>(self, schema: Schema, read: R) -> Field<R> {
        Field {
            name: self.name,
            about: self.about,
            required: self.required,
            schema,
            read,
        }
    }

    pub(crate) const fn string<T, C>(self, set: fn(&mut T, &str)) -> Field<Read<T, C>> {
        self.read(Schema::String, Read::String(set))
    }

    pub(crate) const fn text<T, C>(self, set: fn(&mut T, &str)) -> Field<Read<T, C>> {
        self.read(Schema::String, Read::Text(set))
    }

    pub(crate) const fn boolean<T, C>(self, set: fn(&mut T, bool)) -> Field<Read<T, C>> {
        self.read(Schema::Boolean, Read::Boolean(set))
    }

    pub(crate) const fn count<T, C>(self, least: u64, set: fn(&mut T, u64)) -> Field<Read<T, C>> {
        self.read(Schema::Count(least), Read::Count(least, set))
    }

    pub(crate) const fn amount<T, C>(self, set: fn(&mut T, f64)) -> Field<Read<T, C>> {
        self.read(Schema::Amount, Read::Amount(set))
    }

    pub(crate) const fn percent<T, C>(self, set: fn(&mut T, f64)) -> Field<Read<T, C>> {
        self.read(Schema::Percent, Read::Percent(set))
    }

    pub(crate) const fn with<T, C>(
        self,
        schema: Schema,
        read: fn(&mut T, &C, &DocValue<'_>),
    ) -> Field<Read<T, C>> {
        self.read(schema, Read::With(read))
    }

    pub(crate) const fn object<T, C>(self, schema: Schema) -> Field<Read<T, C>> {
        self.read(schema, Read::Object)
    }

    pub(crate) const fn unread<T, C>(self, schema: Schema) -> Field<Read<T, C>> {
        self.read(schema, Read::Unread)
    }
}

/// For a string that is checked but not stored.
pub(crate) fn ignore<T>(_: &mut T, _: &str) {}

impl<R> FieldTable<R> {
    pub(crate) fn get(&self, name: &str) -> Option<&'static Field<R>> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn names<'n>(&self) -> impl Iterator<Item = &'n str> + Clone + use<'n, R> {
        self.fields.iter().map(|field| field.name)
    }

    /// The schema of an object that has these fields and no others.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = described(
            self.about,
            json!({
                "type": "object",
                "properties": self.properties(),
                "additionalProperties": false,
            }),
        );
        let required = self.fields.iter().filter(|field| field.required);
        let required: Vec<&str> = required.map(|field| field.name).collect();
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }

    /// The schema of each field, by name.
    pub(crate) fn properties(&self) -> Map<String, Value> {
        let fields = self.fields.iter();
        fields
            .filter_map(|field| Some((field.name.to_owned(), field.schema()?)))
            .collect()
    }
}

impl<R> Field<R> {
    fn schema(&self) -> Option<Value> {
        Some(described(self.about, self.schema.to_json()?))
    }
}

/// Puts a description before the rest of a schema, if there is one.
fn described(about: &str, schema: Value) -> Value {
    if about.is_empty() {
        return schema;
    }
    let mut described = json!({"description": about});
    if let (Some(described), Value::Object(schema)) = (described.as_object_mut(), schema) {
        described.extend(schema);
    }
    described
}

impl Schema {
    fn to_json(self) -> Option<Value> {
        Some(match self {
            Self::String => json!({"type": "string"}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::Count(least) => json!({"type": "integer", "minimum": least}),
            Self::Amount => json!({"type": "number", "minimum": 0}),
            Self::Percent => json!({"type": "number", "minimum": 0, "maximum": 100}),
            Self::Enum(words) => json!({"enum": words}),
            Self::Object => json!({"type": "object"}),
            Self::List(items) => json!({"type": "array", "items": items.to_json()?}),
            Self::Ref(name) => json!({"$ref": format!("#/$defs/{name}")}),
            Self::Json(schema) => schema(),
            Self::Hidden => return None,
        })
    }
}

impl<T, C> FieldTable<Read<T, C>> {
    /// Reads the fields of an object into `target` and warns about unknown ones. Returns `false` if
    /// the value is not an object.
    pub(crate) fn read(&self, target: &mut T, context: &C, object: &DocValue<'_>) -> bool {
        let good = object.object();
        if good {
            object
                .fields()
                .for_each(|value| self.read_known(target, context, &value));
        }
        good
    }

    /// Reads one field, or warns that it is unknown.
    pub(crate) fn read_known(&self, target: &mut T, context: &C, value: &DocValue<'_>) {
        if !self.read_field(target, context, value) {
            value.unknown(self.owner, self.names());
        }
    }

    /// Reads one field. Returns `false` if the table has no field of this name.
    pub(crate) fn read_field(&self, target: &mut T, context: &C, value: &DocValue<'_>) -> bool {
        let Some(field) = self.get(value.name()) else {
            return false;
        };
        match field.read {
            Read::String(set) => set_value(target, set, value.string()),
            Read::Text(set) => set_value(target, set, value.text()),
            Read::Boolean(set) => set_value(target, set, value.boolean()),
            Read::Count(least, set) => set_value(target, set, value.count(least)),
            Read::Amount(set) => set_value(target, set, value.amount()),
            Read::Percent(set) => set_value(target, set, value.percent()),
            Read::With(read) => read(target, context, value),
            Read::Object => {
                value.object();
            }
            Read::Unread => {}
        }
        true
    }
}

fn set_value<T, V>(target: &mut T, set: fn(&mut T, V), value: Option<V>) {
    if let Some(value) = value {
        set(target, value);
    }
}

/// The schema of an enumeration of words.
pub(crate) fn choices<T>(words: &[(&str, T)]) -> Value {
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    json!({"enum": words})
}
