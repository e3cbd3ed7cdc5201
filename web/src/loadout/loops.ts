// Loops of a loadout: creating one, editing its exits, and dissolving it.

import {
  type Doc,
  END,
  type Exit,
  edges,
  type Loop,
  loops,
  members,
  socket,
  sockets,
  tidy,
  WHENS,
  type When,
  withEdges,
  withLoop,
} from "./doc";
import { connect, setField } from "./model";

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

/**
 * Makes a loop of sockets: the first one that is entered begins it; the last one leads back and
 * advances the list.
 */
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
    // A loop has either `exit` or `exits`, never both.
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

/** The id of the only exit of a loop that is written as `exit`; it is edited in that form. */
export const ONLY = "exit";

const isOnly = (loop: Loop, route: string) =>
  route === ONLY && Boolean(loop.exit) && !loop.exits?.some((exit) => exit.id === ONLY);

/** All exits of a loop, in either form. */
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
    const only = loop.exit;
    if (!only || !isOnly(loop, route))
      return {
        ...loop,
        exits: (loop.exits ?? []).map((exit) => (exit.id === route ? { ...exit, ...patch } : exit)),
      };
    const { condition, targetSocketId } = patch;
    return {
      ...loop,
      exit: {
        ...only,
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
