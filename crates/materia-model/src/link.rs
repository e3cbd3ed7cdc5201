//! Links: several loadouts and materia in sequence, as one loadout.
//!
//! Owns the syntax of a target, and the composition. Renumbers the sockets and updates everything
//! that names one. Every route on which a part would have ended leads into the next one: sockets
//! without edges, edges and exits to `end`, outcomes without an edge, exhausted or empty lists. So
//! any loadout can be linked, including one with several ends or with back edges outside of its
//! loops. Never looks a target up and never writes one: the caller passes the parts.

mod stitch;

use serde_json::{Map, Value, json};

use crate::loadout::Graph;

/// The kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTargetKind {
    /// A materia, as a loadout of one socket.
    Materia,
    Loadout,
}

impl LinkTargetKind {
    /// The word for users and ids.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Materia => "materia",
            Self::Loadout => "loadout",
        }
    }
}

/// A target as the user writes it: `materia:Build`, `loadout:Release`, or a bare name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkTarget<'a> {
    /// The kind in front of the colon, if any.
    pub kind: Option<LinkTargetKind>,
    pub name: &'a str,
}

impl<'a> LinkTarget<'a> {
    /// Parses a target.
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
    /// Its graph; `None` for a single materia.
    pub graph: Option<Graph>,
    /// Its loadout, as written.
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

/// A composed loadout.
#[derive(Debug)]
pub struct LinkedLoadout {
    /// The name of the loadout.
    pub name: String,
    pub id: String,
    /// The loadout document.
    pub loadout: Value,
    /// The origin of each socket: `{"targets": […], "sockets": {"Socket-3": {"part", "socket"}}}`.
    pub origin: Value,
}

/// Links the parts in order. `None` if there are none.
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

/// Turns a name into a part of an id.
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

/// The names of a part's sockets in the link.
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

    /// Numbers the sockets after those of the previous parts.
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
