//! Config documents: the text of one file, taken apart into definitions that stand on their own.
//!
//! Owns the top-level fields and what is wrong with the file as a whole. A name that stands twice
//! inside a loadout or a materia breaks that definition alone (C13). Never opens the file, and
//! never merges it with another.

use crate::document::{Content, Field, Node, Part, Path, Reader, parse_parts, path_member};
use crate::finding::{Finding, Source};

/// The top-level fields of a config.
pub(super) const FIELDS: &[&str] = &[
    "$schema",
    "artifactDir",
    "budget",
    "limits",
    "compaction",
    "agent",
    "agents",
    "activeLoadout",
    "activeLoadoutId",
    "loadouts",
    "materia",
];

/// Fields that had a meaning once, with what to write today.
const OBSOLETE: &[(&str, &str)] = &[
    ("roles", "write `materia`"),
    ("materiaDefinitions", "write `materia`"),
];

/// The two kinds of definition a config has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Materia,
    Loadouts,
}

impl Section {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Materia => "materia",
            Self::Loadouts => "loadouts",
        }
    }
}

/// One config file, read.
#[derive(Debug, Clone)]
pub struct Document {
    source: Source,
    root: Node,
    findings: Vec<Finding>,
    broken: Vec<(Section, String, Finding)>,
}

impl Document {
    /// Reads a file's text; what is wrong with it is found later, or in [`Document::findings`].
    pub fn parse(source: Source) -> Self {
        let empty = Node {
            content: Content::Object(Vec::new()),
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
        let mut reader = Reader::default();
        document.check(&mut reader);
        document.findings.extend(reader.into_findings());
        if !matches!(document.root.content, Content::Object(_)) {
            document.root = empty;
        }
        document
    }

    /// What is wrong with the file as a whole: its syntax and its top-level fields.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The text it was read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether this is no config but a recipe: it has a template, and nothing that a config has.
    pub fn is_recipe(&self) -> bool {
        let has = |name: &str| self.root.get(name).is_some();
        has("template") && !FIELDS.iter().any(|name| *name != "$schema" && has(name))
    }

    /// The value that this file itself gives to a definition of a section, `loadouts` or `materia`.
    pub fn own(&self, section: &str, name: &str) -> Option<&Node> {
        self.root.get(section)?.get(name)
    }

    /// A top-level value that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<Part<'_>> {
        Part {
            source: &self.source,
            node: &self.root,
        }
        .get(name)
    }

    /// The definitions of a section; those that are null say that a lower one is removed.
    pub(super) fn definitions(&self, section: Section) -> impl Iterator<Item = Field<'_>> {
        let members = self
            .root
            .get(section.name())
            .map(Node::members)
            .unwrap_or_default();
        members.iter().map(|member| Field {
            owner: 0,
            source: &self.source,
            member,
        })
    }

    /// What broke a definition before it could be read.
    pub(super) fn broken<'d>(
        &'d self,
        section: Section,
        name: &'d str,
    ) -> impl Iterator<Item = &'d Finding> {
        let parts = self.broken.iter();
        parts
            .filter(move |(at, named, _)| *at == section && named == name)
            .map(|(_, _, finding)| finding)
    }

    /// Gives a finding to the definition it stands in, or to the file.
    fn sort(&mut self, finding: Finding) {
        let path = finding.path.clone().unwrap_or_default();
        let owner = [Section::Materia, Section::Loadouts]
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

    fn check(&self, reader: &mut Reader) {
        let root = Part {
            source: &self.source,
            node: &self.root,
        };
        if !matches!(self.root.content, Content::Object(_)) {
            let message = format!("a config is an object, not {}", self.root.kind());
            let hint = "write {\"loadouts\": { … }, \"materia\": { … }}";
            reader.error(root.spot(), &Path::Root, "invalid-config", message, hint);
        }
        for field in root.fields() {
            let (path, value) = (Path::Root.member(field.name()), field.value());
            match field.name() {
                "materia" | "loadouts" | "budget" | "limits" | "compaction" | "agents" => {
                    reader.object(value, &path, "invalid-config");
                }
                "artifactDir" | "agent" | "activeLoadout" | "activeLoadoutId" | "$schema" => {
                    reader.string(value, &path, "invalid-config");
                }
                name => match OBSOLETE.iter().find(|(old, _)| *old == name) {
                    Some((_, instead)) => {
                        let message = format!("`{name}` is obsolete");
                        reader.error(field.spot(), &path, "obsolete-field", message, *instead);
                    }
                    None => reader.unknown(field, &path, "a config", FIELDS),
                },
            }
        }
    }
}
