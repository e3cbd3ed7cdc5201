// The nodes of the graph: sockets, loops, the end, and missing targets.
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import { Orb } from "../ui/parts";
import type { Look } from "./look";

/** The state of a socket in a live cast. */
export type Mark = {
  state: "idle" | "running" | "waiting" | "done" | "failed";
  visits: number;
  note?: string;
};

export type SocketData = {
  id: string;
  look: Look;
  entry: boolean;
  consumer: boolean;
  exit: boolean;
  problems: Finding[];
  mark?: Mark;
  editable: boolean;
};

export type RegionData = {
  name: string;
  width: number;
  height: number;
  source: string | null;
  select: () => void;
  chosen: boolean;
  problems: number;
};

const TONE: Record<Mark["state"], string> = {
  idle: "",
  running: "info",
  waiting: "warn",
  done: "",
  failed: "bad",
};

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
        {mark?.note && <span className={`badge ${TONE[mark.state]}`}>{mark.note}</span>}
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

/** The target of an edge that names no socket: drawn, so that its error has a position. */
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

export const nodeTypes = {
  socket: SocketNode,
  end: EndNode,
  region: RegionNode,
  missing: MissingNode,
};
