//! Redaction that builds its scanner only when needed.
//!
//! Owns the values to redact, and the scanner once it is built. Many processes on a machine write
//! almost nothing, and a scanner would be most of the memory of each. Text without the prefix of a
//! secret costs one pass.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::Value;

use super::shape::SHAPES;
use super::{REDACTED, Secrets, known};

/// The values to redact, and the scanner once it is built.
#[derive(Default)]
pub struct SecretGuard {
    values: Vec<String>,
    scanner: OnceLock<Secrets>,
}

impl std::fmt::Debug for SecretGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never print the values.
        write!(f, "Guard({})", self.values.len())
    }
}

impl SecretGuard {
    /// Redacts the shapes of keys, the values of variables with secret names, and those of the
    /// named variables.
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

    /// Replaces the named values in the input by [`REDACTED`], and redacts them from now on.
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

    /// The scanner, built on first use.
    pub fn secrets(&self) -> &Secrets {
        self.scanner
            .get_or_init(|| Secrets::of(self.values.iter().map(String::as_str).collect()))
    }

    /// Redacts text. Borrows the input if it has no secret.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.may_be_in(text) {
            self.secrets().redact_text(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Redacts every text of a document, including member names.
    pub fn value(&self, value: &mut Value) {
        if self.may_be_in(&value.to_string()) {
            self.secrets().redact_value(value);
        }
    }

    /// Whether a text contains the prefix of a secret.
    fn may_be_in(&self, text: &str) -> bool {
        let spelled = |value: &String| {
            known::spellings(value)
                .iter()
                .any(|spelling| text.contains(spelling))
        };
        SHAPES.iter().any(|shape| text.contains(shape.prefix)) || self.values.iter().any(spelled)
    }
}
