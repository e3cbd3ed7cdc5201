//! From a draft to a graph: the order of derivations and checks.
//!
//! Owns that order, and the last step, which builds the [`Graph`] from all results. A loadout with
//! an error gives findings and no graph. Never reads documents.

use std::collections::HashMap;
use std::sync::Arc;

use super::contract::{self, MateriaTable, OutputReading};
use super::cursor::{self, CursorTable};
use super::draft::LoadoutDraft;
use super::graph::{
    Edge, Graph, GraphParts, LoopDefinition, LoopExit, Socket, SocketContract, SocketIndex,
};
use super::neighbours::Neighbours;
use super::{check, region};

/// Compiles a loadout, or reports what is wrong with it.
pub(super) fn compile(draft: &LoadoutDraft, shelf: &MateriaTable<'_>) -> Option<Graph> {
    let mut readings = contract::readings(draft, shelf);
    let around = Neighbours::of(draft, &readings);
    let (regions, derived) = region::compile(draft, &mut readings, &around);
    check::guards(draft, &readings, &regions);
    let cursors = cursor::cursors(draft, &around, &regions, &derived);
    let entry = draft.entry?;
    check::reach(draft, &regions, entry);
    if draft.at.findings.errors() > 0 {
        return None;
    }
    let readings = readings.into_iter().collect::<Option<Vec<_>>>()?;
    let loops = loops(draft, &around, regions, &cursors);
    let sockets = sockets(draft, around, readings, &cursors)?;
    let by_id: HashMap<_, _> = sockets
        .iter()
        .enumerate()
        .map(|(position, socket)| (socket.id.clone(), SocketIndex(position)))
        .collect();
    let (name, layout) = (draft.name.clone(), draft.layout.clone());
    Some(Graph(Arc::new(GraphParts {
        name,
        entry,
        sockets,
        loops,
        cursors: cursors.all,
        by_id,
        layout,
    })))
}

fn sockets(
    draft: &LoadoutDraft,
    around: Neighbours,
    readings: Vec<OutputReading>,
    cursors: &CursorTable,
) -> Option<Vec<Socket>> {
    let parts = draft
        .sockets
        .iter()
        .zip(readings)
        .zip(around.loops)
        .enumerate();
    let built = parts.map(|(position, ((written, reading), loops))| {
        let slot = SocketIndex(position);
        let advance = cursors.advances[position].clone();
        let edges = written.edges.iter().map(|edge| {
            Some(Edge {
                guard: edge.guard?,
                to: edge.to?,
                max_traversals: edge.max_traversals,
            })
        });
        let contract = SocketContract {
            parse: reading.parse(),
            generator: reading.materia.generator,
            needs_satisfied: check::needs_satisfied(draft, slot, advance.as_ref()),
            assign: reading.assign,
        };
        Some(Socket {
            id: written.id.clone(),
            materia: reading.materia,
            contract,
            edges: edges.collect::<Option<Vec<_>>>()?,
            each: cursors.sockets[position].clone(),
            advance,
            loops,
            max_visits: written.max_visits,
        })
    });
    built.collect()
}

fn loops(
    draft: &LoadoutDraft,
    around: &Neighbours,
    regions: Vec<region::LoopReading>,
    cursors: &CursorTable,
) -> Vec<LoopDefinition> {
    let built =
        draft
            .loops
            .iter()
            .zip(regions)
            .enumerate()
            .filter_map(|(index, (written, region))| {
                let advances = |slot: &SocketIndex| {
                    let own = cursors.advances[slot.0]
                        .as_ref()
                        .map(|advance| advance.cursor);
                    own.is_some() && own == cursors.loops[index].as_ref().map(|each| each.cursor)
                };
                let turning = written.members.iter().copied().find(|slot| advances(slot));
                let exits = region.exits.into_iter();
                Some(LoopDefinition {
                    id: written.id.clone(),
                    entry: around.entered[index].or_else(|| written.members.first().copied())?,
                    members: written.members.clone(),
                    generator: region.generator,
                    each: cursors.loops[index].clone(),
                    exit_source: region.exit_source.or(turning),
                    exits: exits
                        .map(|exit| LoopExit {
                            id: exit.id,
                            from: exit.from,
                            guard: exit.guard,
                            to: exit.to,
                        })
                        .collect(),
                })
            });
    built.collect()
}
