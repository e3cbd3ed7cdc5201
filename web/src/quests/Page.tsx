// The quest board: what is to be done, in order, one behind the other.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { call } from "../api";
import { config as configStore, loadConfig } from "../loadout/drafts";
import { moment } from "../casts/words";
import { board as boardStore } from "../live";
import { path } from "../router";
import { useStore } from "../store";
import { Empty, Field } from "../ui/parts";
import { Icon } from "../ui/icons";
import { complain, say } from "../ui/toasts";

type Quest = {
  id: string;
  title: string;
  prompt: string;
  status: string;
  attempts: number;
  loadoutOverride?: string;
  currentCastId?: string;
  lastCastId?: string;
  lastError?: { message: string };
  lastResult?: { status: string; finishedAt: string };
};
type Board = { file: string; runner: { running: boolean; enabled: boolean }; quests: Quest[] };
const TONE: Record<string, string> = {
  pending: "",
  running: "info",
  succeeded: "good",
  failed: "bad",
  blocked: "warn",
};

export function QuestsPage() {
  const config = useStore(configStore);
  useEffect(() => {
    void loadConfig();
  }, []);
  const board = useStore(boardStore) as Board | null;
  const [request, setRequest] = useState("");
  const [loadout, setLoadout] = useState("");
  const [script, setScript] = useState("");
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const kept = useRef<string | null>(null);
  // A quest that was moved by a key keeps the focus, so that the same key moves it on.
  useLayoutEffect(() => {
    if (kept.current && !list.current?.contains(document.activeElement))
      list.current
        ?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(kept.current)}"]`)
        ?.focus();
    kept.current = null;
  }, [board]);
  const send = async (way: string, body: object, done?: string) => {
    try {
      await call("POST", way, body);
      if (done) say(done);
    } catch (error) {
      complain(error);
    }
  };
  const change = (id: string, body: object) => send(`/quests/${encodeURIComponent(id)}`, body);
  const pending = (board?.quests ?? []).filter((one) => one.status === "pending");
  const others = (board?.quests ?? []).filter((one) => one.status !== "pending").reverse();
  const running = Boolean(board?.runner.running);
  const move = (at: number, by: number) => {
    const [one, other] = [pending[at], pending[at + by]];
    if (!one || !other) return;
    kept.current = `Move ${one.title} ${by < 0 ? "up" : "down"}`;
    void change(one.id, { do: by < 0 ? "before" : "after", target: other.id });
  };
  // What is dragged down goes behind the one it is dropped on, what is dragged up before it.
  const drop = (at: number) => {
    const from = pending.findIndex((one) => one.id === dragged);
    if (from >= 0 && from !== at)
      void change(pending[from]!.id, {
        do: from < at ? "after" : "before",
        target: pending[at]!.id,
      });
    setDragged(null);
    setOver(null);
  };
  const shadow = (at: number) => {
    const from = pending.findIndex((one) => one.id === dragged);
    return over === pending[at]?.id && from >= 0 && from !== at
      ? from < at
        ? " below"
        : " above"
      : "";
  };
  return (
    <>
      <header className="head">
        <div className="grow">
          <h1>Quests</h1>
          <p>What waits is cast one behind the other.</p>
        </div>
        <div className="row">
          {running ? (
            <button
              type="button"
              className="btn"
              onClick={() =>
                void send("/quests/stop", {}, "it stops behind the quest that is running")
              }
            >
              <Icon name="stop" size={16} />
              Stop
            </button>
          ) : (
            <>
              <button
                type="button"
                className="btn"
                disabled={!pending.length}
                onClick={() =>
                  void send(
                    "/quests/run",
                    { quest: null, once: true, agentScript: script || null },
                    "the first one is run",
                  )
                }
              >
                Run one
              </button>
              <button
                type="button"
                className="btn primary"
                disabled={!pending.length}
                onClick={() =>
                  void send(
                    "/quests/run",
                    { quest: null, once: false, agentScript: script || null },
                    "the quests are run",
                  )
                }
              >
                <Icon name="play" size={16} />
                Run all
              </button>
            </>
          )}
        </div>
      </header>
      <div className="page narrow">
        <div className="stack">
          <form
            className="card stack tight"
            onSubmit={(event) => {
              event.preventDefault();
              if (request.trim())
                void send("/quests", { request, title: null, loadout: loadout || null }).then(() =>
                  setRequest(""),
                );
            }}
          >
            <Field label="Add a quest">
              <textarea
                className="input"
                rows={2}
                value={request}
                placeholder="What should be done?"
                onChange={(event) => setRequest(event.target.value)}
              />
            </Field>
            <div className="row">
              <select
                className="input fit"
                aria-label="Loadout"
                value={loadout}
                onChange={(event) => setLoadout(event.target.value)}
              >
                <option value="">the active loadout</option>
                {config?.loadouts
                  .filter((one) => one.usable)
                  .map((one) => (
                    <option key={one.name}>{one.name}</option>
                  ))}
              </select>
              <input
                className="input fit mono"
                aria-label="Replies of a scripted agent"
                placeholder="replies.json, without a model"
                value={script}
                onChange={(event) => setScript(event.target.value)}
              />
              <span className="grow" />
              <button type="submit" className="btn primary" disabled={!request.trim()}>
                <Icon name="plus" size={16} />
                Add
              </button>
            </div>
          </form>
          <h2>Waiting</h2>
          {board !== null && pending.length === 0 && <p className="muted">Nothing waits.</p>}
          <ol className="quests" aria-label="Waiting quests" ref={list}>
            {pending.map((one, at) => (
              <li
                key={one.id}
                className={`card quest${dragged === one.id ? " dragged" : ""}${shadow(at)}`}
                draggable
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = "move";
                  setDragged(one.id);
                }}
                onDragEnd={() => {
                  setDragged(null);
                  setOver(null);
                }}
                onDragOver={(event) => {
                  event.preventDefault();
                  setOver(one.id);
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  drop(at);
                }}
              >
                <span className="muted mono">{at + 1}</span>
                <div className="grow">
                  <strong className="clamp">{one.title}</strong>
                  <p className="hint">
                    {one.loadoutOverride ?? "active loadout"}
                    {one.attempts ? ` · ${one.attempts} tries` : ""}
                  </p>
                </div>
                <span className="row tight">
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Move ${one.title} up`}
                    aria-disabled={at === 0}
                    onClick={() => move(at, -1)}
                  >
                    <Icon name="up" size={14} />
                  </button>
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Move ${one.title} down`}
                    aria-disabled={at === pending.length - 1}
                    onClick={() => move(at, 1)}
                  >
                    <Icon name="down" size={14} />
                  </button>
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Run ${one.title}`}
                    disabled={running}
                    onClick={() =>
                      void send(
                        "/quests/run",
                        { quest: one.id, once: true, agentScript: script || null },
                        "it is run",
                      )
                    }
                  >
                    <Icon name="play" size={14} />
                  </button>
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Remove ${one.title}`}
                    onClick={() => void change(one.id, { do: "remove" })}
                  >
                    <Icon name="trash" size={14} />
                  </button>
                </span>
              </li>
            ))}
          </ol>
          {others.length > 0 && <h2>Had their turn</h2>}
          <ol className="quests" aria-label="Other quests">
            {others.map((one) => (
              <li key={one.id} className="card quest">
                <span className={`badge ${TONE[one.status] ?? ""}`}>
                  {one.status === "running" && <span className="pulse" aria-hidden="true" />}
                  {one.status}
                </span>
                <div className="grow">
                  <strong className="clamp">{one.title}</strong>
                  <p className="hint">
                    {one.lastError?.message ?? moment(one.lastResult?.finishedAt ?? null)}
                  </p>
                </div>
                {(one.currentCastId ?? one.lastCastId) && (
                  <a
                    className="btn small"
                    href={path("casts", (one.currentCastId ?? one.lastCastId)!)}
                  >
                    Cast
                  </a>
                )}
                {(one.status === "failed" || one.status === "blocked") && (
                  <button
                    type="button"
                    className="btn small"
                    onClick={() => void change(one.id, { do: "requeue" })}
                  >
                    Requeue
                  </button>
                )}
                {one.status !== "running" && (
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Remove ${one.title}`}
                    onClick={() => void change(one.id, { do: "remove" })}
                  >
                    <Icon name="trash" size={14} />
                  </button>
                )}
              </li>
            ))}
          </ol>
          {board !== null && board.quests.length === 0 && (
            <Empty title="An empty board">
              <p>
                Quests are requests that wait. The runner casts them in order and stops where you
                are needed.
              </p>
            </Empty>
          )}
        </div>
      </div>
    </>
  );
}
