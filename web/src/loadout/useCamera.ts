// Where the picture looks: at all of it, or at the socket where a cast is.
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { Spot } from "./doc";
import { HEIGHT, WIDTH } from "./layout";
import type { Mark } from "./nodes";

/** With fewer sockets than these, all of them are seen at once. */
const FEW = 5;

export function useCamera(
  placed: Map<string, Spot>,
  count: number,
  marks: Record<string, Mark> | undefined,
) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const fitted = useRef<number | null>(null);
  // While a cast runs, or waits, the picture shows where, until the person looks elsewhere.
  const current = marks
    ? Object.keys(marks).find((id) =>
        ["running", "waiting", "failed"].includes(marks[id]?.state ?? ""),
      )
    : undefined;
  const spot = current && count >= FEW ? placed.get(current) : undefined;
  const filled = useRef(count > 0 && !spot);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is fitted when sockets come or go, not when one moves
  useEffect(() => {
    // Where the person has put things, they stay; the picture moves only for what could not be seen.
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
      // Before the picture has a size there is no middle of it.
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
    /** Whether all of it is shown at first. */
    fits: filled.current,
    /** The person looks elsewhere. */
    release: () => {
      follows.current = false;
    },
  };
}
