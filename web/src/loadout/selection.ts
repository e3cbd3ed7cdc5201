// What is chosen in the picture.
import { exitEdgeId } from "./doc";
import type { Target } from "./locate";

export type Selection = { sockets: string[]; edge: string | null; loop: string | null };
export const NOTHING: Selection = { sockets: [], edge: null, loop: null };

/** What is chosen when a part of the loadout is shown; nothing for what has no place in the picture. */
export function selectionOf({ socket, edge, loop, exit }: Target): Selection | null {
  if (loop && exit) return { ...NOTHING, edge: exitEdgeId(loop, exit) };
  if (loop) return { ...NOTHING, loop };
  if (socket && edge !== undefined) return { ...NOTHING, edge: `edge:${socket}:${edge}` };
  return socket ? { ...NOTHING, sockets: [socket] } : null;
}
