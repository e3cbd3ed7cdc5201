//! A loadout as it was written: every value with its place, targets found, nothing derived yet.
//!
//! Owns the shapes between reading and compiling, and the names a target can have. Values that
//! could not be read are missing here, and a finding says why. Never leaves this room: the kernel
//! sees a [`super::Graph`].

use std::collections::HashMap;

use serde_json::Value;

use super::graph::{Guard, Slot, Target};
use crate::document::{Field, Part, Path, Reader, Spot};
use crate::materia::{Assign, Parse};
use crate::name::SocketId;
use crate::text;

/// How many names are looked at for a suggestion.
const SUGGESTED_FROM: usize = 1000;

/// A loadout as it was written.
pub(super) struct Draft<'a> {
    pub(super) name: &'a str,
    pub(super) entry: Option<Slot>,
    pub(super) sockets: Vec<Socket<'a>>,
    pub(super) loops: Vec<Loop<'a>>,
    pub(super) layout: Value,
}

/// A socket as it was written.
pub(super) struct Socket<'a> {
    pub(super) id: SocketId,
    pub(super) at: Field<'a>,
    pub(super) materia: Option<Text<'a>>,
    pub(super) parse: Option<(Parse, Part<'a>)>,
    pub(super) assign: Option<(Vec<Assign>, Part<'a>)>,
    pub(super) edges: Vec<Edge<'a>>,
    pub(super) edges_at: Option<Part<'a>>,
    pub(super) each: Option<Each<'a>>,
    pub(super) advance: Option<Advance<'a>>,
    pub(super) max_visits: Option<u64>,
}

impl<'a> Socket<'a> {
    /// Where the edges stand, or the socket where it has none.
    pub(super) fn edges_spot(&self) -> Spot<'a> {
        self.edges_at.map_or_else(|| self.at.spot(), Part::spot)
    }
}

/// A text with its place.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) at: Part<'a>,
}

/// An edge as it was written.
pub(super) struct Edge<'a> {
    pub(super) guard: Option<Guard>,
    pub(super) to: Option<Target>,
    pub(super) max_traversals: Option<u64>,
    pub(super) at: Part<'a>,
}

/// A `foreach` or an `iterator` as it was written.
pub(super) struct Each<'a> {
    pub(super) items: &'a str,
    pub(super) alias: Option<&'a str>,
    pub(super) cursor: Option<&'a str>,
}

/// An `advance` as it was written.
pub(super) struct Advance<'a> {
    pub(super) at: Part<'a>,
    pub(super) cursor: Option<Text<'a>>,
    pub(super) items: Option<Text<'a>>,
    pub(super) when: Option<Guard>,
    pub(super) when_at: Option<Part<'a>>,
}

/// A loop as it was written.
pub(super) struct Loop<'a> {
    pub(super) id: &'a str,
    pub(super) at: Field<'a>,
    pub(super) members: Vec<Slot>,
    pub(super) members_at: Option<Part<'a>>,
    pub(super) consumes: Option<Consumes<'a>>,
    pub(super) iterator: Option<Each<'a>>,
    pub(super) exit: Option<Exit<'a>>,
    pub(super) exits: Vec<Exit<'a>>,
}

impl<'a> Loop<'a> {
    /// Where the members stand.
    pub(super) fn spot(&self) -> Spot<'a> {
        self.members_at.map_or_else(|| self.at.spot(), Part::spot)
    }
}

/// Which list a loop works through.
pub(super) struct Consumes<'a> {
    pub(super) at: Part<'a>,
    pub(super) from: Option<Slot>,
    pub(super) alias: Option<&'a str>,
    pub(super) cursor: Option<&'a str>,
}

/// A route out of a loop: `exit`, or one of `exits`.
pub(super) struct Exit<'a> {
    pub(super) at: Part<'a>,
    pub(super) id: &'a str,
    pub(super) from: Option<Slot>,
    pub(super) guard: Option<Guard>,
    pub(super) to: Option<Target>,
}

/// The sockets that can be named.
pub(super) struct Names<'a> {
    ids: Vec<&'a str>,
    by_id: HashMap<&'a str, Slot>,
}

impl<'a> Names<'a> {
    pub(super) fn new(ids: Vec<&'a str>) -> Self {
        let by_id = ids
            .iter()
            .enumerate()
            .map(|(position, id)| (*id, Slot(position)))
            .collect();
        Self { ids, by_id }
    }

    pub(super) fn get(&self, id: &str) -> Option<Slot> {
        self.by_id.get(id).copied()
    }

    /// A socket, where the end is no choice: an entry, a member, a source.
    pub(super) fn socket(
        &self,
        reader: &mut Reader,
        value: Part<'_>,
        path: &Path<'_>,
    ) -> Option<Slot> {
        let given = endpoint_text(reader, value, path)?;
        if let Some(slot) = self.get(given) {
            return Some(slot);
        }
        match given.parse::<SocketId>() {
            Err(error) => {
                let hint = if given == "end" {
                    "name a socket"
                } else {
                    error.hint()
                };
                reader.error(
                    value.spot(),
                    path,
                    "invalid-socket-id",
                    error.to_string(),
                    hint,
                );
            }
            Ok(_) => {
                let message = format!("there is no socket {}", text::quoted(given));
                reader.error(
                    value.spot(),
                    path,
                    "unknown-endpoint",
                    message,
                    self.suggest(reader, given),
                );
            }
        }
        None
    }

    /// A socket or `end`.
    pub(super) fn target(
        &self,
        reader: &mut Reader,
        value: Part<'_>,
        path: &Path<'_>,
    ) -> Option<Target> {
        if value.node.as_str() == Some("end") {
            return Some(Target::End);
        }
        self.socket(reader, value, path).map(Target::Socket)
    }

    fn suggest(&self, reader: &Reader, given: &str) -> String {
        let near = reader.has_room().then(|| {
            let ids = self.ids.iter().copied().chain(std::iter::once("end"));
            text::closest(given, ids.take(SUGGESTED_FROM))
        });
        match near.flatten() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a socket of this loadout, or `end`".to_owned(),
        }
    }
}

fn endpoint_text<'a>(reader: &mut Reader, value: Part<'a>, path: &Path<'_>) -> Option<&'a str> {
    let text = reader.string(value, path, "missing-endpoint")?;
    if text.is_empty() {
        let message = format!("{} names nothing", text::quoted(path.last()));
        reader.error(
            value.spot(),
            path,
            "missing-endpoint",
            message,
            "name a socket, or `end`",
        );
        return None;
    }
    Some(text)
}
