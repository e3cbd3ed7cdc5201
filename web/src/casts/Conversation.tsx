// The conversation with a socket that waits for the user, and the rework requests.
import { useState } from "react";
import { api } from "../api";
import type { CastEventRecord, CastStateReport } from "../types";
import { Icon } from "../ui/icons";
import { byPlace } from "../ui/parts";
import { complain } from "../ui/toasts";
import { Markdown } from "./Markdown";
import { scriptOf } from "./script";
import { clock } from "./words";

export function Conversation({
  id,
  state,
  waits,
}: {
  id: string;
  state: CastStateReport;
  waits: boolean;
}) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (said: string | null) => {
    setBusy(true);
    try {
      await api.steer(id, "continue", { text: said, agentScript: scriptOf(id) });
      setText("");
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  return (
    <section className="card stack tight talk" aria-label="Conversation">
      <h3>{waits ? `${state.at?.materia ?? "It"} waits for you` : "What was said"}</h3>
      <ol className="lines">
        {byPlace(state.conversation, ([who, said]) => (
          <li className={who}>
            <span className="label">{who === "agent" ? state.at?.materia : "You"}</span>
            <Markdown text={said} />
          </li>
        ))}
      </ol>
      {waits && (
        <>
          <textarea
            className="input"
            aria-label="Your answer"
            placeholder="Say what should be different"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim())
                void send(text);
            }}
          />
          <div className="row">
            <button
              type="button"
              className="btn"
              disabled={busy || !text.trim()}
              onClick={() => void send(text)}
            >
              <Icon name="send" size={16} />
              Send
            </button>
            <button
              type="button"
              className="btn primary"
              disabled={busy}
              onClick={() => void send(null)}
            >
              It is good: go on
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** All rework requests, with their reasons. */
export function Rework({
  events,
  onOpen,
}: {
  events: CastEventRecord[];
  onOpen: (file: string) => void;
}) {
  if (events.length === 0) return <p className="muted">Nothing was sent back to be done again.</p>;
  return (
    <ol className="steps" aria-label="Sent back">
      {events.map((one) => (
        <li key={one.seq}>
          <p className="label">
            {clock(one.at)} · {String(one.data.from)} → {String(one.data.to)}
            {(one.data.itemLabel ?? one.data.itemKey)
              ? ` · ${String(one.data.itemLabel ?? one.data.itemKey)}`
              : ""}
          </p>
          <Markdown text={String(one.data.rework)} />
          {typeof one.data.artifact === "string" && (
            <button
              type="button"
              className="link"
              onClick={() => onOpen(one.data.artifact as string)}
            >
              open
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
