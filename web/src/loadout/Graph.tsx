// The picture of a loadout: sockets as cards, edges with their conditions, loops as regions. Editable, or live.
import {
  Background,
  BackgroundVariant,
  BaseEdge,
  Controls,
  EdgeLabelRenderer,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  applyNodeChanges,
  getBezierPath,
  useReactFlow,
  useStoreApi,
  type Connection,
  type Edge as FlowEdge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import { createContext, memo, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { Issue } from "../types";
import { Orb } from "../ui/parts";
import { Icon } from "../ui/icons";
import type { Look } from "./look";
import { HEIGHT, WIDTH, spots, usesEnd } from "./layout";
import {
  END,
  edges,
  exitEdgeId,
  exitsOf,
  loops,
  loopsOf,
  members,
  sockets,
  spoken,
  when,
  whereIs,
  type Doc,
  type Spot,
  type When,
} from "./model";

/** What a live cast says about a socket. */
export type Mark = {
  state: "idle" | "running" | "waiting" | "done" | "failed";
  visits: number;
  note?: string;
};

export type Selection = { sockets: string[]; edge: string | null; loop: string | null };
export const NOTHING: Selection = { sockets: [], edge: null, loop: null };

type Actions = {
  move: (moved: Record<string, Spot>) => void;
  connect: (from: string, to: string) => void;
  cycle: (edge: string) => void;
  reorder: (edge: string, by: number) => void;
  remove: (sockets: string[], edges: string[]) => void;
  drop: (materia: string, spot: Spot, onto?: string) => void;
};

type Props = {
  name: string;
  doc: Doc;
  look: (materia: string) => Look;
  issues?: Issue[];
  marks?: Record<string, Mark>;
  taken?: Record<string, number>;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  actions?: Actions | null;
};

type SocketData = {
  id: string;
  look: Look;
  entry: boolean;
  consumer: boolean;
  exit: boolean;
  problems: Issue[];
  mark?: Mark;
  editable: boolean;
};
type RegionData = {
  name: string;
  width: number;
  height: number;
  source: string | null;
  select: () => void;
  chosen: boolean;
  problems: number;
};
type WayData = {
  label: string;
  when: When;
  side: number | null;
  exit: boolean;
  problems: Issue[];
  count: number;
  aria: string;
  nth: number;
};

const NONE: Issue[] = [];
const Change = createContext<Actions | null>(null);

const SocketNode = memo(({ data, selected }: NodeProps<Node<SocketData>>) => {
  const { look, mark } = data;
  const bad = data.problems.some((issue) => issue.severity === "error");
  return (
    <div
      className={`socket ${selected ? "chosen" : ""} ${bad ? "bad" : ""} ${mark ? `live ${mark.state}` : ""}`}
      title={data.problems[0]?.message}
    >
      <Handle type="target" position={Position.Top} isConnectable={data.editable} />
      <div className="socket-top">
        <Orb color={look.color} kind={look.kind} large />
        <div className="grow">
          <strong>{look.label}</strong>
          <span className="muted mono">{data.id}</span>
        </div>
        {mark && mark.visits > 0 && (
          <span className="visits" title={`${mark.visits} visits`}>
            {mark.visits}×
          </span>
        )}
        {!mark && data.problems.length > 0 && (
          <span className={bad ? "badge bad" : "badge warn"}>
            <Icon name="warn" size={12} />
            {data.problems.length}
          </span>
        )}
      </div>
      <div className="socket-badges">
        {data.entry && <span className="badge accent">Entry</span>}
        {look.generator && <span className="badge info">Generator</span>}
        {data.consumer && <span className="badge">Loop consumer</span>}
        {data.exit && <span className="badge">Loop exit</span>}
        {mark?.note && (
          <span
            className={`badge ${mark.state === "failed" ? "bad" : mark.state === "waiting" ? "warn" : mark.state === "running" ? "info" : ""}`}
          >
            {mark.note}
          </span>
        )}
        {look.missing && <span className="badge bad">Unknown materia</span>}
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={data.editable} />
    </div>
  );
});

const EndNode = memo(() => (
  <div className="end-node">
    <Handle type="target" position={Position.Top} isConnectable />
    <span>end</span>
  </div>
));

/** Where an edge leads that names no socket: it is drawn, so that its error has a place. */
const MissingNode = memo(({ data }: NodeProps<Node<{ name: string }>>) => (
  <div className="missing-node">
    <Handle type="target" position={Position.Top} isConnectable={false} />
    <Icon name="warn" size={14} />
    <span className="ellipsis">no {data.name}</span>
  </div>
));

const RegionNode = memo(({ data }: NodeProps<Node<RegionData>>) => (
  <div
    className={data.chosen ? "region chosen" : "region"}
    ref={(element) => {
      if (element) {
        element.style.width = `${data.width}px`;
        element.style.height = `${data.height}px`;
      }
    }}
  >
    <button
      type="button"
      className="region-name nodrag nopan"
      onClick={data.select}
      aria-pressed={data.chosen}
      title={data.source ? `works through the items of ${data.source}` : undefined}
    >
      <Icon name="loop" size={14} />
      <span className="sr">Loop </span>
      {data.name}
      {data.problems > 0 && (
        <span className="badge bad">
          {data.problems}
          <span className="sr"> {data.problems === 1 ? "problem" : "problems"}</span>
        </span>
      )}
    </button>
  </div>
));

function way(props: EdgeProps<FlowEdge<WayData>>): [string, number, number] {
  const { sourceX: sx, sourceY: sy, targetX: tx, targetY: ty, data } = props;
  if (!data || data.side === null) {
    const [path, x, y] = getBezierPath(props);
    return [path, x, y];
  }
  const side = data.side;
  const reach = 38;
  const path = `M ${sx} ${sy} C ${sx} ${sy + reach}, ${side} ${sy + reach}, ${side} ${sy - 12} L ${side} ${ty + 12} C ${side} ${ty - reach}, ${tx} ${ty - reach}, ${tx} ${ty}`;
  return [path, side, (sy + ty) / 2];
}

const WayEdge = memo((props: EdgeProps<FlowEdge<WayData>>) => {
  const change = useContext(Change);
  const [path, x, y] = way(props);
  const data = props.data;
  if (!data) return null;
  const bad = data.problems.length > 0;
  const chip = `chip ${data.when} ${data.exit ? "exit" : ""} ${bad ? "bad" : ""} ${props.selected ? "chosen" : ""}`;
  const place = { transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` };
  const text = (
    <>
      {data.nth > 0 && <span className="nth" data-nth={data.nth} aria-hidden="true" />}
      {data.label}
      {data.count > 0 && <span className="taken">{data.count}×</span>}
      {bad && <Icon name="warn" size={12} />}
    </>
  );
  return (
    <>
      <BaseEdge
        id={props.id}
        path={path}
        markerEnd={props.markerEnd ?? ""}
        className={`way ${data.when} ${data.exit ? "exit" : ""} ${bad ? "bad" : ""} ${data.count > 0 ? "walked" : ""}`}
      />
      <EdgeLabelRenderer>
        {change ? (
          <button
            type="button"
            className={`${chip} nodrag nopan`}
            style={place}
            title={
              data.problems[0]?.message ??
              (data.nth > 0
                ? "Change the condition; Alt ↑ and Alt ↓ change the order"
                : "Change the condition")
            }
            aria-label={data.aria}
            data-edge={props.id}
            onClick={() => change.cycle(props.id)}
            onKeyDown={(event) => reordering(event, props.id, change)}
          >
            {text}
          </button>
        ) : (
          (data.when !== "always" || data.exit || data.count > 0) && (
            <span className={chip} style={place}>
              {text}
            </span>
          )
        )}
      </EdgeLabelRenderer>
    </>
  );
});

/** Alt with an arrow moves an edge before or behind its siblings; the focus goes with it. */
function reordering(event: React.KeyboardEvent, id: string, change: Actions) {
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    event.stopPropagation();
    change.remove([], [id]);
    return;
  }
  if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
  event.preventDefault();
  event.stopPropagation();
  change.reorder(id, event.key === "ArrowUp" ? -1 : 1);
}

const nodeTypes = { socket: SocketNode, end: EndNode, region: RegionNode, missing: MissingNode };
const missing = (to: string) => `missing:${to}`;
const edgeTypes = { way: WayEdge };

/** Every way of a loadout as an edge of the picture. */
export function ways(
  doc: Doc,
): {
  id: string;
  from: string;
  to: string;
  when: When;
  most?: number;
  index?: number;
  loop?: string;
  route?: string;
}[] {
  const all = [];
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

function Inner({
  name,
  doc,
  look,
  issues = NONE,
  marks,
  taken,
  selection,
  onSelect,
  actions,
}: Props) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const editable = Boolean(actions);
  const placed = useMemo(() => spots(doc), [doc]);
  const problems = useMemo(
    () => issues.map((issue) => ({ issue, at: whereIs(doc, name, issue.path) })),
    [issues, doc, name],
  );
  const derived = useMemo(() => {
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
        draggable: false,
        selectable: false,
        focusable: false,
        zIndex: -1,
        connectable: false,
      });
    }
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
        position: placed.get(id) ?? { x: 0, y: 0 },
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
        draggable: false,
        selectable: false,
        focusable: false,
        connectable: false,
        ariaLabel: `There is no socket ${one.to}`,
      });
    }
    if (usesEnd(doc))
      nodes.push({
        id: END,
        type: "end",
        position: placed.get(END) ?? { x: 0, y: 0 },
        data: {},
        draggable: false,
        selectable: false,
        focusable: false,
        ariaLabel: "End of the cast",
      });
    return nodes;
  }, [doc, placed, look, marks, selection, problems, editable, onSelect]);
  const [nodes, setNodes] = useState(derived);
  // What was measured stays measured: without it every edge would vanish for a moment, and the focus with it.
  useEffect(
    () =>
      setNodes((now) => {
        const known = new Map(now.map((one) => [one.id, one.measured]));
        return derived.map((one) => {
          const measured = known.get(one.id);
          return measured ? { ...one, measured } : one;
        });
      }),
    [derived],
  );

  const drawn = useMemo<FlowEdge[]>(() => {
    const backs = new Map<string, number>();
    return ways(doc)
      .filter((one) => doc.sockets?.[one.from])
      .map((one) => {
        const known = one.to === END || Boolean(doc.sockets?.[one.to]);
        const from = placed.get(one.from);
        const to = placed.get(one.to);
        const back = from && to && to.y <= from.y + 20 ? (backs.get(one.to) ?? 0) + 1 : 0;
        if (back) backs.set(one.to, back);
        // It runs beside everything that stands between its ends.
        const beside = [...placed]
          .filter(
            ([id, spot]) =>
              id !== END && from && to && spot.y >= to.y - 10 && spot.y <= from.y + 10,
          )
          .map(([, spot]) => spot.x + WIDTH);
        const side = back ? Math.max(...beside) + 4 + back * 22 : null;
        const own = problems
          .filter(({ at }) =>
            one.loop
              ? at.loop === one.loop && at.exit === one.route
              : at.socket === one.from && at.edge === one.index,
          )
          .map(({ issue }) => issue);
        const most = one.most ? ` ≤${one.most}` : "";
        const label = one.loop
          ? one.when === "always"
            ? "upon loop exit"
            : `upon loop exit: ${spoken(one.when)}`
          : `${spoken(one.when)}${most}`;
        const siblings = one.loop ? 0 : edges(doc, one.from).length;
        const nth = siblings > 1 ? (one.index ?? 0) + 1 : 0;
        const aria = `${label}, from ${one.from} to ${one.to}${nth ? `, number ${nth} of ${siblings}` : ""}${own[0] ? `, ${own[0].severity}: ${own[0].message}` : ""}; change the condition`;
        const data: WayData = {
          label,
          when: one.when,
          side,
          exit: Boolean(one.loop),
          problems: own,
          count: taken?.[`${one.from}->${one.to}`] ?? 0,
          aria,
          nth: editable ? nth : 0,
        };
        return {
          id: one.id,
          source: one.from,
          target: known ? one.to : missing(one.to),
          type: "way",
          data,
          selected: selection.edge === one.id,
          selectable: editable,
          deletable: editable,
          focusable: editable,
          ariaLabel: aria.split(";")[0] ?? "",
          markerEnd: {
            type: MarkerType.ArrowClosed,
            width: 16,
            height: 16,
            color: "var(--line-strong)",
          },
        };
      });
  }, [doc, placed, problems, selection.edge, editable, taken]);

  const fitted = useRef<number | null>(null);
  const count = sockets(doc).length;
  // While a cast runs, or waits, the picture shows where, until the person looks elsewhere.
  const current = marks
    ? Object.keys(marks).find((id) =>
        ["running", "waiting", "failed"].includes(marks[id]?.state ?? ""),
      )
    : undefined;
  const spot = current && count >= 5 ? placed.get(current) : undefined;
  const filled = useRef(count > 0 && !spot);
  useEffect(() => {
    // Where the person has put things, they stay; the picture moves only for what could not be seen.
    const { x, y, zoom } = flow.getViewport();
    const { width, height } = store.getState();
    const seen = [...placed.values()].every(
      (spot) =>
        spot.x * zoom + x >= 0 &&
        (spot.x + WIDTH) * zoom + x <= width &&
        spot.y * zoom + y >= 0 &&
        (spot.y + HEIGHT) * zoom + y <= height,
    );
    const begins = fitted.current === null;
    if (fitted.current === count) return;
    fitted.current = count;
    if (count === 0 || (begins && spot) || (!begins && seen)) return;
    const timer = requestAnimationFrame(
      () => void flow.fitView({ padding: 0.07, maxZoom: 1, duration: begins ? 0 : 200 }),
    );
    return () => cancelAnimationFrame(timer);
  }, [flow, name, count]);

  const follows = useRef(true);
  const followed = useRef(false);
  useEffect(() => {
    if (!spot || !follows.current) return;
    const still = !followed.current || matchMedia("(prefers-reduced-motion: reduce)").matches;
    let timer = 0;
    const centre = () => {
      // Before the picture has a size there is no middle of it.
      if (store.getState().width === 0) {
        timer = requestAnimationFrame(centre);
        return;
      }
      followed.current = true;
      void flow.setCenter(spot.x + WIDTH / 2, spot.y + HEIGHT / 2, {
        zoom: 0.8,
        duration: still ? 0 : 350,
      });
    };
    timer = requestAnimationFrame(centre);
    return () => cancelAnimationFrame(timer);
  }, [flow, count, spot?.x, spot?.y]);

  return (
    <Change.Provider value={actions ?? null}>
      <ReactFlow
        nodes={nodes}
        edges={drawn}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        nodesDraggable={editable}
        nodesConnectable={editable}
        elementsSelectable
        edgesFocusable={editable}
        deleteKeyCode={editable ? ["Delete", "Backspace"] : null}
        multiSelectionKeyCode={["Shift", "Meta", "Control"]}
        selectionKeyCode="Shift"
        minZoom={0.15}
        maxZoom={1.6}
        fitView={filled.current}
        fitViewOptions={{ padding: 0.07, maxZoom: 1 }}
        onlyRenderVisibleElements={count > 120}
        proOptions={{ hideAttribution: true }}
        onNodesChange={(changes) => {
          setNodes((now) =>
            applyNodeChanges(
              changes.filter((one) => one.type !== "remove" && one.type !== "select"),
              now,
            ),
          );
          const picked = changes.filter((one) => one.type === "select");
          if (picked.length) {
            const chosen = new Set(selection.sockets);
            for (const one of picked)
              if (one.selected) chosen.add(one.id);
              else chosen.delete(one.id);
            const next = [...chosen].filter((id) => doc.sockets?.[id]);
            if (next.length || selection.sockets.length) onSelect({ ...NOTHING, sockets: next });
          }
          const moved = changes.filter(
            (one) => one.type === "position" && one.dragging === false && one.position,
          );
          if (moved.length && actions)
            actions.move(
              Object.fromEntries(
                moved.map((one) => [
                  "id" in one ? one.id : "",
                  (one as { position: Spot }).position,
                ]),
              ),
            );
        }}
        onEdgesChange={(changes) => {
          const picked = changes.find((one) => one.type === "select" && one.selected);
          if (picked && "id" in picked) onSelect({ ...NOTHING, edge: picked.id });
        }}
        onDelete={({ nodes: goneNodes, edges: goneEdges }) =>
          actions?.remove(
            goneNodes.filter((one) => one.type === "socket").map((one) => one.id),
            goneNodes.length ? [] : goneEdges.map((one) => one.id),
          )
        }
        onConnect={(connection: Connection) =>
          actions?.connect(connection.source, connection.target)
        }
        onMoveStart={(event) => {
          if (event) follows.current = false;
        }}
        onPaneClick={() => onSelect(NOTHING)}
        onDragOver={(event) => {
          if (editable && event.dataTransfer.types.includes("application/x-materia")) {
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
          }
        }}
        onDrop={(event) => {
          const materia = event.dataTransfer.getData("application/x-materia");
          if (!materia || !actions) return;
          event.preventDefault();
          const spot = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          const onto = (event.target as Element).closest<HTMLElement>(".react-flow__node-socket")
            ?.dataset.id;
          actions.drop(materia, { x: spot.x - WIDTH / 2, y: spot.y - HEIGHT / 2 }, onto);
        }}
        aria-label={`Graph of ${name}`}
      >
        <Background
          variant={BackgroundVariant.Dots}
          gap={24}
          size={1}
          color="var(--line-strong)"
          bgColor="transparent"
        />
        <Controls showInteractive={false} position="bottom-left" />
      </ReactFlow>
    </Change.Provider>
  );
}

export function Graph(props: Props) {
  return (
    <div className="canvas">
      <ReactFlowProvider>
        <Inner {...props} />
      </ReactFlowProvider>
    </div>
  );
}
