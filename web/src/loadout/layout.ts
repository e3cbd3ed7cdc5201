// The positions of sockets on the canvas: set by the author, else by a layered layout.
import dagre from "@dagrejs/dagre";
import { type Doc, END, edges, loops, type Spot, sockets } from "./doc";

export const WIDTH = 212;
export const HEIGHT = 84;
/** Small coordinates count cells of the reference's grid. */
const CELL = { x: 208, y: 168 };

export function spots(
  doc: Doc,
  own: Record<string, Spot> | undefined = doc.layout?.sockets,
): Map<string, Spot> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 56, ranksep: 54, marginx: 24, marginy: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = sockets(doc).map(([id]) => id);
  for (const id of ids) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  if (usesEnd(doc)) graph.setNode(END, { width: 56, height: 56 });
  const order = new Map(walk(doc).map((id, at) => [id, at]));
  for (const [id] of sockets(doc)) {
    edges(doc, id).forEach((edge, at) => {
      if (!graph.hasNode(edge.to) || edge.to === id) return;
      const back = edge.to !== END && (order.get(edge.to) ?? 0) < (order.get(id) ?? 0);
      // Edges that lead back do not affect the layout.
      if (!back) graph.setEdge(id, edge.to, { weight: at === 0 ? 3 : 1, minlen: 1 }, `${at}`);
    });
  }
  for (const [name, loop] of loops(doc)) {
    for (const exit of loop.exits ?? [])
      if (graph.hasNode(exit.from) && graph.hasNode(exit.targetSocketId))
        graph.setEdge(exit.from, exit.targetSocketId, {}, `${name}:${exit.id}`);
    if (loop.exit && graph.hasNode(loop.exit.from) && graph.hasNode(loop.exit.to))
      graph.setEdge(loop.exit.from, loop.exit.to, {}, `${name}:exit`);
  }
  dagre.layout(graph);
  const found = new Map<string, Spot>();
  for (const id of graph.nodes()) {
    const node = graph.node(id);
    if (node) found.set(id, { x: node.x - node.width / 2, y: node.y - node.height / 2 });
  }
  for (const id of ids) {
    const spot = own?.[id];
    if (!spot || typeof spot.x !== "number" || typeof spot.y !== "number") continue;
    const cells = Math.abs(spot.x) <= 20 && Math.abs(spot.y) <= 20;
    found.set(id, cells ? { x: spot.x * CELL.x, y: spot.y * CELL.y } : { x: spot.x, y: spot.y });
  }
  const placed = ids.filter((id) => own?.[id]);
  const end = found.get(END);
  if (end && placed.length)
    found.set(END, {
      x: end.x,
      y: Math.max(...ids.map((id) => found.get(id)?.y ?? 0)) + HEIGHT + 70,
    });
  return found;
}

export function usesEnd(doc: Doc): boolean {
  return (
    sockets(doc).some(([id]) => edges(doc, id).some((edge) => edge.to === END)) ||
    loops(doc).some(
      ([, loop]) =>
        loop.exit?.to === END || loop.exits?.some((exit) => exit.targetSocketId === END),
    )
  );
}

/** Sockets in the order in which a cast would first visit them. */
export function walk(doc: Doc): string[] {
  const seen: string[] = [];
  const queue = doc.entry ? [doc.entry] : [];
  for (const [id] of sockets(doc)) queue.push(id);
  const visit = (id: string) => {
    if (seen.includes(id) || !doc.sockets?.[id]) return;
    seen.push(id);
    for (const edge of edges(doc, id)) visit(edge.to);
    for (const [, loop] of loops(doc))
      for (const exit of loop.exits ?? []) if (exit.from === id) visit(exit.targetSocketId);
  };
  queue.forEach(visit);
  return seen;
}
