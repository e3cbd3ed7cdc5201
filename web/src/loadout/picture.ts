// A loadout as nodes and edges of the graph.
import { type Edge as FlowEdge, MarkerType, type Node } from "@xyflow/react";
import type { Finding } from "../types";
import { type Doc, END, edges, loops, loopsOf, members, type Spot, sockets, spoken } from "./doc";
import { HEIGHT, usesEnd, WIDTH } from "./layout";
import type { Target } from "./locate";
import type { Look } from "./look";
import { exitsOf } from "./loops";
import type { Mark, RegionData, SocketData } from "./nodes";
import { NOTHING, type Selection } from "./selection";
import { type Way, ways } from "./way";
import type { WayData } from "./ways";

/** An issue, and the part of the loadout that it is about. */
export type Problem = { issue: Finding; at: Target };

type NodesOf = {
  doc: Doc;
  placed: Map<string, Spot>;
  look: (materia: string) => Look;
  marks: Record<string, Mark> | undefined;
  selection: Selection;
  problems: Problem[];
  editable: boolean;
  onSelect: (selection: Selection) => void;
};

const ORIGIN: Spot = { x: 0, y: 0 };
/** Props of nodes that cannot be moved and are not part of the loadout. */
const FIXED = { draggable: false, selectable: false, focusable: false };
const missing = (to: string) => `missing:${to}`;

export function graphNodes(of: NodesOf): Node[] {
  const { doc, placed } = of;
  const nodes = [...loopNodes(of), ...socketNodes(of), ...missingNodes(of)];
  if (usesEnd(doc))
    nodes.push({
      id: END,
      type: "end",
      position: placed.get(END) ?? ORIGIN,
      data: {},
      ...FIXED,
      ariaLabel: "End of the cast",
    });
  return nodes;
}

function loopNodes({ doc, placed, selection, problems, onSelect }: NodesOf): Node[] {
  const nodes: Node[] = [];
  for (const [loopName, loop] of loops(doc)) {
    const inside = members(loop)
      .map((id) => placed.get(id))
      .filter((spot) => spot !== undefined);
    if (inside.length === 0) continue;
    const left = Math.min(...inside.map((spot) => spot.x)) - 34;
    const top = Math.min(...inside.map((spot) => spot.y)) - 44;
    const width = Math.max(...inside.map((spot) => spot.x)) + WIDTH + 84 - left;
    const height = Math.max(...inside.map((spot) => spot.y)) + HEIGHT + 26 - top;
    const source = loop.consumes?.from ?? null;
    const data: RegionData = {
      name: loopName,
      width,
      height,
      source,
      chosen: selection.loop === loopName,
      select: () => onSelect({ ...NOTHING, loop: loopName }),
      problems: problems.filter(({ at }) => at.loop === loopName && !at.exit).length,
    };
    nodes.push({
      id: `loop:${loopName}`,
      type: "region",
      position: { x: left, y: top },
      data,
      ...FIXED,
      zIndex: -1,
      connectable: false,
    });
  }
  return nodes;
}

function socketNodes({ doc, placed, look, marks, selection, problems, editable }: NodesOf): Node[] {
  const nodes: Node[] = [];
  for (const [id, one] of sockets(doc)) {
    const own = problems
      .filter(({ at }) => at.socket === id && at.edge === undefined)
      .map(({ issue }) => issue);
    const exits = loops(doc).some(([, loop]) => exitsOf(loop).some((exit) => exit.from === id));
    const shown = look(one.materia);
    const mark = marks?.[id];
    const data: SocketData = {
      id,
      look: shown,
      entry: doc.entry === id,
      consumer: loopsOf(doc, id).length > 0,
      exit: exits,
      problems: own,
      editable,
      ...(mark ? { mark } : {}),
    };
    nodes.push({
      id,
      type: "socket",
      position: placed.get(id) ?? ORIGIN,
      data,
      selected: selection.sockets.includes(id),
      ariaLabel: [
        `Socket ${id}`,
        shown.label,
        ...(loopsOf(doc, id).length ? ["loop consumer"] : []),
        ...own.map((issue) => `${issue.severity}: ${issue.message}`),
      ].join(", "),
      width: WIDTH,
      height: HEIGHT,
      domAttributes: mark?.state === "running" ? { "aria-current": "step" } : {},
    });
  }
  return nodes;
}

/** Nodes for edges that name no socket. */
function missingNodes({ doc, placed }: NodesOf): Node[] {
  const nodes: Node[] = [];
  for (const one of ways(doc)) {
    const id = missing(one.to);
    const from = placed.get(one.from);
    if (one.to === END || doc.sockets?.[one.to] || !from || nodes.some((node) => node.id === id))
      continue;
    nodes.push({
      id,
      type: "missing",
      position: { x: from.x + WIDTH + 48, y: from.y + HEIGHT + 24 },
      data: { name: one.to },
      ...FIXED,
      connectable: false,
      ariaLabel: `There is no socket ${one.to}`,
    });
  }
  return nodes;
}

type EdgesOf = {
  doc: Doc;
  placed: Map<string, Spot>;
  problems: Problem[];
  chosen: string | null;
  editable: boolean;
  taken: Record<string, number> | undefined;
};

export function graphEdges(of: EdgesOf): FlowEdge[] {
  const { doc, placed, chosen, editable } = of;
  const backs = new Map<string, number>();
  return ways(doc)
    .filter((one) => doc.sockets?.[one.from])
    .map((one) => {
      const known = one.to === END || Boolean(doc.sockets?.[one.to]);
      const from = placed.get(one.from);
      const to = placed.get(one.to);
      const back = from && to && to.y <= from.y + 20 ? (backs.get(one.to) ?? 0) + 1 : 0;
      if (back) backs.set(one.to, back);
      // Route it beside all nodes between its ends.
      const beside = [...placed]
        .filter(
          ([id, spot]) => id !== END && from && to && spot.y >= to.y - 10 && spot.y <= from.y + 10,
        )
        .map(([, spot]) => spot.x + WIDTH);
      const data = wayData(one, back ? Math.max(...beside) + 4 + back * 22 : null, of);
      return {
        id: one.id,
        source: one.from,
        target: known ? one.to : missing(one.to),
        type: "way",
        data,
        selected: chosen === one.id,
        selectable: editable,
        deletable: editable,
        focusable: editable,
        ariaLabel: data.aria.split(";")[0] ?? "",
        markerEnd: {
          type: MarkerType.ArrowClosed,
          width: 16,
          height: 16,
          color: "var(--line-strong)",
        },
      };
    });
}

function wayData(one: Way, side: number | null, of: EdgesOf): WayData {
  const { doc, problems, editable, taken } = of;
  const own = problems
    .filter(({ at }) =>
      one.loop
        ? at.loop === one.loop && at.exit === one.route
        : at.socket === one.from && at.edge === one.index,
    )
    .map(({ issue }) => issue);
  const label = labelOf(one);
  const siblings = one.loop ? 0 : edges(doc, one.from).length;
  const nth = siblings > 1 ? (one.index ?? 0) + 1 : 0;
  const number = nth ? `, number ${nth} of ${siblings}` : "";
  const problem = own[0] ? `, ${own[0].severity}: ${own[0].message}` : "";
  return {
    label,
    when: one.when,
    side,
    exit: Boolean(one.loop),
    problems: own,
    count: taken?.[`${one.from}->${one.to}`] ?? 0,
    aria: `${label}, from ${one.from} to ${one.to}${number}${problem}; change the condition`,
    nth: editable ? nth : 0,
  };
}

function labelOf(one: Way): string {
  if (!one.loop) return `${spoken(one.when)}${one.most ? ` ≤${one.most}` : ""}`;
  return one.when === "always" ? "upon loop exit" : `upon loop exit: ${spoken(one.when)}`;
}
