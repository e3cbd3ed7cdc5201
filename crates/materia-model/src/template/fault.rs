//! Faults: why a placeholder has no value, and the chain of defaults that led there.
//!
//! Owns the wording of problems with values, and the limit on references between defaults (T3).
//! Does not know the position of the placeholder in a document: expansion adds it.

use serde_json::Value;

use super::node::ValueSetting;
use super::value::{ValueType, render};
use crate::text;

/// The maximum number of references between a default and its value.
pub(crate) const MAX_REFERENCES: usize = 5;

/// Why a placeholder has no value.
#[derive(Debug, Clone)]
pub(crate) enum PlaceholderFault {
    /// The name has no value.
    Missing(String),
    Wrong {
        code: &'static str,
        message: String,
        hint: String,
    },
}

/// The names whose defaults are being followed, innermost first.
#[derive(Clone, Copy)]
pub(crate) struct DefaultTrail<'c> {
    pub(crate) name: &'c str,
    pub(crate) setting: &'c ValueSetting,
    pub(crate) before: Option<&'c DefaultTrail<'c>>,
}

impl DefaultTrail<'_> {
    fn iter<'c>(trail: Option<&'c DefaultTrail<'c>>) -> impl Iterator<Item = &'c DefaultTrail<'c>> {
        std::iter::successors(trail, |trail| trail.before)
    }

    pub(crate) fn has(trail: Option<&DefaultTrail<'_>>, setting: &ValueSetting) -> bool {
        Self::iter(trail).any(|step| std::ptr::eq(step.setting, setting))
    }

    pub(crate) fn length(trail: Option<&DefaultTrail<'_>>) -> usize {
        Self::iter(trail).count()
    }

    /// `a → b → c`, ending with `name`.
    fn spelled(trail: Option<&DefaultTrail<'_>>, name: &str) -> String {
        let mut names: Vec<&str> = Self::iter(trail).map(|step| step.name).collect();
        names.reverse();
        names.push(name);
        names.join(" → ")
    }
}

pub(crate) fn unfit(name: &str, ty: &ValueType, value: &Value) -> PlaceholderFault {
    let message = format!(
        "`{name}` is {}, and it must be {}",
        shown(value),
        ty.described()
    );
    wrong(
        "invalid-value",
        message,
        format!("pass {name}=… as {}", ty.described()),
    )
}

pub(crate) fn cycle(name: &str, trail: Option<&DefaultTrail<'_>>) -> PlaceholderFault {
    let message = format!(
        "the default of `{name}` refers to itself: {}",
        DefaultTrail::spelled(trail, name)
    );
    wrong(
        "cyclic-default",
        message,
        format!("pass {name}=…, or give one of them a plain default"),
    )
}

pub(crate) fn too_far(name: &str, trail: Option<&DefaultTrail<'_>>) -> PlaceholderFault {
    let message = format!(
        "defaults refer to each other more than {MAX_REFERENCES} times: {}",
        DefaultTrail::spelled(trail, name)
    );
    wrong(
        "cyclic-default",
        message,
        format!("pass {name}=…, or shorten the chain"),
    )
}

pub(crate) fn wrong(
    code: &'static str,
    message: String,
    hint: impl Into<String>,
) -> PlaceholderFault {
    PlaceholderFault::Wrong {
        code,
        message,
        hint: hint.into(),
    }
}

pub(crate) fn shown(value: &Value) -> String {
    text::quoted(&render(value))
}
