//! Reading settings from the merged fields of several files.
//!
//! Owns the names of the settings and their ranges. A value that cannot be used is told and left
//! out, so that the default stands. Never fills in a default.

use super::{Budget, Compaction, Limits, Settings, agents};
use crate::document::{Field, Part, Path, Reader};

pub(super) const INVALID: &str = "invalid-setting";

/// The merged fields of each group of settings.
#[derive(Debug, Default)]
pub(crate) struct Groups<'a> {
    pub(crate) artifact_dir: Option<Part<'a>>,
    pub(crate) budget: Vec<Field<'a>>,
    pub(crate) limits: Vec<Field<'a>>,
    pub(crate) compaction: Vec<Field<'a>>,
    pub(crate) agent: Option<Part<'a>>,
    pub(crate) agents: Vec<Field<'a>>,
}

/// Reads the settings.
pub(crate) fn read(reader: &mut Reader, groups: &Groups<'_>) -> Settings {
    Settings {
        artifact_dir: groups.artifact_dir.and_then(|value| {
            reader
                .words(value, &Path::Root.member("artifactDir"), INVALID)
                .map(str::to_owned)
        }),
        budget: budget(reader, &groups.budget),
        limits: limits(reader, &groups.limits),
        compaction: compaction(reader, &groups.compaction),
        agent: groups.agent.and_then(|value| {
            reader
                .words(value, &Path::Root.member("agent"), INVALID)
                .map(str::to_owned)
        }),
        agents: agents::read(reader, &groups.agents),
    }
}

fn budget(reader: &mut Reader, fields: &[Field<'_>]) -> Budget {
    const FIELDS: &[&str] = &[
        "maxTokens",
        "maxCostUsd",
        "maxTurns",
        "maxMinutes",
        "warnAtPercent",
        "stopAtLimit",
    ];
    let mut budget = Budget::default();
    let group = Path::Root.member("budget");
    for field in fields {
        let (value, path) = (field.value(), group.member(field.name()));
        match field.name() {
            "maxTokens" => budget.max_tokens = reader.count(value, &path, INVALID, 0),
            "maxCostUsd" => budget.max_cost_usd = reader.amount(value, &path, INVALID),
            "maxTurns" => budget.max_turns = reader.count(value, &path, INVALID, 0),
            "maxMinutes" => budget.max_minutes = reader.amount(value, &path, INVALID),
            "warnAtPercent" => budget.warn_at_percent = percent(reader, value, &path),
            "stopAtLimit" => budget.stop_at_limit = reader.boolean(value, &path, INVALID),
            _ => reader.unknown(*field, &path, "a budget", FIELDS),
        }
    }
    budget
}

fn limits(reader: &mut Reader, fields: &[Field<'_>]) -> Limits {
    const FIELDS: &[&str] = &["maxSocketVisits", "maxEdgeTraversals", "maxNoAdvanceCycles"];
    let mut limits = Limits::default();
    let group = Path::Root.member("limits");
    for field in fields {
        let (value, path) = (field.value(), group.member(field.name()));
        match field.name() {
            "maxSocketVisits" => limits.max_socket_visits = reader.count(value, &path, INVALID, 1),
            "maxEdgeTraversals" => {
                limits.max_edge_traversals = reader.count(value, &path, INVALID, 1);
            }
            "maxNoAdvanceCycles" => {
                limits.max_no_advance_cycles = reader.count(value, &path, INVALID, 1);
            }
            _ => reader.unknown(*field, &path, "the limits of a cast", FIELDS),
        }
    }
    limits
}

fn compaction(reader: &mut Reader, fields: &[Field<'_>]) -> Compaction {
    const FIELDS: &[&str] = &["proactiveThresholdPercent", "proactiveThresholdTiers"];
    let mut compaction = Compaction::default();
    let group = Path::Root.member("compaction");
    for field in fields {
        let (value, path) = (field.value(), group.member(field.name()));
        match field.name() {
            "proactiveThresholdPercent" => {
                compaction.proactive_threshold_percent = percent(reader, value, &path);
            }
            "proactiveThresholdTiers" => {
                let before = reader.errors();
                tiers(reader, value, &path);
                let good = reader.errors() == before;
                compaction.proactive_threshold_tiers = good.then(|| value.node.to_value());
            }
            _ => reader.unknown(*field, &path, "compaction", FIELDS),
        }
    }
    compaction
}

fn percent(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<f64> {
    let given = reader.amount(value, path, INVALID)?;
    if given > 100.0 {
        let message = format!("{given} percent are more than everything");
        reader.error(
            value.spot(),
            path,
            INVALID,
            message,
            "write a number from 0 to 100",
        );
        return None;
    }
    Some(given)
}

/// Tiers follow each other from 0 without gaps; the last one, and only it, is open.
fn tiers(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) {
    if !reader.list(value, path, INVALID) {
        return;
    }
    if value.node.items().is_empty() {
        reader.error(
            value.spot(),
            path,
            INVALID,
            "there are no tiers",
            "add one, or remove the field",
        );
    }
    let mut expected = Some(0.0);
    for (index, item) in value.items().enumerate() {
        let path = path.index(index);
        if !reader.object(item, &path, INVALID) {
            return;
        }
        let mut number = |name: &str| {
            let value = item.get(name)?;
            reader.amount(value, &path.member(name), INVALID)
        };
        let least = number("minContextWindow").unwrap_or(0.0);
        let most = number("maxContextWindow");
        match item.get("thresholdPercent") {
            Some(value) => {
                percent(reader, value, &path.member("thresholdPercent"));
            }
            None => {
                let hint = "add \"thresholdPercent\": a number from 0 to 100";
                reader.error(
                    item.spot(),
                    &path,
                    INVALID,
                    "the tier has no threshold",
                    hint,
                );
            }
        }
        if expected != Some(least) || most.is_some_and(|most| most <= least) {
            let message = "the tiers do not follow each other without gaps, from 0";
            let hint = "let each tier begin where the one before it ends";
            reader.error(
                item.spot(),
                &path.member("minContextWindow"),
                INVALID,
                message,
                hint,
            );
            return;
        }
        expected = most;
    }
    if expected.is_some() && !value.node.items().is_empty() {
        let hint = "leave out `maxContextWindow` in the last tier";
        reader.error(
            value.spot(),
            path,
            INVALID,
            "the last tier has an end",
            hint,
        );
    }
}
