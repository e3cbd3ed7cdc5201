//! Config documents: the text of one file, split into independent definitions.
//!
//! Owns the top-level fields and the findings about the file as a whole. A duplicate name inside a
//! loadout or a materia breaks only that definition (C13). Never opens the file, and never merges
//! it with another.

use serde_json::{Value, json};

use super::settings::{AGENT_PROGRAM, BUDGET, COMPACTION, LIMITS};
use crate::document::{
    DocValue, FieldTable, Findings, JsonContent, JsonNode, Read, Schema, SourceMember, field,
    ignore, parse_parts, path_member,
};
use crate::finding::{Finding, Source};

/// The top-level fields of a config. Their values are read after all layers are merged.
pub(super) const CONFIG: FieldTable<Read<()>> = FieldTable {
    owner: "a config",
    about: "Loadouts, materia and settings of casts.",
    fields: &[
        field("$schema", "").string(ignore),
        field(
            "artifactDir",
            "Where casts keep their artifacts, relative to the project.",
        )
        .string(ignore),
        field("budget", "").object(Schema::Json(|| BUDGET.schema())),
        field("limits", "").object(Schema::Json(|| LIMITS.schema())),
        field("compaction", "").object(Schema::Json(|| COMPACTION.schema())),
        field(
            "agent",
            "The agent that plays roles which name none; the first one found where left out.",
        )
        .string(ignore),
        field("agents", "Agents by name.").object(Schema::Json(
            || json!({"type": "object", "additionalProperties": AGENT_PROGRAM.schema()}),
        )),
        field("activeLoadout", "The loadout of a cast that names none.").string(ignore),
        field("activeLoadoutId", "The same by id; the name wins.").string(ignore),
        field(
            "loadouts",
            "Graphs of sockets by name. Names of shipped loadouts are taken.",
        )
        .object(Schema::Json(|| definitions("loadout"))),
        field(
            "materia",
            "Reusable behaviour by name: agent roles and utilities. null removes a lower layer's.",
        )
        .object(Schema::Json(|| definitions("materia"))),
    ],
};

/// The schema of a section. Null removes the definition of a lower layer.
fn definitions(kind: &str) -> Value {
    let definition = json!({"$ref": format!("#/$defs/{kind}")});
    json!({
        "type": "object",
        "additionalProperties": {"oneOf": [definition, {"type": "null"}]},
    })
}

/// Obsolete fields, with their replacements.
const OBSOLETE: [(&str, &str); 2] = [
    ("roles", "write `materia`"),
    ("materiaDefinitions", "write `materia`"),
];

/// The two kinds of definition a config has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigSection {
    Materia,
    Loadouts,
}

impl ConfigSection {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Materia => "materia",
            Self::Loadouts => "loadouts",
        }
    }
}

/// One parsed config file.
#[derive(Debug, Clone)]
pub struct ConfigDocument {
    source: Source,
    root: JsonNode,
    findings: Vec<Finding>,
    broken: Vec<(ConfigSection, String, Finding)>,
}

impl ConfigDocument {
    /// Parses a file's text. Errors are reported later, or in [`ConfigDocument::findings`].
    pub fn parse(source: Source) -> Self {
        let empty = JsonNode {
            content: JsonContent::Object(Vec::new()),
            span: 0..0,
        };
        let (root, found) = match parse_parts(&source) {
            Ok(read) => read,
            Err(findings) => {
                return Self {
                    source,
                    root: empty,
                    findings,
                    broken: Vec::new(),
                };
            }
        };
        let mut document = Self {
            source,
            root,
            findings: Vec::new(),
            broken: Vec::new(),
        };
        for finding in found {
            document.sort(finding);
        }
        document.check();
        if !matches!(document.root.content, JsonContent::Object(_)) {
            document.root = empty;
        }
        document
    }

    /// The findings about the file as a whole: its syntax and its top-level fields.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The text it was read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether this is a recipe instead of a config: it has a template and no config field.
    pub fn is_recipe(&self) -> bool {
        let has = |name: &str| self.root.get(name).is_some();
        has("template") && !CONFIG.names().any(|name| name != "$schema" && has(name))
    }

    /// The value of a definition in this file alone; the section is `loadouts` or `materia`.
    pub fn own(&self, section: &str, name: &str) -> Option<&JsonNode> {
        self.root.get(section)?.get(name)
    }

    /// A top-level value that exists and is not null.
    pub(super) fn get(&self, name: &str) -> Option<SourceMember<'_>> {
        let mut members = self.root.members().iter();
        let member = members.find(|member| member.name == name)?;
        let present = member.value.content != JsonContent::Null;
        present.then_some(SourceMember {
            layer: 0,
            source: &self.source,
            member,
        })
    }

    /// The definitions of a section. A null removes a lower one.
    pub(super) fn definitions(
        &self,
        section: ConfigSection,
    ) -> impl Iterator<Item = SourceMember<'_>> {
        let members = self
            .root
            .get(section.name())
            .map(JsonNode::members)
            .unwrap_or_default();
        members.iter().map(|member| SourceMember {
            layer: 0,
            source: &self.source,
            member,
        })
    }

    /// The findings that broke a definition before it could be read.
    pub(super) fn broken<'d>(
        &'d self,
        section: ConfigSection,
        name: &'d str,
    ) -> impl Iterator<Item = &'d Finding> {
        let parts = self.broken.iter();
        parts
            .filter(move |(at, named, _)| *at == section && named == name)
            .map(|(_, _, finding)| finding)
    }

    /// Assigns a finding to its definition, or to the file.
    fn sort(&mut self, finding: Finding) {
        let path = finding.path.clone().unwrap_or_default();
        let owner = [ConfigSection::Materia, ConfigSection::Loadouts]
            .into_iter()
            .find_map(|section| {
                let below = path.strip_prefix(section.name())?;
                let members = self.root.get(section.name())?.members();
                let member = members.iter().find(|member| {
                    let rest = below.strip_prefix(&path_member("x", &member.name)[1..]);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                })?;
                Some((section, member.name.clone()))
            });
        match owner {
            Some((section, name)) => self.broken.push((section, name, finding)),
            None => self.findings.push(finding),
        }
    }

    fn check(&mut self) {
        let findings = Findings::default();
        let root = DocValue::root(&self.source, &self.root, "invalid-config", &findings);
        if !matches!(self.root.content, JsonContent::Object(_)) {
            let message = format!("a config is an object, not {}", self.root.kind());
            let hint = "write {\"loadouts\": { … }, \"materia\": { … }}";
            root.at.error(message, hint);
        }
        for value in root.fields() {
            match OBSOLETE.iter().find(|(old, _)| *old == value.name()) {
                Some((name, instead)) => {
                    let at = value.at.at_name_as("obsolete-field");
                    at.error(format!("`{name}` is obsolete"), *instead);
                }
                None => CONFIG.read_known(&mut (), &(), &value),
            }
        }
        self.findings.extend(findings.take());
    }
}
