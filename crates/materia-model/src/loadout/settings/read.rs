//! Reads settings from the merged fields of several files.
//!
//! Owns the names of the settings and their ranges. Reports and omits an unusable value, so that
//! the default applies. Never fills in a default.

use serde_json::json;

use super::{BudgetSettings, CompactionSettings, ConfigSettings, LimitSettings, agents};
use crate::document::{
    DocValue, FieldTable, Findings, Read, Schema, SourceMember, ValuePath, field,
};

pub(super) const INVALID: &str = "invalid-setting";

pub(in crate::loadout) const BUDGET: FieldTable<Read<BudgetSettings>> = FieldTable {
    owner: "a budget",
    about: "What a cast may spend.",
    fields: &[
        field("maxTokens", "Tokens, in and out together.")
            .count(0, |budget, count| budget.max_tokens = Some(count)),
        field("maxCostUsd", "US dollars.")
            .amount(|budget, amount| budget.max_cost_usd = Some(amount)),
        field("maxTurns", "Turns of agents.")
            .count(0, |budget, count| budget.max_turns = Some(count)),
        field("maxMinutes", "Minutes of wall time.")
            .amount(|budget, amount| budget.max_minutes = Some(amount)),
        field("warnAtPercent", "When a warning is given.")
            .percent(|budget, percent| budget.warn_at_percent = Some(percent)),
        field("stopAtLimit", "Whether a reached limit ends the cast.")
            .boolean(|budget, stop| budget.stop_at_limit = Some(stop)),
    ],
};

pub(in crate::loadout) const LIMITS: FieldTable<Read<LimitSettings>> = FieldTable {
    owner: "the limits of a cast",
    about: "The safety net against casts that never end.",
    fields: &[
        field("maxSocketVisits", "Visits of one socket in a cast.")
            .count(1, |limits, count| limits.max_socket_visits = Some(count)),
        field("maxEdgeTraversals", "Traversals of one edge in a cast.")
            .count(1, |limits, count| limits.max_edge_traversals = Some(count)),
        field(
            "maxNoAdvanceCycles",
            "How often an item may come back to a socket without advancing.",
        )
        .count(1, |limits, count| {
            limits.max_no_advance_cycles = Some(count);
        }),
    ],
};

pub(in crate::loadout) const COMPACTION: FieldTable<Read<CompactionSettings>> = FieldTable {
    owner: "compaction",
    about: "When an agent's context is compacted.",
    fields: &[
        field(
            "proactiveThresholdPercent",
            "The share of the context window.",
        )
        .percent(|compaction, share| compaction.proactive_threshold_percent = Some(share)),
        field("proactiveThresholdTiers", "").with(
            Schema::Json(|| json!({"type": "array", "minItems": 1, "items": TIER.schema()})),
            |compaction, (), value| {
                let before = value.at.findings.errors();
                check_tiers(value);
                let good = value.at.findings.errors() == before;
                compaction.proactive_threshold_tiers = good.then(|| value.node.to_value());
            },
        ),
    ],
};

/// The fields of a tier. A tier is stored as written, including other fields.
const TIER: FieldTable<Read<Tier>> = FieldTable {
    owner: "a tier",
    about: "A size of window.",
    fields: &[
        field("id", "").unread(Schema::String),
        field("minContextWindow", "From this size, 0 where left out.")
            .amount(|tier, size| tier.min = size),
        field(
            "maxContextWindow",
            "Below this size; the last tier has none.",
        )
        .amount(|tier, size| tier.max = Some(size)),
        field("thresholdPercent", "The share of the window.")
            .required()
            .percent(|_, _| {}),
    ],
};

#[derive(Default)]
struct Tier {
    min: f64,
    max: Option<f64>,
}

/// The merged fields of each group of settings.
#[derive(Debug, Default)]
pub(crate) struct SettingGroups<'a> {
    pub(crate) artifact_dir: Option<SourceMember<'a>>,
    pub(crate) budget: Vec<SourceMember<'a>>,
    pub(crate) limits: Vec<SourceMember<'a>>,
    pub(crate) compaction: Vec<SourceMember<'a>>,
    pub(crate) agent: Option<SourceMember<'a>>,
    pub(crate) agents: Vec<SourceMember<'a>>,
}

/// Reads the settings.
pub(crate) fn read(findings: &Findings, groups: &SettingGroups<'_>) -> ConfigSettings {
    let text = |member: Option<SourceMember<'_>>| {
        let value = member?.value(&ValuePath::Root, INVALID, findings);
        value.text().map(str::to_owned)
    };
    ConfigSettings {
        artifact_dir: text(groups.artifact_dir),
        budget: group(&BUDGET, "budget", &groups.budget, findings),
        limits: group(&LIMITS, "limits", &groups.limits, findings),
        compaction: group(&COMPACTION, "compaction", &groups.compaction, findings),
        agent: text(groups.agent),
        agents: agents::read(findings, &groups.agents),
    }
}

fn group<T: Default>(
    table: &FieldTable<Read<T>>,
    name: &str,
    members: &[SourceMember<'_>],
    findings: &Findings,
) -> T {
    let path = ValuePath::Root.member(name);
    let mut group = T::default();
    for member in members {
        table.read_known(&mut group, &(), &member.value(&path, INVALID, findings));
    }
    group
}

/// Tiers are contiguous from 0. Only the last one is open-ended.
fn check_tiers(value: &DocValue<'_>) {
    if !value.list() {
        return;
    }
    if value.node.items().is_empty() {
        value.error("there are no tiers", "add one, or remove the field");
    }
    let mut expected = Some(0.0);
    for item in value.items() {
        if !item.object() {
            return;
        }
        let tier = tier(&item);
        if expected != Some(tier.min) || tier.max.is_some_and(|max| max <= tier.min) {
            let message = "the tiers do not follow each other without gaps, from 0";
            let hint = "let each tier begin where the one before it ends";
            item.at.member("minContextWindow").error(message, hint);
            return;
        }
        expected = tier.max;
    }
    if expected.is_some() && !value.node.items().is_empty() {
        let hint = "leave out `maxContextWindow` in the last tier";
        value.error("the last tier has an end", hint);
    }
}

fn tier(item: &DocValue<'_>) -> Tier {
    let mut tier = Tier::default();
    for name in TIER.names() {
        match item.get(name) {
            Some(value) => {
                TIER.read_field(&mut tier, &(), &value);
            }
            None if name == "thresholdPercent" => {
                let hint = "add \"thresholdPercent\": a number from 0 to 100";
                item.error("the tier has no threshold", hint);
            }
            None => {}
        }
    }
    tier
}
