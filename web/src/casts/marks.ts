// The state of a live cast's sockets, for the graph.

import type { Doc } from "../loadout/doc";
import type { Mark } from "../loadout/nodes";
import type { CastStateReport } from "../types";
import { tokens } from "./words";

export function markAll(doc: Doc, state: CastStateReport): Record<string, Mark> {
  const marks: Record<string, Mark> = {};
  for (const id of Object.keys(doc.sockets ?? {})) {
    const visits = state.visits[id] ?? 0;
    const here = state.at?.socket === id;
    const busy = state.status === "running" || state.status === "interrupted";
    const now: Mark["state"] =
      here && state.status === "paused"
        ? "waiting"
        : here && state.status === "failed"
          ? "failed"
          : here && busy
            ? state.status === "running"
              ? "running"
              : "waiting"
            : visits > 0
              ? "done"
              : "idle";
    const notes: string[] = [];
    if (here && state.at && (busy || state.status === "paused")) {
      if (state.at.item) notes.push(`${state.at.item.number} of ${state.at.item.count}`);
      if (state.at.attempt > 1) notes.push(`attempt ${state.at.attempt}`);
      if (state.at.waitsFor)
        notes.push(state.at.waitsFor === "refinement" ? "waits for you" : "in doubt");
    }
    const used = state.usage.bySocket[id]?.tokens.total;
    if (!notes.length && used) notes.push(`${tokens(used)} tokens`);
    marks[id] = { state: now, visits, ...(notes.length ? { note: notes.join(" · ") } : {}) };
  }
  return marks;
}
