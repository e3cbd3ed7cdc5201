// The events of a cast, one line each.
import { useEffect, useRef, useState } from "react";
import type { CastEventRecord } from "../types";
import { clock } from "./words";

const TELLING: Record<string, (data: Record<string, unknown>) => [string, string, string?]> = {
  cast_start: (data) => ["began", String(data.loadout ?? "")],
  socket_start: (data) => ["entered", place(data)],
  agent_turn_start: (data) => [
    "asks",
    `${place(data)}${Number(data.attempt) > 1 ? `, attempt ${Number(data.attempt)}` : ""}`,
    data.artifact as string,
  ],
  agent_turn_end: (data) => ["answered", place(data)],
  utility_input: (data) => ["runs", place(data), data.artifact as string],
  utility_command: (data) => [
    "ran",
    `${place(data)}, exit ${String(data.code ?? data.signal ?? "?")}`,
    data.stdoutArtifact as string,
  ],
  socket_complete: (data) => ["done", place(data), data.artifact as string],
  socket_refinement: (data) => ["waits for you", place(data), data.artifact as string],
  context_refinement: (data) => ["you said", String(data.text ?? data.said ?? "")],
  socket_finalization: (data) => ["finishing", place(data)],
  socket_route: (data) => [
    "goes on",
    `${String(data.from ?? "")} → ${String(data.to ?? "end")}${data.rework ? `: ${String(data.rework)}` : ""}`,
  ],
  socket_advance: (data) => ["next item", String(data.socket ?? "")],
  socket_failed: (data) => ["failed", place(data)],
  socket_interrupted: (data) => ["interrupted", place(data)],
  same_socket_recovery_start: (data) => ["tries again", place(data)],
  same_socket_recovery_exhausted: (data) => ["gives up", place(data)],
  budget_warning: (data) => [
    "budget",
    `${Math.round(Number(data.percent))}% of ${String(data.what)}`,
  ],
  budget_limit: (data) => ["budget used up", String(data.what ?? "")],
  budget_raised: () => ["budget raised", ""],
  cast_recast: () => ["recast", ""],
  cast_revive: () => ["revived", ""],
  cast_end: (data) => [
    data.ok ? "complete" : "ended",
    String((data.error as { message?: string } | undefined)?.message ?? ""),
  ],
};

const BAD = new Set(["socket_failed", "same_socket_recovery_exhausted", "budget_limit"]);

function place(data: Record<string, unknown>): string {
  return [data.materia ?? data.socket, data.itemLabel ?? data.itemKey].filter(Boolean).join(" · ");
}

const PAGE = 150;

export function Timeline({
  events,
  dropped,
  onOpen,
}: {
  events: CastEventRecord[];
  dropped: number;
  onOpen: (file: string) => void;
}) {
  const [most, setMost] = useState(PAGE);
  // The graph shows plain routes, so list only those with a rework request.
  const shown = events.filter(
    (one) => one.type in TELLING && (one.type !== "socket_route" || one.data.rework),
  );
  const from = Math.max(0, shown.length - most);
  const end = useRef<HTMLDivElement>(null);
  const sticky = useRef(true);
  useEffect(() => {
    const box = end.current?.closest(".side");
    if (!box) return;
    const scrolled = () => {
      sticky.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => box.removeEventListener("scroll", scrolled);
  }, []);
  const count = shown.length;
  useEffect(() => {
    const box = end.current?.closest(".side");
    if (box && count > 0 && sticky.current) box.scrollTop = box.scrollHeight;
  }, [count]);
  return (
    <div>
      {(from > 0 || dropped > 0) && (
        <button
          type="button"
          className="btn small"
          onClick={() => setMost(most + 500)}
          disabled={from === 0}
        >
          {from > 0 ? `${from} earlier` : `${dropped} older ones are in the log`}
        </button>
      )}
      <ol className="timeline" aria-label="Events">
        {shown.slice(from).map((one) => {
          const [what, about, file] = TELLING[one.type]?.(one.data) ?? [one.type, ""];
          const bad = BAD.has(one.type) || (one.type === "cast_end" && !one.data.ok);
          return (
            <li key={one.seq} className={bad ? "bad" : one.type}>
              <time dateTime={one.at}>{clock(one.at)}</time>
              <span>
                <strong>{what}</strong> {about}{" "}
                {file && (
                  <button type="button" className="link" onClick={() => onOpen(file)}>
                    open
                  </button>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      <div ref={end} />
    </div>
  );
}
