// A loadout as a document. Unknown fields are kept, so that the editor loses nothing.

export type When = "always" | "satisfied" | "not_satisfied";

export const WHENS: When[] = ["always", "satisfied", "not_satisfied"];

export type Edge = { when?: When; to: string; maxTraversals?: number; [more: string]: unknown };

export type Socket = {
  materia: string;
  parse?: "text" | "json";
  edges?: Edge[];
  [more: string]: unknown;
};

export type Exit = {
  id: string;
  from: string;
  condition: When;
  targetSocketId: string;
  [more: string]: unknown;
};

export type Loop = {
  sockets?: string[];
  consumes?: { from: string; output?: string };
  exit?: { from: string; when?: When; to: string };
  exits?: Exit[];
  [more: string]: unknown;
};

export type Spot = { x: number; y: number };

export type Doc = {
  entry?: string;
  sockets?: Record<string, Socket>;
  loops?: Record<string, Loop>;
  layout?: { sockets?: Record<string, Spot> };
  [more: string]: unknown;
};

export const END = "end";

export const sockets = (doc: Doc) => Object.entries(doc.sockets ?? {});

export const socket = (doc: Doc, id: string) => doc.sockets?.[id];

export const edges = (doc: Doc, id: string): Edge[] => doc.sockets?.[id]?.edges ?? [];

export const loops = (doc: Doc) => Object.entries(doc.loops ?? {});

export const members = (loop: Loop) => (Array.isArray(loop.sockets) ? loop.sockets : []);

export const when = (edge: { when?: When }): When => edge.when ?? "always";

export const loopsOf = (doc: Doc, id: string) =>
  loops(doc)
    .filter(([, loop]) => members(loop).includes(id))
    .map(([name]) => name);

export const exitEdgeId = (loop: string, route: string) => `loop-exit:${loop}:${route}`;

/** The label of an edge's condition. */
export function spoken(condition: When): string {
  return condition === "not_satisfied" ? "not satisfied" : condition;
}

/** Removes the empty parts that a change left behind. */
export function tidy(doc: Doc): Doc {
  const next = { ...doc };
  if (next.loops && Object.keys(next.loops).length === 0) delete next.loops;
  if (next.layout?.sockets && Object.keys(next.layout.sockets).length === 0) delete next.layout;
  return next;
}

export function withSocket(doc: Doc, id: string, change: (socket: Socket) => Socket): Doc {
  const now = doc.sockets?.[id];
  if (!now) return doc;
  return { ...doc, sockets: { ...doc.sockets, [id]: change(now) } };
}

export function withEdges(doc: Doc, id: string, change: (edges: Edge[]) => Edge[]): Doc {
  return withSocket(doc, id, (now) => {
    const next = change([...(now.edges ?? [])]);
    const { edges: _old, ...rest } = now;
    return next.length ? { ...now, edges: next } : (rest as Socket);
  });
}

export function withLoop(doc: Doc, id: string, change: (loop: Loop) => Loop | null): Doc {
  const now = doc.loops?.[id];
  if (!now) return doc;
  const all = { ...doc.loops };
  const next = change(now);
  if (next) all[id] = next;
  else delete all[id];
  return tidy({ ...doc, loops: all });
}

export function emptyDoc(): Doc {
  return { sockets: {} };
}
