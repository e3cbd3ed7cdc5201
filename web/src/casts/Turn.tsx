// The live output of an agent in the running turn. Its area is always present, so that the layout
// does not shift.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Block, Turn } from "../live";
import type { CastEventRecord, CastStateReport } from "../types";
import { Icon } from "../ui/icons";
import { byPlace } from "../ui/parts";
import { Markdown } from "./Markdown";
import { money, span, tokens } from "./words";

export type Running = { materia: string; attempt: number; began: number; ended: number | null };

/** The running turn, or the last one. */
export function lastTurn(events: CastEventRecord[]): Running | null {
  let ended: number | null = null;
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const one = events[at];
    if (!one) continue;
    if (one.type === "agent_turn_start")
      return {
        materia: String(one.data.materia ?? one.data.socket ?? ""),
        attempt: Number(one.data.attempt ?? 1),
        began: Date.parse(one.at),
        ended,
      };
    if (
      one.type === "agent_turn_end" ||
      one.type === "socket_complete" ||
      one.type === "socket_failed" ||
      one.type === "cast_end"
    )
      ended = Date.parse(one.at);
  }
  return null;
}

export function Blocks({ blocks }: { blocks: Block[] }) {
  return (
    <ol className="blocks">
      {byPlace(blocks, (block) =>
        block.kind === "tool" ? (
          <li className={`tool ${block.ok === null ? "busy" : block.ok ? "good" : "bad"}`}>
            <Icon name={block.ok === null ? "loop" : block.ok ? "check" : "warn"} size={14} />
            <strong>{block.name}</strong>{" "}
            <code className="ellipsis" title={block.input}>
              {block.input}
            </code>
            <span className="sr">
              {block.ok === null ? "is working" : block.ok ? "done" : "failed"}
            </span>
          </li>
        ) : block.kind === "text" ? (
          <li>
            <Markdown text={block.text} />
          </li>
        ) : (
          <li className="muted">{block.text}</li>
        ),
      )}
    </ol>
  );
}

export function TurnPane({
  turn,
  running,
  state,
  live,
}: {
  turn: Turn | null;
  running: Running | null;
  state: CastStateReport | null;
  live: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [now, setNow] = useState(Date.now());
  const busy = live && running !== null && running.ended === null;
  useEffect(() => {
    if (!busy) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [busy]);
  useLayoutEffect(() => {
    if (turn && follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [turn]);
  const usage = turn?.usage;
  const at = state?.at;
  const waits = state?.status === "paused";
  return (
    <section className="turn" aria-label="What the agent does">
      <header>
        <span className={busy ? "dot busy" : "dot"} aria-hidden="true" />
        <strong className="ellipsis">{running?.materia ?? at?.materia ?? "Nobody"}</strong>
        <span className="muted ellipsis">
          {busy
            ? "is working"
            : waits
              ? "waits"
              : running
                ? "is done"
                : live
                  ? "is running"
                  : "has done nothing"}
          {running && running.attempt > 1 ? `, attempt ${running.attempt}` : ""}
        </span>
        <span className="grow" />
        <span className="numbers muted" role="note" aria-label="This turn">
          {running && (
            <>
              {usage && (
                <>
                  <b>{tokens(usage.total)}</b> tokens{" "}
                  {usage.cost > 0 && <b>{money(usage.cost)} </b>}
                </>
              )}
              <b>{span((busy ? now : (running.ended ?? running.began)) - running.began)}</b>
            </>
          )}
        </span>
      </header>
      <div
        className="turn-text"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll it
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Words and tools of the agent"
        onScroll={(event) => {
          const element = event.currentTarget;
          follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
        }}
      >
        {turn && turn.blocks.length > 0 ? (
          <Blocks blocks={turn.blocks} />
        ) : (
          <p className="muted">
            {busy
              ? "It has said nothing yet."
              : running
                ? "It showed nothing on its way; what it answered is among the files."
                : "An agent’s words and tools appear here while it works."}
          </p>
        )}
      </div>
    </section>
  );
}
