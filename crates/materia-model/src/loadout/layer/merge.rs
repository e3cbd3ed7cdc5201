//! Merging layers, definition by definition and field by field.
//!
//! Owns the merge rules: materia by field, with the four ways to run something replacing each
//! other; loadouts by field, with sockets as a whole; null as removal; shipped loadouts as they
//! are. Never reads what a field says.

use std::collections::{HashMap, HashSet};

use super::{Layer, Scope};
use crate::document::{Content, Field, Part, Path, Reader, Spot};
use crate::finding::Finding;
use crate::loadout::document::Section;
use crate::loadout::settings::Groups;
use crate::materia::{AGENT_FIELDS, RUN_FIELDS, UTILITY_FIELDS, kind_of};
use crate::text;

/// All layers, merged.
#[derive(Debug)]
pub(super) struct Merged<'a> {
    pub(super) materia: Definitions<'a>,
    pub(super) loadouts: Definitions<'a>,
    pub(super) settings: Groups<'a>,
    pub(super) active: Option<Part<'a>>,
    pub(super) active_id: Option<Part<'a>>,
}

/// A definition with the fields that are left of all layers.
#[derive(Debug)]
pub(super) struct Definition<'a> {
    pub(super) name: &'a str,
    /// Where the highest layer names it.
    pub(super) at: Spot<'a>,
    /// The highest layer that says something about it.
    pub(super) owner: usize,
    pub(super) fields: Vec<Field<'a>>,
    /// The value, where it is no object.
    pub(super) wrong: Option<Part<'a>>,
    removed: bool,
}

impl<'a> Definition<'a> {
    /// The text of a field, where it is one.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.fields
            .iter()
            .find(|field| field.name() == name)?
            .value()
            .node
            .as_str()
    }

    fn drop_fields(&mut self, names: &[&str]) {
        self.fields.retain(|field| !names.contains(&field.name()));
    }

    /// Puts the fields of a higher layer over those of this one.
    fn overlay(&mut self, upper: Field<'a>) {
        overlay(&mut self.fields, upper.value(), upper.owner);
    }
}

/// The definitions of one section, in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct Definitions<'a> {
    all: Vec<Definition<'a>>,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Definitions<'a> {
    /// Those that no layer removed.
    pub(super) fn live(&self) -> impl Iterator<Item = &Definition<'a>> {
        self.all.iter().filter(|one| !one.removed)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Definition<'a>> {
        self.by_name
            .get(name)
            .map(|at| &self.all[*at])
            .filter(|one| !one.removed)
    }

    /// The definition a layer speaks about; one that was removed begins anew.
    fn open(&mut self, field: Field<'a>) -> &mut Definition<'a> {
        let name = field.name();
        let at = *self.by_name.entry(name).or_insert_with(|| {
            self.all.push(Definition {
                name,
                at: field.spot(),
                owner: field.owner,
                fields: Vec::new(),
                wrong: None,
                removed: false,
            });
            self.all.len() - 1
        });
        let one = &mut self.all[at];
        one.at = field.spot();
        one.owner = field.owner;
        one.wrong = None;
        if std::mem::take(&mut one.removed) {
            one.fields.clear();
        }
        one
    }
}

/// Merges the layers, lowest first.
pub(super) fn merge<'a>(layers: &'a [Layer], findings: &mut Vec<Finding>) -> Merged<'a> {
    let mut merged = Merged {
        materia: Definitions::default(),
        loadouts: Definitions::default(),
        settings: Groups::default(),
        active: None,
        active_id: None,
    };
    let mut shipped: HashSet<&str> = HashSet::new();
    for (owner, layer) in layers.iter().enumerate() {
        let document = &layer.document;
        for field in document.definitions(Section::Materia) {
            add_materia(&mut merged.materia, Field { owner, ..field });
        }
        let mut reader = Reader::default();
        for field in document.definitions(Section::Loadouts) {
            if layer.scope == Scope::Default {
                shipped.insert(field.name());
            } else if shipped.contains(field.name()) {
                readonly(&mut reader, field);
                continue;
            }
            add_loadout(&mut merged.loadouts, Field { owner, ..field });
        }
        findings.extend(reader.into_findings());
        merged.settings.artifact_dir = document.get("artifactDir").or(merged.settings.artifact_dir);
        merged.settings.agent = document.get("agent").or(merged.settings.agent);
        let text = |name| {
            document
                .get(name)
                .filter(|value: &Part<'_>| value.node.as_str().is_some())
        };
        merged.active = text("activeLoadout").or(merged.active);
        merged.active_id = text("activeLoadoutId").or(merged.active_id);
        for (group, name) in [
            (&mut merged.settings.budget, "budget"),
            (&mut merged.settings.limits, "limits"),
            (&mut merged.settings.compaction, "compaction"),
            (&mut merged.settings.agents, "agents"),
        ] {
            add_settings(group, document.get(name));
        }
    }
    merged
}

fn readonly(reader: &mut Reader, field: Field<'_>) {
    let section = Path::Root.member(Section::Loadouts.name());
    let name = text::quoted(field.name());
    let message =
        format!("{name} ships with the program and cannot be changed; this definition is not used");
    let hint = format!("give it another name, or duplicate {name} first and change the copy");
    reader.error(
        field.spot(),
        &section.member(field.name()),
        "readonly-loadout",
        message,
        hint,
    );
}

fn add_materia<'a>(all: &mut Definitions<'a>, field: Field<'a>) {
    let one = all.open(field);
    match &field.member.value.content {
        Content::Null => one.removed = true,
        Content::Object(_) => {
            let upper: Vec<Field<'a>> = field.value().fields().collect();
            let (below, above) = (kind_of(&one.fields), kind_of(&upper));
            if below.is_some() && above.is_some() && below != above {
                for names in [&["type"], AGENT_FIELDS, UTILITY_FIELDS, RUN_FIELDS] {
                    one.drop_fields(names);
                }
            }
            if upper.iter().any(|field| RUN_FIELDS.contains(&field.name())) {
                one.drop_fields(RUN_FIELDS);
            }
            one.overlay(field);
        }
        _ => one.wrong = Some(field.value()),
    }
}

fn add_loadout<'a>(all: &mut Definitions<'a>, field: Field<'a>) {
    let one = all.open(field);
    match &field.member.value.content {
        Content::Null => one.removed = true,
        Content::Object(_) => {
            let has = |name: &str| field.value().get(name).is_some();
            if has("sockets") && !has("loops") {
                one.drop_fields(&["loops"]);
            }
            one.overlay(field);
        }
        _ => one.wrong = Some(field.value()),
    }
}

fn add_settings<'a>(group: &mut Vec<Field<'a>>, given: Option<Part<'a>>) {
    if let Some(given) = given {
        overlay(group, given, 0);
    }
}

/// Members replace fields of the same name; null only removes.
fn overlay<'a>(fields: &mut Vec<Field<'a>>, upper: Part<'a>, owner: usize) {
    let names: HashSet<&str> = upper
        .node
        .members()
        .iter()
        .map(|member| member.name.as_str())
        .collect();
    fields.retain(|field| !names.contains(field.name()));
    fields.extend(upper.fields().map(|field| Field { owner, ..field }));
}
