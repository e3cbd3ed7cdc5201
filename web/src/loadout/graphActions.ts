// The user's actions in the graph, as changes of the document.
import { say } from "../ui/toasts";
import { type Doc, edges, loops, members, type Spot } from "./doc";
import { spots } from "./layout";
import { addExit, exitsOf, removeExit, removeSocket, setExit } from "./loops";
import {
  addSocket,
  connect,
  cycleEdge,
  moveEdge,
  nextWhen,
  place,
  removeEdge,
  setMateria,
} from "./model";
import { NOTHING, type Selection } from "./selection";
import { type Way, ways } from "./way";
import type { Actions } from "./ways";

type Change = (doc: Doc) => void;
type Select = (selection: Selection) => void;

export function graphActions(doc: Doc, change: Change, select: Select): Actions {
  const wayOf = (id: string) => ways(doc).find((one) => one.id === id);
  return {
    move: (moved) => change(placed(doc, moved)),
    connect: (from, to) => {
      const shared = sharedLoop(doc, from, to);
      const next = shared ? addExit(doc, shared, from, to) : connect(doc, from, to);
      change(next);
      if (JSON.stringify(next) !== JSON.stringify(doc)) return;
      say(
        shared
          ? `${from} leaves the loop on every condition already; change one of its routes`
          : `${from} goes on to ${to} already`,
      );
    },
    cycle: (id) => {
      const way = wayOf(id);
      if (!way) return;
      const next = cycled(doc, way);
      if (next) change(next);
      else say("the other conditions have a route of their own");
      select({ ...NOTHING, edge: id });
    },
    reorder: (id, by) => {
      const way = wayOf(id);
      const to = (way?.index ?? 0) + by;
      if (way?.index === undefined || to < 0 || to >= edges(doc, way.from).length) return;
      change(moveEdge(doc, way.from, way.index, by));
      const moved = `edge:${way.from}:${to}`;
      select({ ...NOTHING, edge: moved });
      const focus = () =>
        document.querySelector<HTMLElement>(`[data-edge="${CSS.escape(moved)}"]`)?.focus();
      // Ids contain positions, so the chip exists already. Set the focus now: otherwise the same
      // key, pressed again before the next frame, would move the other edge.
      focus();
      // Rendering may replace the chip, which loses the focus.
      requestAnimationFrame(() => document.activeElement === document.body && focus());
    },
    remove: (sockets, edgeIds) => {
      change(removed(doc, sockets, edgeIds));
      select(NOTHING);
    },
    drop: (materia, spot, onto) => {
      if (onto && doc.sockets?.[onto]) {
        change(setMateria(doc, onto, materia));
        select({ ...NOTHING, sockets: [onto] });
        return;
      }
      const [next, id] = addSocket(doc, materia, spot);
      change(next);
      select({ ...NOTHING, sockets: [id] });
    },
  };
}

/** Moving the first socket also fixes the positions of all others. */
function placed(doc: Doc, moved: Record<string, Spot>): Doc {
  const put = (now: Doc, all: [string, Spot][]) =>
    all
      .filter(([id]) => doc.sockets?.[id])
      .reduce((next, [id, spot]) => place(next, id, spot), now);
  const fixed = doc.layout?.sockets ? doc : put(doc, [...spots(doc)]);
  return put(fixed, Object.entries(moved));
}

/** The loop that a new edge leaves: the loop has an exit at its start, and its end is outside. */
function sharedLoop(doc: Doc, from: string, to: string): string | undefined {
  const shared = loops(doc).find(
    ([, loop]) =>
      (loop.exits ?? []).some((exit) => exit.from === from) && !members(loop).includes(to),
  );
  return shared?.[0];
}

/** Gives the edge or exit its next free condition. Returns null if all are taken. */
function cycled(doc: Doc, way: Way): Doc | null {
  if (!way.loop || !way.route) return cycleEdge(doc, way.from, way.index ?? 0);
  const next = nextWhen(way.when);
  const taken = exitsOf(doc.loops?.[way.loop] ?? {})
    .filter((exit) => exit.from === way.from && exit.id !== way.route)
    .map((exit) => exit.condition);
  const condition = [next, nextWhen(next)].find((one) => !taken.includes(one));
  return condition ? setExit(doc, way.loop, way.route, { condition }) : null;
}

function removed(doc: Doc, sockets: string[], edgeIds: string[]): Doc {
  const gone = ways(doc).filter((one) => edgeIds.includes(one.id));
  // Remove from the last one, so that the indices of the others stay valid.
  return gone
    .reverse()
    .reduce(
      (next, way) =>
        way.loop && way.route
          ? removeExit(next, way.loop, way.route)
          : removeEdge(next, way.from, way.index ?? 0),
      sockets.reduce(removeSocket, doc),
    );
}
