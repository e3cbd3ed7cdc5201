// A loadout as a document, and every change an editor makes to it. Each change gives a new document; what this file
// does not know is left as it is, so that nothing is lost on the way through the editor.

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

/** What an edge's condition reads like. */
export function spoken(condition: When): string {
  return condition === "not_satisfied" ? "not satisfied" : condition;
}

/** A document that has no empty parts left behind by a change. */
function tidy(doc: Doc): Doc {
  const next = { ...doc };
  if (next.loops && Object.keys(next.loops).length === 0) delete next.loops;
  if (next.layout?.sockets && Object.keys(next.layout.sockets).length === 0) delete next.layout;
  return next;
}

function withSocket(doc: Doc, id: string, change: (socket: Socket) => Socket): Doc {
  const now = doc.sockets?.[id];
  if (!now) return doc;
  return { ...doc, sockets: { ...doc.sockets, [id]: change(now) } };
}

function withEdges(doc: Doc, id: string, change: (edges: Edge[]) => Edge[]): Doc {
  return withSocket(doc, id, (now) => {
    const next = change([...(now.edges ?? [])]);
    const { edges: _old, ...rest } = now;
    return next.length ? { ...now, edges: next } : (rest as Socket);
  });
}

function withLoop(doc: Doc, id: string, change: (loop: Loop) => Loop | null): Doc {
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

/** The smallest number that no socket has yet. */
export function freshId(doc: Doc): string {
  for (let number = 1; ; number += 1)
    if (!doc.sockets?.[`Socket-${number}`]) return `Socket-${number}`;
}

export function addSocket(doc: Doc, materia: string, spot?: Spot, from?: string): [Doc, string] {
  const id = freshId(doc);
  const { sockets: before, ...rest } = doc;
  let next: Doc = {
    ...rest,
    ...(doc.entry ? {} : { entry: id }),
    sockets: { ...before, [id]: { materia } },
  };
  if (spot) next = place(next, id, spot);
  if (from && doc.sockets?.[from]) next = connect(next, from, id);
  return [next, id];
}

export function removeSocket(doc: Doc, id: string): Doc {
  const { [id]: _gone, ...rest } = doc.sockets ?? {};
  let next: Doc = { ...doc, sockets: rest };
  for (const [other, one] of Object.entries(rest)) {
    if (one.edges?.some((edge) => edge.to === id))
      next = withEdges(next, other, (all) => all.filter((edge) => edge.to !== id));
  }
  for (const [name, loop] of loops(next)) {
    if (members(loop).includes(id)) next = breakLoop(next, name);
    else if (loop.consumes?.from === id || loop.exits?.some((exit) => exit.targetSocketId === id)) {
      next = withLoop(next, name, (now) => {
        const changed = { ...now };
        if (changed.consumes?.from === id) delete changed.consumes;
        if (changed.exits)
          changed.exits = changed.exits.filter((exit) => exit.targetSocketId !== id);
        return changed;
      });
    }
  }
  if (next.layout?.sockets?.[id]) {
    const { [id]: _spot, ...spots } = next.layout.sockets;
    next = { ...next, layout: { ...next.layout, sockets: spots } };
  }
  if (next.entry === id) {
    const first = Object.keys(rest)[0];
    if (first) next = { ...next, entry: first };
    else {
      const { entry: _entry, ...others } = next;
      next = others;
    }
  }
  return tidy(next);
}

export const setMateria = (doc: Doc, id: string, materia: string) =>
  withSocket(doc, id, (now) => ({ ...now, materia }));
export const setEntry = (doc: Doc, id: string): Doc => ({ ...doc, entry: id });

/** Sets a field of a socket; `undefined` takes it away. */
export function setField(doc: Doc, id: string, name: string, value: unknown): Doc {
  return withSocket(doc, id, (now) => {
    const next: Socket = { ...now, [name]: value };
    if (value === undefined || value === "") delete next[name];
    return next;
  });
}

/** Adds an edge. Guarded ones go before an unconditional one, because the first that matches is taken. */
export function connect(doc: Doc, from: string, to: string, condition?: When): Doc {
  return withEdges(doc, from, (all) => {
    const taken = new Set(all.map(when));
    const free: When =
      condition ??
      (all.length === 0
        ? "always"
        : !taken.has("satisfied")
          ? "satisfied"
          : !taken.has("not_satisfied")
            ? "not_satisfied"
            : "always");
    if (all.some((edge) => edge.to === to && when(edge) === free)) return all;
    const edge: Edge = { when: free, to };
    const last = all.findIndex((one) => when(one) === "always");
    if (free !== "always" && last >= 0) all.splice(last, 0, edge);
    else all.push(edge);
    return all;
  });
}

export function setEdge(doc: Doc, from: string, index: number, patch: Partial<Edge>): Doc {
  return withEdges(doc, from, (all) =>
    all.map((edge, at) => {
      if (at !== index) return edge;
      const next: Edge = { ...edge, ...patch };
      if (next.maxTraversals === undefined) delete next.maxTraversals;
      return next;
    }),
  );
}

export const nextWhen = (condition: When): When =>
  WHENS[(WHENS.indexOf(condition) + 1) % WHENS.length] ?? "always";
export const cycleEdge = (doc: Doc, from: string, index: number) => {
  const edge = edges(doc, from)[index];
  return edge ? setEdge(doc, from, index, { when: nextWhen(when(edge)) }) : doc;
};
export const removeEdge = (doc: Doc, from: string, index: number) =>
  withEdges(doc, from, (all) => all.filter((_, at) => at !== index));
export const moveEdge = (doc: Doc, from: string, index: number, by: number) =>
  withEdges(doc, from, (all) => {
    const to = index + by;
    const [edge] = all.splice(index, 1);
    if (edge) all.splice(Math.max(0, Math.min(all.length, to)), 0, edge);
    return all;
  });

export function place(doc: Doc, id: string, spot: Spot): Doc {
  const rounded = { x: Math.round(spot.x), y: Math.round(spot.y) };
  return { ...doc, layout: { ...doc.layout, sockets: { ...doc.layout?.sockets, [id]: rounded } } };
}

export function forgetLayout(doc: Doc): Doc {
  const { layout: _layout, ...rest } = doc;
  return rest;
}

/** Makes a loop of sockets: the first entered one begins it, the last leads back and is where the list moves on. */
export function createLoop(
  doc: Doc,
  chosen: string[],
  isGenerator: (id: string) => boolean,
  readsJson: (id: string) => boolean,
): [Doc, string] {
  const order = Object.keys(doc.sockets ?? {}).filter((id) => chosen.includes(id));
  let name = "loop";
  for (let number = 2; doc.loops?.[name]; number += 1) name = `loop-${number}`;
  const inside = (id: string) => order.includes(id);
  const source = sockets(doc).find(
    ([id]) => !inside(id) && isGenerator(id) && edges(doc, id).some((edge) => inside(edge.to)),
  );
  const first =
    (source && edges(doc, source[0]).find((edge) => inside(edge.to))?.to) ?? order[0] ?? "";
  const last = lastOf(doc, order, first);
  let next = doc;
  if (!edges(next, last).some((edge) => inside(edge.to)))
    next = connect(next, last, first, edges(next, last).length ? undefined : "always");
  const condition: When = readsJson(last) ? "satisfied" : "always";
  if (source && !socket(next, last)?.advance) {
    next = setField(next, last, "advance", {
      cursor: "workItemIndex",
      items: "state.workItems",
      when: condition,
    });
  }
  const loop: Loop = { sockets: order };
  if (source) loop.consumes = { from: source[0], output: "workItems" };
  loop.exits = [
    { id: `exit:${last}:always`, from: last, condition: "always", targetSocketId: END },
  ];
  return [{ ...next, loops: { ...next.loops, [name]: loop } }, name];
}

/** The member that a walk from the first one reaches last. */
function lastOf(doc: Doc, order: string[], first: string): string {
  const seen: string[] = [];
  const queue = [first];
  while (queue.length) {
    const id = queue.shift() as string;
    if (seen.includes(id) || !order.includes(id)) continue;
    seen.push(id);
    queue.push(...edges(doc, id).map((edge) => edge.to));
  }
  return seen.at(-1) ?? order.at(-1) ?? first;
}

export function breakLoop(doc: Doc, name: string): Doc {
  const loop = doc.loops?.[name];
  if (!loop) return doc;
  let next = withLoop(doc, name, () => null);
  for (const id of members(loop))
    if (loop.consumes && socket(next, id)?.advance) next = setField(next, id, "advance", undefined);
  return next;
}

export const setLoop = (doc: Doc, name: string, patch: Partial<Loop>) =>
  withLoop(doc, name, (now) => {
    const next: Loop = { ...now, ...patch };
    for (const key of Object.keys(patch)) if (next[key] === undefined) delete next[key];
    return next;
  });

export function addExit(
  doc: Doc,
  name: string,
  from: string,
  target: string,
  condition?: When,
): Doc {
  return withLoop(doc, name, (written) => {
    // A loop has one way of writing its ways out.
    const { exit: only, ...loop } = written;
    const all = only
      ? [
          ...(loop.exits ?? []),
          {
            id: freshExit(loop.exits ?? [], `exit:${only.from}:${only.when ?? "always"}`),
            from: only.from,
            condition: only.when ?? "always",
            targetSocketId: only.to,
          },
        ]
      : (loop.exits ?? []);
    const free =
      condition ??
      WHENS.find((one) => !all.some((exit) => exit.from === from && exit.condition === one));
    if (!free || all.some((exit) => exit.from === from && exit.condition === free)) return written;
    return {
      ...loop,
      exits: [
        ...all,
        {
          id: freshExit(all, `exit:${from}:${free}`),
          from,
          condition: free,
          targetSocketId: target,
        },
      ],
    };
  });
}

function freshExit(all: Exit[], wish: string): string {
  let id = wish;
  for (let number = 2; all.some((exit) => exit.id === id); number += 1) id = `${wish}-${number}`;
  return id;
}

/** The one way out that a loop written as `exit` has; it is edited where it stands. */
const ONLY = "exit";
const isOnly = (loop: Loop, route: string) =>
  route === ONLY && Boolean(loop.exit) && !loop.exits?.some((exit) => exit.id === ONLY);

/** All ways out of a loop, however they are written. */
export function exitsOf(loop: Loop): Exit[] {
  const only: Exit[] = loop.exit
    ? [
        {
          id: ONLY,
          from: loop.exit.from,
          condition: loop.exit.when ?? "always",
          targetSocketId: loop.exit.to,
        },
      ]
    : [];
  return [...(loop.exits ?? []), ...only];
}

export const setExit = (doc: Doc, name: string, route: string, patch: Partial<Exit>) =>
  withLoop(doc, name, (loop) => {
    if (!isOnly(loop, route))
      return {
        ...loop,
        exits: (loop.exits ?? []).map((exit) => (exit.id === route ? { ...exit, ...patch } : exit)),
      };
    const { condition, targetSocketId } = patch;
    return {
      ...loop,
      exit: {
        ...loop.exit!,
        ...(condition ? { when: condition } : {}),
        ...(targetSocketId ? { to: targetSocketId } : {}),
      },
    };
  });

export const removeExit = (doc: Doc, name: string, route: string) =>
  withLoop(doc, name, (loop) => {
    if (isOnly(loop, route)) {
      const { exit: _exit, ...others } = loop;
      return others;
    }
    const exits = (loop.exits ?? []).filter((exit) => exit.id !== route);
    const { exits: _old, ...rest } = loop;
    return exits.length ? { ...loop, exits } : rest;
  });

/** A name that nobody has: "X Copy", then "X Copy 2". */
export function copyName(name: string, taken: string[]): string {
  let wish = `${name} Copy`;
  for (let number = 2; taken.includes(wish); number += 1) wish = `${name} Copy ${number}`;
  return wish;
}

export function freshName(base: string, taken: string[]): string {
  let wish = base;
  for (let number = 2; taken.includes(wish); number += 1) wish = `${base} ${number}`;
  return wish;
}

/** What a copy says: the same graph, without what made the original what it was. */
export function duplicate(doc: Doc, shipped: boolean): Doc {
  const { id, source: _source, lockState: _lock, originDefaultId: _origin, ...rest } = doc;
  return shipped && typeof id === "string" ? { originDefaultId: id, ...rest } : rest;
}

export type Target = { socket?: string; edge?: number; loop?: string; exit?: string };

/** The steps that the path of an issue takes inside the loadout of this name; none where it is about something else. */
export function stepsOf(name: string, path: string | null): (string | number)[] {
  const prefix = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)
    ? `loadouts.${name}`
    : `loadouts[${JSON.stringify(name)}]`;
  if (!path?.startsWith(prefix)) return [];
  return [
    ...path
      .slice(prefix.length)
      .matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/g),
  ].map((step) => step[1] ?? (step[2] ? (JSON.parse(step[2]) as string) : Number(step[3])));
}

/** Which part of the loadout the path of an issue leads to. */
export function whereIs(doc: Doc, name: string, path: string | null): Target {
  const steps = stepsOf(name, path);
  if (steps[0] === "sockets" && typeof steps[1] === "string") {
    return {
      socket: steps[1],
      ...(steps[2] === "edges" && typeof steps[3] === "number" ? { edge: steps[3] } : {}),
    };
  }
  if (steps[0] === "loops" && typeof steps[1] === "string") {
    const exit =
      steps[2] === "exits" && typeof steps[3] === "number"
        ? doc.loops?.[steps[1]]?.exits?.[steps[3]]?.id
        : steps[2] === ONLY
          ? ONLY
          : undefined;
    return { loop: steps[1], ...(exit ? { exit } : {}) };
  }
  return {};
}
