// The graph of a loadout: sockets as cards, edges with conditions, loops as regions. Editable or
// live.
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  Controls,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";
import type { Finding } from "../types";
import { type Doc, type Spot, sockets } from "./doc";
import { HEIGHT, spots, WIDTH } from "./layout";
import { whereIs } from "./locate";
import type { Look } from "./look";
import { type Mark, nodeTypes } from "./nodes";
import { graphEdges, graphNodes } from "./picture";
import { NOTHING, type Selection } from "./selection";
import { useCamera } from "./useCamera";
import { type Actions, Change, edgeTypes } from "./ways";

type Props = {
  name: string;
  doc: Doc;
  look: (materia: string) => Look;
  issues?: Finding[];
  marks?: Record<string, Mark>;
  taken?: Record<string, number>;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  actions?: Actions | null;
};

const NONE: Finding[] = [];

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
  const editable = Boolean(actions);
  const placed = useMemo(() => spots(doc), [doc]);
  const problems = useMemo(
    () => issues.map((issue) => ({ issue, at: whereIs(doc, name, issue.path) })),
    [issues, doc, name],
  );
  const derived = useMemo(
    () => graphNodes({ doc, placed, look, marks, selection, problems, editable, onSelect }),
    [doc, placed, look, marks, selection, problems, editable, onSelect],
  );
  const [nodes, setNodes] = useState(derived);
  // Keep the measured sizes: without them every edge would disappear for a moment and lose the
  // focus.
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

  const drawn = useMemo(
    () => graphEdges({ doc, placed, problems, chosen: selection.edge, editable, taken }),
    [doc, placed, problems, selection.edge, editable, taken],
  );
  const count = sockets(doc).length;
  const camera = useCamera(placed, count, marks);

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
        fitView={camera.fits}
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
          if (event) camera.release();
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
