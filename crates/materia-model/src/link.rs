//! Links: several loadouts and materia, one behind the other, as one loadout.
//!
//! Owns how a target is written, and the composition. Sockets are numbered anew, everything that
//! names one follows, and every way on which a part would have ended leads into the next one:
//! sockets without edges, edges and exits to `end`, answers that no edge is for, lists that are
//! done or empty. So any loadout can be linked, also one with several ends or with ways back
//! outside of its loops. Never looks a target up and never writes one: parts are handed in.

mod stitch;

use serde_json::{Map, Value, json};

use crate::loadout::Graph;

/// What a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTargetKind {
    /// A materia, as a loadout of one socket.
    Materia,
    Loadout,
}

impl LinkTargetKind {
    /// The word that people and ids use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Materia => "materia",
            Self::Loadout => "loadout",
        }
    }
}

/// A target as a person writes it: `materia:Build`, `loadout:Release`, or a bare name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkTarget<'a> {
    /// What it says to be.
    pub kind: Option<LinkTargetKind>,
    pub name: &'a str,
}

impl<'a> LinkTarget<'a> {
    /// Reads a target.
    pub fn read(word: &'a str) -> Self {
        match word.split_once(':') {
            Some(("materia", name)) => Self {
                kind: Some(LinkTargetKind::Materia),
                name,
            },
            Some(("loadout", name)) => Self {
                kind: Some(LinkTargetKind::Loadout),
                name,
            },
            _ => Self {
                kind: None,
                name: word,
            },
        }
    }
}

/// One part of a link.
#[derive(Debug)]
pub struct LinkPart {
    pub kind: LinkTargetKind,
    pub name: String,
    /// Its graph; a materia alone has none.
    pub graph: Option<Graph>,
    /// Its loadout, as it is written.
    pub written: Value,
}

impl LinkPart {
    /// A materia as a part.
    pub fn materia(name: &str) -> Self {
        let written = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": name}}});
        Self {
            kind: LinkTargetKind::Materia,
            name: name.to_owned(),
            graph: None,
            written,
        }
    }

    /// A loadout as a part.
    pub fn loadout(graph: Graph, written: Value) -> Self {
        Self {
            kind: LinkTargetKind::Loadout,
            name: graph.name().to_owned(),
            graph: Some(graph),
            written,
        }
    }
}

/// A link.
#[derive(Debug)]
pub struct LinkedLoadout {
    /// What the loadout is called.
    pub name: String,
    pub id: String,
    /// The loadout, as it would be written.
    pub loadout: Value,
    /// Which part each socket came from: `{"targets": […], "sockets": {"Socket-3": {"part",
    /// "socket"}}}`.
    pub origin: Value,
}

/// Links the parts in order; nothing without any.
pub fn link(parts: &[LinkPart]) -> Option<LinkedLoadout> {
    let names: Vec<LinkedSocketNames> = parts
        .iter()
        .map(LinkedSocketNames::of)
        .scan(0, LinkedSocketNames::shifted)
        .collect();
    let mut sockets = Map::new();
    let (mut loops, mut origin) = (Map::new(), Map::new());
    for (at, part) in parts.iter().enumerate() {
        let next = names.get(at + 1).map(|next| next.entry.as_str());
        let made = stitch::stitch(part, &names[at], next, at + 1);
        sockets.extend(made.sockets);
        loops.extend(made.loops);
        for (old, new) in &names[at].renamed {
            origin.insert(new.clone(), json!({"part": at + 1, "socket": old}));
        }
    }
    let entry = &names.first()?.entry;
    let titles: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let ids: Vec<String> = parts
        .iter()
        .map(|part| format!("{}-{}", part.kind.as_str(), plain(&part.name)))
        .collect();
    let mut loadout = json!({"entry": entry, "sockets": sockets});
    if !loops.is_empty() {
        loadout["loops"] = Value::Object(loops);
    }
    let targets: Vec<Value> = parts
        .iter()
        .map(|part| json!({"kind": part.kind.as_str(), "name": part.name}))
        .collect();
    Some(LinkedLoadout {
        name: format!("Linked virtual loadout: {}", titles.join(" → ")),
        id: format!("virtual-link-{}", ids.join("-")),
        loadout,
        origin: json!({"targets": targets, "sockets": origin}),
    })
}

/// A name as a part of an id.
pub fn plain(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '-'
            }
        })
        .collect()
}

/// What the sockets of a part are called in the link.
#[derive(Debug)]
pub(crate) struct LinkedSocketNames {
    renamed: Vec<(String, String)>,
    entry: String,
}

impl LinkedSocketNames {
    fn of(part: &LinkPart) -> Self {
        let written = part.written["sockets"].as_object();
        let ids: Vec<String> = written
            .into_iter()
            .flatten()
            .map(|(id, _)| id.clone())
            .collect();
        let entry = part
            .graph
            .as_ref()
            .map(|graph| graph.socket(graph.entry()).id.to_string());
        let entry = entry.unwrap_or_else(|| "Socket-1".to_owned());
        Self {
            renamed: ids.into_iter().map(|id| (id, String::new())).collect(),
            entry,
        }
    }

    /// Numbers the sockets behind those of the parts before.
    fn shifted(before: &mut usize, mut names: Self) -> Option<Self> {
        for (_, new) in &mut names.renamed {
            *before += 1;
            *new = format!("Socket-{before}");
        }
        names.entry = names.id_now(&names.entry).to_owned();
        Some(names)
    }

    fn id_now<'a>(&'a self, old: &'a str) -> &'a str {
        self.renamed
            .iter()
            .find(|(id, _)| id == old)
            .map_or(old, |(_, new)| new)
    }
}

#[cfg(test)]
mod tests;
