// The edges of the graph, each with its condition.
import {
  BaseEdge,
  EdgeLabelRenderer,
  type EdgeProps,
  type Edge as FlowEdge,
  getBezierPath,
} from "@xyflow/react";
import { createContext, memo, useContext } from "react";
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import type { Spot, When } from "./doc";

export type Actions = {
  move: (moved: Record<string, Spot>) => void;
  connect: (from: string, to: string) => void;
  cycle: (edge: string) => void;
  reorder: (edge: string, by: number) => void;
  remove: (sockets: string[], edges: string[]) => void;
  drop: (materia: string, spot: Spot, onto?: string) => void;
};

export type WayData = {
  label: string;
  when: When;
  side: number | null;
  exit: boolean;
  problems: Finding[];
  count: number;
  aria: string;
  nth: number;
};

export const Change = createContext<Actions | null>(null);

function way(props: EdgeProps<FlowEdge<WayData>>): [string, number, number] {
  const { sourceX: sx, sourceY: sy, targetX: tx, targetY: ty, data } = props;
  if (!data || data.side === null) {
    const [path, x, y] = getBezierPath(props);
    return [path, x, y];
  }
  const side = data.side;
  const reach = 38;
  const up = `C ${sx} ${sy + reach}, ${side} ${sy + reach}, ${side} ${sy - 12}`;
  const down = `C ${side} ${ty - reach}, ${tx} ${ty - reach}, ${tx} ${ty}`;
  const path = `M ${sx} ${sy} ${up} L ${side} ${ty + 12} ${down}`;
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

/** Alt with an arrow key moves an edge before or after its siblings, and the focus with it. */
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

export const edgeTypes = { way: WayEdge };
