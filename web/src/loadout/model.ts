// Every change that an editor makes to a loadout. Each returns a new document and keeps unknown
// fields, so that the editor loses nothing.

import {
  type Doc,
  type Edge,
  edges,
  type Socket,
  type Spot,
  WHENS,
  type When,
  when,
  withEdges,
  withSocket,
} from "./doc";

/** The id with the smallest free number. */
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

export const setMateria = (doc: Doc, id: string, materia: string) =>
  withSocket(doc, id, (now) => ({ ...now, materia }));

export const setEntry = (doc: Doc, id: string): Doc => ({ ...doc, entry: id });

/** Sets a field of a socket; `undefined` removes it. */
export function setField(doc: Doc, id: string, name: string, value: unknown): Doc {
  return withSocket(doc, id, (now) => {
    const next: Socket = { ...now, [name]: value };
    if (value === undefined || value === "") delete next[name];
    return next;
  });
}

/** Adds an edge. Guarded edges go before an unconditional one, because the first match is taken. */
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

/** A free name: "X Copy", then "X Copy 2". */
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

/** The document of a copy: the same graph, without the identity of the original. */
export function duplicate(doc: Doc, shipped: boolean): Doc {
  const { id, source: _source, lockState: _lock, originDefaultId: _origin, ...rest } = doc;
  return shipped && typeof id === "string" ? { originDefaultId: id, ...rest } : rest;
}
