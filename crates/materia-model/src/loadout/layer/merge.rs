//! Merges layers, definition by definition and field by field.
//!
//! Owns the merge rules: materia by field, with the four run fields replacing each other; loadouts
//! by field, with sockets as a whole; null as removal; shipped loadouts unchanged. Never interprets
//! a field.

use std::collections::{HashMap, HashSet};

use super::{ConfigLayer, ConfigScope};
use crate::document::{Findings, JsonContent, SourceMember, ValuePath};
use crate::finding::Finding;
use crate::loadout::document::ConfigSection;
use crate::loadout::settings::SettingGroups;
use crate::materia::{is_kind_field, is_run_field, kind_of};
use crate::text;

/// All layers, merged.
#[derive(Debug)]
pub(super) struct MergedLayers<'a> {
    pub(super) materia: MergedDefinitions<'a>,
    pub(super) loadouts: MergedDefinitions<'a>,
    pub(super) settings: SettingGroups<'a>,
    pub(super) active: Option<SourceMember<'a>>,
    pub(super) active_id: Option<SourceMember<'a>>,
}

/// A definition with its fields after merging all layers.
#[derive(Debug)]
pub(super) struct MergedDefinition<'a> {
    pub(super) name: &'a str,
    /// The definition in the highest layer that has one.
    pub(super) highest: SourceMember<'a>,
    pub(super) fields: Vec<SourceMember<'a>>,
    /// Whether the highest definition is not an object.
    pub(super) broken: bool,
    removed: bool,
}

impl<'a> MergedDefinition<'a> {
    /// The text of a field, if it is a string.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.fields
            .iter()
            .find(|field| field.name() == name)?
            .node()
            .as_str()
    }

    fn drop_fields(&mut self, dropped: impl Fn(&str) -> bool) {
        self.fields.retain(|field| !dropped(field.name()));
    }
}

/// The definitions of one section, in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct MergedDefinitions<'a> {
    all: Vec<MergedDefinition<'a>>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> MergedDefinitions<'a> {
    /// The definitions that no layer removed.
    pub(super) fn live(&self) -> impl Iterator<Item = &MergedDefinition<'a>> {
        self.all.iter().filter(|one| !one.removed)
    }

    pub(super) fn get(&self, name: &str) -> Option<&MergedDefinition<'a>> {
        self.by_name
            .get(name)
            .map(|at| &self.all[*at])
            .filter(|one| !one.removed)
    }

    /// The definition that a layer extends. A removed one starts empty.
    fn open(&mut self, field: SourceMember<'a>) -> &mut MergedDefinition<'a> {
        let name = field.name();
        let at = *self.by_name.entry(name).or_insert_with(|| {
            self.all.push(MergedDefinition {
                name,
                highest: field,
                fields: Vec::new(),
                broken: false,
                removed: false,
            });
            self.all.len() - 1
        });
        let one = &mut self.all[at];
        one.highest = field;
        one.broken = false;
        if std::mem::take(&mut one.removed) {
            one.fields.clear();
        }
        one
    }
}

/// Merges the layers, lowest first.
pub(super) fn merge<'a>(
    layers: &'a [ConfigLayer],
    findings: &mut Vec<Finding>,
) -> MergedLayers<'a> {
    let mut merged = MergedLayers {
        materia: MergedDefinitions::default(),
        loadouts: MergedDefinitions::default(),
        settings: SettingGroups::default(),
        active: None,
        active_id: None,
    };
    let mut shipped: HashSet<&str> = HashSet::new();
    for (index, layer) in layers.iter().enumerate() {
        let document = &layer.document;
        for field in document.definitions(ConfigSection::Materia) {
            let field = SourceMember {
                layer: index,
                ..field
            };
            add_materia(&mut merged.materia, field);
        }
        let readonly = Findings::default();
        for field in document.definitions(ConfigSection::Loadouts) {
            if layer.scope == ConfigScope::Default {
                shipped.insert(field.name());
            } else if shipped.contains(field.name()) {
                report_readonly(&readonly, field);
                continue;
            }
            let field = SourceMember {
                layer: index,
                ..field
            };
            add_loadout(&mut merged.loadouts, field);
        }
        findings.extend(readonly.take());
        merged.settings.artifact_dir = document.get("artifactDir").or(merged.settings.artifact_dir);
        merged.settings.agent = document.get("agent").or(merged.settings.agent);
        let text = |name| {
            let member = document.get(name);
            member.filter(|member| member.node().as_str().is_some())
        };
        merged.active = text("activeLoadout").or(merged.active);
        merged.active_id = text("activeLoadoutId").or(merged.active_id);
        for (group, name) in [
            (&mut merged.settings.budget, "budget"),
            (&mut merged.settings.limits, "limits"),
            (&mut merged.settings.compaction, "compaction"),
            (&mut merged.settings.agents, "agents"),
        ] {
            if let Some(upper) = document.get(name) {
                overlay(group, upper);
            }
        }
    }
    merged
}

fn report_readonly(findings: &Findings, field: SourceMember<'_>) {
    let section = ValuePath::Root.member(ConfigSection::Loadouts.name());
    let value = field.value(&section, "readonly-loadout", findings);
    let name = text::quoted(field.name());
    let message =
        format!("{name} ships with the program and cannot be changed; this definition is not used");
    let hint = format!("give it another name, or duplicate {name} first and change the copy");
    value.at.at_name().error(message, hint);
}

fn add_materia<'a>(all: &mut MergedDefinitions<'a>, field: SourceMember<'a>) {
    let one = all.open(field);
    match field.node().content {
        JsonContent::Null => one.removed = true,
        JsonContent::Object(_) => {
            let upper: Vec<SourceMember<'a>> = field.members().collect();
            let (below, above) = (kind_of(&one.fields), kind_of(&upper));
            if below.is_some() && above.is_some() && below != above {
                one.drop_fields(|name| name == "type" || is_kind_field(name));
            }
            if upper.iter().any(|field| is_run_field(field.name())) {
                one.drop_fields(is_run_field);
            }
            overlay(&mut one.fields, field);
        }
        _ => one.broken = true,
    }
}

fn add_loadout<'a>(all: &mut MergedDefinitions<'a>, field: SourceMember<'a>) {
    let one = all.open(field);
    match field.node().content {
        JsonContent::Null => one.removed = true,
        JsonContent::Object(_) => {
            let has = |name: &str| field.members().any(|member| member.name() == name);
            if has("sockets") && !has("loops") {
                one.drop_fields(|name| name == "loops");
            }
            overlay(&mut one.fields, field);
        }
        _ => one.broken = true,
    }
}

/// Replaces fields of the same name. Null only removes.
fn overlay<'a>(fields: &mut Vec<SourceMember<'a>>, upper: SourceMember<'a>) {
    let members = upper.node().members().iter();
    let names: HashSet<&str> = members.map(|member| member.name.as_str()).collect();
    fields.retain(|field| !names.contains(field.name()));
    fields.extend(upper.members());
}
