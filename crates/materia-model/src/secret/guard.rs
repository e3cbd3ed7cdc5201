//! Secrets that are looked for only where there may be one.
//!
//! Owns the values that must not be written, and the scanner for them once it is needed: many
//! processes that write next to nothing share a machine, and a scanner in each of them would be
//! most of what they are. Text without the beginning of a secret costs one pass.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::Value;

use super::shape::SHAPES;
use super::{REDACTED, Secrets, known};

/// What must not be written, and the scanner once there is one.
#[derive(Default)]
pub struct SecretGuard {
    values: Vec<String>,
    scanner: OnceLock<Secrets>,
}

impl std::fmt::Debug for SecretGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values themselves must not get into a message.
        write!(f, "Guard({})", self.values.len())
    }
}

impl SecretGuard {
    /// Guards the shapes of keys, the values of variables whose names say that they are secret, and
    /// those of the named.
    pub fn new<'v>(
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        named: &[&str],
    ) -> Self {
        let values = Secrets::values(variables, named)
            .map(str::to_owned)
            .collect();
        Self {
            values,
            scanner: OnceLock::new(),
        }
    }

    /// Takes the named ones out of what somebody gave, and guards their values from here on.
    pub fn take_from(&mut self, given: &mut serde_json::Map<String, Value>, named: &[String]) {
        for (_, value) in given.iter_mut().filter(|(name, _)| named.contains(name)) {
            let secret = std::mem::replace(value, REDACTED.into());
            let secret = secret
                .as_str()
                .map_or_else(|| secret.to_string(), str::to_owned);
            self.values
                .extend(Some(secret).filter(|secret| known::is_long_enough(secret)));
        }
        self.scanner = OnceLock::new();
    }

    /// The scanner.
    pub fn secrets(&self) -> &Secrets {
        self.scanner
            .get_or_init(|| Secrets::of(self.values.iter().map(String::as_str).collect()))
    }

    /// Text without its secrets; the same text where there is none.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.may_be_in(text) {
            self.secrets().redact_text(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Takes the secrets out of every text of a document, names included.
    pub fn value(&self, value: &mut Value) {
        if self.may_be_in(&value.to_string()) {
            self.secrets().redact_value(value);
        }
    }

    /// Whether something in a text begins like a secret.
    fn may_be_in(&self, text: &str) -> bool {
        let spelled = |value: &String| {
            known::spellings(value)
                .iter()
                .any(|spelling| text.contains(spelling))
        };
        SHAPES.iter().any(|shape| text.contains(shape.prefix)) || self.values.iter().any(spelled)
    }
}
