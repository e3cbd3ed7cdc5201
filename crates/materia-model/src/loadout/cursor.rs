//! Assigns cursors: one per loop, and one per list that a socket iterates on its own.
//!
//! Owns which part of the graph a cursor belongs to (C3), so that two loops in a row both run even
//! if their cursors have the same name. A loop's cursor belongs to its members; any other to the
//! sockets that are on a cycle with those that name it. Never moves a cursor.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::draft::LoadoutDraft;
use super::graph::{
    AdvanceRule, CursorDefinition, CursorIndex, Iteration, RouteGuard, SocketIndex, SocketRegion,
};
use super::neighbours::{Neighbours, circles};
use super::region::{self, DerivedAdvance};

/// The iterations and advances, by socket and by loop.
pub(super) struct CursorTable {
    pub(super) all: Vec<CursorDefinition>,
    pub(super) loops: Vec<Option<Iteration>>,
    pub(super) sockets: Vec<Option<Iteration>>,
    pub(super) advances: Vec<Option<AdvanceRule>>,
}

/// Assigns the cursors of a loadout.
pub(super) fn cursors(
    draft: &LoadoutDraft,
    around: &Neighbours,
    regions: &[region::LoopReading],
    derived: &[DerivedAdvance],
) -> CursorTable {
    let mut hand = Hand {
        draft,
        around,
        regions,
        all: Vec::new(),
        loops: Vec::new(),
        free: HashMap::new(),
    };
    hand.loops();
    let sockets = (0..draft.sockets.len())
        .map(|at| hand.each(SocketIndex(at)))
        .collect::<Vec<_>>();
    let mut advances: Vec<_> = (0..draft.sockets.len())
        .map(|at| hand.advance(SocketIndex(at), sockets[at].as_ref()))
        .collect();
    hand.place();
    for one in derived {
        let Some(each) = &hand.loops[one.region] else {
            continue;
        };
        let made = AdvanceRule {
            cursor: each.cursor,
            items: each.items.clone(),
            when: one.when,
        };
        let advance = advances[one.socket.0].get_or_insert_with(|| made.clone());
        if advance.cursor != made.cursor {
            report_second_advance(draft, one);
        }
    }
    CursorTable {
        all: hand.all,
        loops: hand.loops,
        sockets,
        advances,
    }
}

/// A socket moves only one cursor, so two loops cannot both advance at it.
fn report_second_advance(draft: &LoadoutDraft, one: &DerivedAdvance) {
    let region = &draft.loops[one.region];
    let at = match &region.exit {
        Some(exit) => exit.at.clone(),
        None => region.members_at.with_path(region.at.path.member("exit")),
    };
    let message = format!(
        "`{}` already advances another list than this loop's",
        draft.sockets[one.socket.0].id
    );
    let hint = "let the loop turn at another of its sockets";
    at.error(message, hint);
}

struct Hand<'w> {
    draft: &'w LoadoutDraft,
    around: &'w Neighbours,
    regions: &'w [region::LoopReading],
    all: Vec<CursorDefinition>,
    loops: Vec<Option<Iteration>>,
    /// Cursors outside of loops, by the loop around their sockets and their name.
    free: HashMap<(Option<usize>, String), Free>,
}

/// A cursor outside of loops, and the sockets that name it.
struct Free {
    slot: CursorIndex,
    named_by: Vec<SocketIndex>,
}

impl Hand<'_> {
    fn loops(&mut self) {
        for (index, region) in self.regions.iter().enumerate() {
            let each = region.list.as_ref().map(|list| {
                let mut members = self.draft.loops[index].members.clone();
                members.sort_unstable();
                let region = SocketRegion(vec![members.into()]);
                let generator = self.regions[index].generator;
                self.all.push(CursorDefinition {
                    name: list.cursor.clone(),
                    region,
                    generator,
                });
                let cursor = CursorIndex(self.all.len() - 1);
                Iteration {
                    items: list.items.clone(),
                    alias: list.alias.clone(),
                    cursor,
                }
            });
            self.loops.push(each);
        }
    }

    /// The list that a socket iterates: its own, else that of the first loop around it that has
    /// one.
    fn each(&mut self, slot: SocketIndex) -> Option<Iteration> {
        let Some(each) = &self.draft.sockets[slot.0].iteration else {
            return self.around.loops[slot.0]
                .iter()
                .find_map(|index| self.loops[*index].clone());
        };
        let named = || format!("{}Index", self.draft.sockets[slot.0].id);
        let name = each.cursor.clone().unwrap_or_else(named);
        let cursor = self
            .of_a_loop(slot, &name)
            .unwrap_or_else(|| self.free(slot, name));
        let alias = each.alias.as_deref().unwrap_or("item").to_owned();
        Some(Iteration {
            items: each.items.clone(),
            alias,
            cursor,
        })
    }

    fn advance(&mut self, slot: SocketIndex, each: Option<&Iteration>) -> Option<AdvanceRule> {
        let socket = &self.draft.sockets[slot.0];
        let written = socket.advance.as_ref()?;
        let cursor = match &written.cursor {
            Some(name) => {
                let own = each
                    .filter(|each| self.all[each.cursor.0].name == name.text)
                    .map(|each| each.cursor);
                let known = own.or_else(|| self.of_a_loop(slot, &name.text));
                Some(known.unwrap_or_else(|| self.free(slot, name.text.clone())))
            }
            None => each.map(|each| each.cursor),
        };
        let items = written
            .items
            .as_ref()
            .map(|text| text.text.clone())
            .or_else(|| each.map(|each| each.items.clone()));
        let Some((cursor, items)) = cursor.zip(items) else {
            let hint =
                "add \"cursor\" and \"items\", such as \"workItemIndex\" and \"state.workItems\"";
            let message = format!("it is not said what `{}` advances", socket.id);
            written.at.error(message, hint);
            return None;
        };
        Some(AdvanceRule {
            cursor,
            items,
            when: written.when.unwrap_or(RouteGuard::Always),
        })
    }

    /// The cursor of this name in a loop around the socket.
    fn of_a_loop(&self, slot: SocketIndex, name: &str) -> Option<CursorIndex> {
        let mut around = self.around.loops[slot.0]
            .iter()
            .filter_map(|index| self.loops[*index].as_ref());
        around
            .find(|each| self.all[each.cursor.0].name == name)
            .map(|each| each.cursor)
    }

    /// The cursor of this name outside of loops: an existing one around the socket, else a new one.
    fn free(&mut self, slot: SocketIndex, name: String) -> CursorIndex {
        let around = &self.around.loops[slot.0];
        let known = around
            .iter()
            .copied()
            .map(Some)
            .chain([None])
            .find_map(|index| {
                let key = (index, name.clone());
                self.free.contains_key(&key).then_some(key)
            });
        let key = known.unwrap_or_else(|| (around.first().copied(), name));
        if let Some(free) = self.free.get_mut(&key) {
            free.named_by.push(slot);
            return free.slot;
        }
        self.all.push(CursorDefinition {
            name: key.1.clone(),
            region: SocketRegion::default(),
            generator: None,
        });
        let made = CursorIndex(self.all.len() - 1);
        self.free.insert(
            key,
            Free {
                slot: made,
                named_by: vec![slot],
            },
        );
        made
    }

    /// Sets the region of each free cursor.
    fn place(&mut self) {
        if self.free.is_empty() {
            return;
        }
        let circle_of = circles(self.draft);
        for ((index, _), free) in &self.free {
            let mut parts: Vec<Arc<[SocketIndex]>> = Vec::new();
            let mut seen = HashSet::new();
            let open = index.filter(|index| self.loops[*index].is_none());
            if let Some(index) = open {
                let mut members = self.draft.loops[index].members.clone();
                members.sort_unstable();
                parts.push(members.into());
            }
            for named in &free.named_by {
                let circle = &circle_of[named.0];
                if seen.insert(circle.first().copied()) {
                    parts.push(Arc::clone(circle));
                }
            }
            self.all[free.slot.0].region = SocketRegion(parts);
        }
    }
}
