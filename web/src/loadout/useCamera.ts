// The viewport of the graph: all of it, or the socket where a cast is.
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { Spot } from "./doc";
import { HEIGHT, WIDTH } from "./layout";
import type { Mark } from "./nodes";

/** With fewer sockets than this, the viewport shows all of them. */
const FEW = 5;

export function useCamera(
  placed: Map<string, Spot>,
  count: number,
  marks: Record<string, Mark> | undefined,
) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const fitted = useRef<number | null>(null);
  // While a cast runs or waits, the viewport follows it until the user moves away.
  const current = marks
    ? Object.keys(marks).find((id) =>
        ["running", "waiting", "failed"].includes(marks[id]?.state ?? ""),
      )
    : undefined;
  const spot = current && count >= FEW ? placed.get(current) : undefined;
  const filled = useRef(count > 0 && !spot);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is fitted when sockets come or go, not when one moves
  useEffect(() => {
    // Keep the user's viewport; move it only if a socket is out of view.
    const { x, y, zoom } = flow.getViewport();
    const { width, height } = store.getState();
    const seen = [...placed.values()].every(
      (one) =>
        one.x * zoom + x >= 0 &&
        (one.x + WIDTH) * zoom + x <= width &&
        one.y * zoom + y >= 0 &&
        (one.y + HEIGHT) * zoom + y <= height,
    );
    const begins = fitted.current === null;
    if (fitted.current === count) return;
    fitted.current = count;
    if (count === 0 || (begins && spot) || (!begins && seen)) return;
    const timer = requestAnimationFrame(
      () => void flow.fitView({ padding: 0.07, maxZoom: 1, duration: begins ? 0 : 200 }),
    );
    return () => cancelAnimationFrame(timer);
  }, [flow, count]);

  const follows = useRef(true);
  const followed = useRef(false);
  const [x, y] = [spot?.x, spot?.y];
  useEffect(() => {
    if (x === undefined || y === undefined || !follows.current) return;
    const still = !followed.current || matchMedia("(prefers-reduced-motion: reduce)").matches;
    let timer = 0;
    const centre = () => {
      // Before the graph has a size, it has no centre.
      if (store.getState().width === 0) {
        timer = requestAnimationFrame(centre);
        return;
      }
      followed.current = true;
      void flow.setCenter(x + WIDTH / 2, y + HEIGHT / 2, { zoom: 0.8, duration: still ? 0 : 350 });
    };
    timer = requestAnimationFrame(centre);
    return () => cancelAnimationFrame(timer);
  }, [flow, store, x, y]);

  return {
    /** Whether the whole graph is shown at first. */
    fits: filled.current,
    /** Stops following, because the user moved the viewport. */
    release: () => {
      follows.current = false;
    },
  };
}
