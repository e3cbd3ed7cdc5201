// The selection in the graph.
import { exitEdgeId } from "./doc";
import type { Target } from "./locate";

export type Selection = { sockets: string[]; edge: string | null; loop: string | null };
export const NOTHING: Selection = { sockets: [], edge: null, loop: null };

/** The selection that shows a part of the loadout; null if the graph does not contain it. */
export function selectionOf({ socket, edge, loop, exit }: Target): Selection | null {
  if (loop && exit) return { ...NOTHING, edge: exitEdgeId(loop, exit) };
  if (loop) return { ...NOTHING, loop };
  if (socket && edge !== undefined) return { ...NOTHING, edge: `edge:${socket}:${edge}` };
  return socket ? { ...NOTHING, sockets: [socket] } : null;
}
