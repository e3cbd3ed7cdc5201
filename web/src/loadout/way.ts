// The ways of a loadout: the edges of its sockets, and the exits of its loops.
import { type Doc, edges, exitEdgeId, loops, sockets, type When, when } from "./doc";
import { exitsOf } from "./loops";

/** An edge of a socket has an index; an exit of a loop has a loop and a route. */
export type Way = {
  id: string;
  from: string;
  to: string;
  when: When;
  most?: number;
  index?: number;
  loop?: string;
  route?: string;
};

/** Every way of a loadout, as an edge of the graph. */
export function ways(doc: Doc): Way[] {
  const all: Way[] = [];
  for (const [id] of sockets(doc)) {
    for (const [index, edge] of edges(doc, id).entries())
      all.push({
        id: `edge:${id}:${index}`,
        from: id,
        to: edge.to,
        when: when(edge),
        index,
        ...(edge.maxTraversals ? { most: edge.maxTraversals } : {}),
      });
  }
  for (const [name, loop] of loops(doc)) {
    for (const exit of exitsOf(loop))
      all.push({
        id: exitEdgeId(name, exit.id),
        from: exit.from,
        to: exit.targetSocketId,
        when: exit.condition,
        loop: name,
        route: exit.id,
      });
  }
  return all;
}
