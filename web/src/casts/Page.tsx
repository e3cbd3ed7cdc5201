// Casts: start one, watch it, talk to it, look back.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type ApiError, call } from "../api";
import { Graph, NOTHING, type Mark, type Selection } from "../loadout/Graph";
import { config as configStore, loadConfig } from "../loadout/drafts";
import { lookOf } from "../loadout/look";
import type { Doc } from "../loadout/model";
import { go, path } from "../router";
import { useStore } from "../store";
import type { Artifact, CastState, CastView, Materia, Told } from "../types";
import { Dialog, Empty, Field, Issues, Tabs, useInView } from "../ui/parts";
import { Icon } from "../ui/icons";
import { complain, say } from "../ui/toasts";
import { act, casts, connection, watched, type Listed, type Trust } from "../live";
import { Markdown } from "./Markdown";
import { Blocks, TurnPane, lastTurn } from "./Turn";
import { STATUS, clock, moment, money, span, tokens } from "./words";

export function CastsPage({ id }: { id: string | undefined }) {
  const all = useStore(casts);
  const [search, setSearch] = useState("");
  const [starting, setStarting] = useState(false);
  useInView(all ? id : undefined);
  const shown = (all ?? []).filter((one) =>
    `${one.request} ${one.loadout} ${one.castId} ${one.status}`
      .toLowerCase()
      .includes(search.toLowerCase()),
  );
  return (
    <div className={id ? "split casts one" : "split casts"}>
      <aside className="side" aria-label="Casts">
        <div className="row">
          <h2 className="grow">Casts</h2>
          <button type="button" className="btn small primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={14} />
            Cast
          </button>
        </div>
        <input
          className="input"
          type="search"
          placeholder="Find a cast"
          aria-label="Find a cast"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <ul className="list" aria-busy={all === null}>
          {shown.slice(0, 200).map((one) => (
            <li key={one.castId}>
              <a
                href={path("casts", one.castId)}
                aria-current={one.castId === id ? "true" : undefined}
              >
                <span className="list-name clamp">{one.request || one.castId}</span>
                <span className="row">
                  <StatusBadge status={one.status} />
                  <span className="muted small">{one.loadout}</span>
                  <span className="muted small end">{moment(one.startedAt)}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {all !== null && shown.length === 0 && (
          <p className="muted pad">{search ? "No cast like that." : "No casts yet."}</p>
        )}
      </aside>
      {id ? (
        <CastScreen key={id} id={id} listed={all?.find((one) => one.castId === id)} />
      ) : (
        <Empty first title="Pick a cast, or start one">
          <p>A cast drives a request through a loadout: plan, build, check, keep.</p>
          <button type="button" className="btn primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={16} />
            Start a cast
          </button>
        </Empty>
      )}
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </div>
  );
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <span className={`badge ${STATUS[status] ?? ""}`}>
      {status === "running" && <span className="pulse" aria-hidden="true" />}
      {status}
    </span>
  );
}

export const scriptOf = (id: string) => localStorage.getItem(`script:${id}`);

function StartDialog({ onClose }: { onClose: () => void }) {
  const config = useStore(configStore);
  const [request, setRequest] = useState("");
  const [loadout, setLoadout] = useState("");
  const [script, setScript] = useState("");
  const [agent, setAgent] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [trust, setTrust] = useState<Trust | null>(null);
  useEffect(() => {
    void loadConfig();
  }, []);
  const start = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const report = await call<{ castId: string }>("POST", "/casts", {
        request,
        loadout: loadout || null,
        agentScript: script || null,
        agent: agent || null,
      });
      if (script) localStorage.setItem(`script:${report.castId}`, script);
      onClose();
      go(path("casts", report.castId));
    } catch (error) {
      const failed = error as ApiError;
      setFailure(failed);
      if (failed.code === "untrusted") setTrust(await call<Trust>("GET", "/trust"));
      setBusy(false);
    }
  };
  const agree = async () => {
    try {
      await call("POST", "/trust", { digest: trust?.digest ?? "" });
      setTrust(null);
      await start();
    } catch (error) {
      complain(error);
    }
  };
  const active = config?.loadouts.find((one) => one.active);
  return (
    <Dialog
      title="Start a cast"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={busy || !request.trim()}
            onClick={() => void start()}
          >
            <Icon name="play" size={16} />
            Cast
          </button>
        </>
      }
    >
      <Field label="What should be done?">
        <textarea
          className="input"
          rows={4}
          autoFocus
          value={request}
          onChange={(event) => setRequest(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && request.trim())
              void start();
          }}
        />
      </Field>
      <Field label="Loadout">
        <select
          className="input"
          value={loadout}
          onChange={(event) => setLoadout(event.target.value)}
        >
          <option value="">{active ? `${active.name} (active)` : "the active one"}</option>
          {config?.loadouts
            .filter((one) => one.usable && !one.active)
            .map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
        </select>
      </Field>
      <Field label="Agent" hint="the program that plays roles which name none">
        <input
          className="input mono"
          value={agent}
          placeholder="the first one that is installed"
          onChange={(event) => setAgent(event.target.value)}
        />
      </Field>
      <details>
        <summary>Without a model</summary>
        <Field
          label="A file with the replies of a scripted agent"
          hint="seen from the project directory"
        >
          <input
            className="input mono"
            value={script}
            placeholder="replies.json"
            onChange={(event) => setScript(event.target.value)}
          />
        </Field>
      </details>
      {failure && (
        <div className="issue error" role="alert">
          <span>{failure.message}</span>
          {failure.hint && <span className="hint">{failure.hint}</span>}
        </div>
      )}
      {failure && failure.code !== "untrusted" && <Issues issues={failure.issues} />}
      {trust && <TrustCard trust={trust} onAgree={() => void agree()} />}
    </Dialog>
  );
}

export function TrustCard({ trust, onAgree }: { trust: Trust; onAgree: () => void }) {
  return (
    <div className="card stack tight">
      <h2>What this project brings would run</h2>
      <code className="muted">{trust.file}</code>
      <ul className="acts">
        {trust.acts.map((act, at) => (
          <li key={at}>
            <code>{words(act)}</code>
          </li>
        ))}
      </ul>
      <p className="hint">
        Nothing of it runs until you agree. One changed byte, and you are asked again.
      </p>
      <div>
        <button type="button" className="btn" onClick={onAgree}>
          I have looked at it: trust it
        </button>
      </div>
    </div>
  );
}

const words = (act: Record<string, unknown>) =>
  Object.entries(act)
    .map(([name, value]) =>
      name === "kind" || name === "materia"
        ? String(value)
        : `${name}: ${Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    .join(" · ");

type Shown = {
  castId: string;
  request: string;
  loadout: string;
  startedAt: string | null;
  runDir: string;
  steps: Step[];
  artifacts: { path: string; bytes: number }[];
};
type Step = {
  step: number;
  socket: string;
  materia: string;
  visit: number;
  itemKey?: string;
  itemLabel?: string;
  attempts: number;
  outcome: string;
  satisfied: boolean | null;
  startedAt: string;
  durationMs: number | null;
  usage: { total: number; cost: number };
  artifact: string | null;
};
type Definition = {
  loadouts?: Record<string, Doc>;
  materia?: Record<string, Record<string, unknown>>;
  budget?: Record<string, number>;
};

const NO_EVENTS: Told[] = [];

function CastScreen({ id, listed }: { id: string; listed: Listed | undefined }) {
  const live = useStore(watched);
  const link = useStore(connection);
  const [view, setView] = useState<(CastView & { cast: Shown }) | null>(null);
  const [tab, setTab] = useState<"timeline" | "steps" | "artifacts" | "rework" | "talk">(
    "timeline",
  );
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [open, setOpen] = useState<string | null>(null);
  const state = live?.id === id ? live.state : null;
  const events = live?.id === id ? live.events : NO_EVENTS;
  const status = state?.status ?? listed?.status ?? "";
  // What is on disk is read again when a step ended, not with every event.
  const ended = useMemo(
    () =>
      events.filter(
        (one) =>
          one.type === "socket_complete" ||
          one.type === "cast_end" ||
          one.type === "socket_refinement" ||
          one.type === "agent_turn_start",
      ).length,
    [events],
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      call<CastView & { cast: Shown }>("GET", `/casts/${encodeURIComponent(id)}`).then(
        setView,
        complain,
      );
    }, 120);
    return () => clearTimeout(timer);
  }, [id, ended, status]);
  const definition = (view?.definition ?? {}) as Definition;
  const [name, doc] = Object.entries(definition.loadouts ?? {})[0] ?? [null, null];
  const look = useCallback(
    (materia: string) =>
      lookOf(
        definition.materia?.[materia]
          ? ({ value: definition.materia[materia] } as Materia)
          : undefined,
        materia,
      ),
    [view?.definition],
  );
  const marks = useMemo(() => (state && doc ? markAll(doc, state) : undefined), [state, doc]);
  const chosen = selection.sockets[0];
  const running = useMemo(() => lastTurn(events), [events]);
  const turn = live?.id === id ? live.turn : null;
  const busy = status === "running" && running !== null && running.ended === null;
  const talks = Object.values(doc?.sockets ?? {}).some(
    (one) => definition.materia?.[one.materia]?.multiTurn,
  );
  const asked = status === "paused" && state?.at?.waitsFor === "refinement";
  useEffect(() => {
    if (asked) setTab("talk");
  }, [asked]);
  const reworked = useMemo(
    () => events.filter((one) => one.type === "socket_route" && one.data.rework),
    [events],
  );
  const hasAgents = Object.values(doc?.sockets ?? {}).some(
    (one) => definition.materia?.[one.materia]?.type !== "utility",
  );
  return (
    <section className="editor" aria-label={`Cast ${id}`}>
      <header className="head">
        <div className="grow">
          <h1 className="clamp">{view?.cast.request ?? listed?.request ?? " "}</h1>
          <p className="row">
            <StatusBadge status={status || "…"} />
            <span>{view?.cast.loadout ?? listed?.loadout}</span>
            <code>{id}</code>
            {link === "lost" && <span className="badge bad">connection lost, trying again</span>}
          </p>
        </div>
        <Steering id={id} status={status} state={state} />
      </header>
      <Meters
        state={state}
        budget={definition.budget ?? {}}
        running={status === "running"}
        spent={busy ? (turn?.usage ?? null) : null}
      />
      <div className="cast-body">
        <div className="editor-view">
          {doc && name && marks ? (
            <Graph
              name={name}
              doc={doc}
              look={look}
              marks={marks}
              taken={state?.traversals ?? {}}
              selection={selection}
              onSelect={setSelection}
            />
          ) : (
            <div className="canvas" />
          )}
          {(hasAgents || !doc) && (
            <TurnPane turn={turn} running={running} state={state} live={status === "running"} />
          )}
        </div>
        <aside className="side right" aria-label="What happened">
          <div className="pinned">
            <Tabs
              label="What happened"
              value={tab}
              onChange={setTab}
              options={
                [
                  ["timeline", "Timeline"],
                  ["steps", "Steps"],
                  ["artifacts", "Files"],
                  ["rework", `Sent back ${reworked.length}`],
                  ...(talks || asked ? [["talk", "Talk"] as const] : []),
                ] as const
              }
            />
            {state?.error && (
              <div className="issue error">
                <span>{state.error.message}</span>
                {state.error.hint && <span className="hint">{state.error.hint}</span>}
              </div>
            )}
          </div>
          {tab === "talk" &&
            state &&
            (asked || state.conversation.length > 0 ? (
              <Conversation id={id} state={state} waits={asked} />
            ) : (
              <p className="muted">Nothing was said yet. It asks you here when it needs you.</p>
            ))}
          {tab === "rework" && <Rework events={reworked} onOpen={setOpen} />}
          {chosen && (
            <p className="row">
              <span className="badge accent">only {chosen}</span>
              <button
                type="button"
                className="btn quiet small"
                onClick={() => setSelection(NOTHING)}
              >
                show all
              </button>
            </p>
          )}
          {tab === "timeline" && (
            <Timeline
              events={
                chosen
                  ? events.filter((one) => one.data.socket === chosen || one.data.from === chosen)
                  : events
              }
              dropped={live?.dropped ?? 0}
              onOpen={setOpen}
            />
          )}
          {tab === "steps" && (
            <Steps
              id={id}
              steps={(view?.cast.steps ?? []).filter((one) => !chosen || one.socket === chosen)}
              onOpen={setOpen}
            />
          )}
          {tab === "artifacts" && (
            <Files
              files={(view?.cast.artifacts ?? []).filter(
                (one) => !chosen || one.path.startsWith(`sockets/${chosen}/`),
              )}
              onOpen={setOpen}
            />
          )}
        </aside>
      </div>
      {open && <ArtifactDialog id={id} file={open} onClose={() => setOpen(null)} />}
    </section>
  );
}

function markAll(doc: Doc, state: CastState): Record<string, Mark> {
  const marks: Record<string, Mark> = {};
  for (const id of Object.keys(doc.sockets ?? {})) {
    const visits = state.visits[id] ?? 0;
    const here = state.at?.socket === id;
    const busy = state.status === "running" || state.status === "interrupted";
    const now: Mark["state"] =
      here && state.status === "paused"
        ? "waiting"
        : here && state.status === "failed"
          ? "failed"
          : here && busy
            ? state.status === "running"
              ? "running"
              : "waiting"
            : visits > 0
              ? "done"
              : "idle";
    const notes: string[] = [];
    if (here && state.at && (busy || state.status === "paused")) {
      if (state.at.item) notes.push(`${state.at.item.number} of ${state.at.item.count}`);
      if (state.at.attempt > 1) notes.push(`attempt ${state.at.attempt}`);
      if (state.at.waitsFor)
        notes.push(state.at.waitsFor === "refinement" ? "waits for you" : "in doubt");
    }
    const used = state.usage.bySocket[id]?.tokens.total;
    if (!notes.length && used) notes.push(`${tokens(used)} tokens`);
    marks[id] = { state: now, visits, ...(notes.length ? { note: notes.join(" · ") } : {}) };
  }
  return marks;
}

function Steering({ id, status, state }: { id: string; status: string; state: CastState | null }) {
  const [busy, setBusy] = useState(false);
  const ask = async (wish: string, done: string) => {
    setBusy(true);
    try {
      await call("POST", `/casts/${encodeURIComponent(id)}/${wish}`, {
        text: null,
        agentScript: scriptOf(id),
      });
      say(done);
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  const [raising, setRaising] = useState(false);
  const open = status === "running" || status === "paused" || status === "interrupted";
  return (
    <div className="row">
      {status === "interrupted" && (
        <button
          type="button"
          className="btn primary"
          disabled={busy}
          onClick={() => void ask("resume", "it goes on")}
        >
          <Icon name="play" size={16} />
          Resume
        </button>
      )}
      {status === "paused" && state?.at?.waitsFor === "interrupted" && (
        <button
          type="button"
          className="btn primary"
          disabled={busy}
          onClick={() => void ask("continue", "it runs again")}
        >
          <Icon name="play" size={16} />
          Run it again
        </button>
      )}
      {(status === "failed" || status === "aborted") && (
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => void ask("recast", "it goes on where it failed")}
        >
          Recast
        </button>
      )}
      {status === "failed" && (
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => void ask("revive", "it has more tries")}
        >
          Revive
        </button>
      )}
      <button type="button" className="btn quiet" onClick={() => setRaising(true)}>
        Budget…
      </button>
      {raising && <BudgetDialog id={id} onClose={() => setRaising(false)} />}
      {open && (
        <button
          type="button"
          className="btn danger"
          disabled={busy}
          onClick={() => void ask("abort", "the cast is ended")}
        >
          <Icon name="stop" size={16} />
          Abort
        </button>
      )}
    </div>
  );
}

function BudgetDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [limits, setLimits] = useState<Record<string, string>>({});
  const raise = async () => {
    const value = (name: string) => (limits[name] ? Number(limits[name]) : null);
    try {
      await call("POST", `/casts/${encodeURIComponent(id)}/budget`, {
        maxTokens: value("maxTokens"),
        maxCostUsd: value("maxCostUsd"),
        maxTurns: value("maxTurns"),
        maxMinutes: value("maxMinutes"),
      });
      say("the budget is changed");
      onClose();
    } catch (error) {
      complain(error);
    }
  };
  const field = (name: string, label: string) => (
    <Field label={label}>
      <input
        className="input"
        type="number"
        min={0}
        placeholder="as it is"
        value={limits[name] ?? ""}
        onChange={(event) => setLimits({ ...limits, [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <Dialog
      title="What this cast may spend"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={!Object.values(limits).some(Boolean)}
            onClick={() => void raise()}
          >
            Change
          </button>
        </>
      }
    >
      <div className="cols2">
        {field("maxTokens", "Tokens")}
        {field("maxCostUsd", "US dollars")}
        {field("maxTurns", "Turns")}
        {field("maxMinutes", "Minutes")}
      </div>
    </Dialog>
  );
}

function Meters({
  state,
  budget,
  running,
  spent,
}: {
  state: CastState | null;
  budget: Record<string, number>;
  running: boolean;
  spent: { total: number; cost: number } | null;
}) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  const end = running ? now : state?.updatedAt ? Date.parse(state.updatedAt) : now;
  const elapsed = state?.startedAt ? end - Date.parse(state.startedAt) : 0;
  // What the turn that is running used so far is not in the log yet.
  const used = (state?.usage.tokens.total ?? 0) + (spent?.total ?? 0);
  const cost = (state?.usage.cost.total ?? 0) + (spent?.cost ?? 0);
  const limit = (name: string) => Number(state?.raised?.[name] ?? budget[name] ?? 0);
  const all: [string, string, number, string][] = [
    [
      "Tokens",
      tokens(used),
      limit("maxTokens") ? used / limit("maxTokens") : -1,
      limit("maxTokens") ? `of ${tokens(limit("maxTokens"))}` : "",
    ],
    [
      "Cost",
      money(cost),
      limit("maxCostUsd") ? cost / limit("maxCostUsd") : -1,
      limit("maxCostUsd") ? `of ${money(limit("maxCostUsd"))}` : "",
    ],
    [
      "Turns",
      String(state?.usage.turns ?? 0),
      limit("maxTurns") ? (state?.usage.turns ?? 0) / limit("maxTurns") : -1,
      limit("maxTurns") ? `of ${limit("maxTurns")}` : "",
    ],
    [
      "Elapsed",
      span(elapsed),
      limit("maxMinutes") ? elapsed / 60000 / limit("maxMinutes") : -1,
      limit("maxMinutes") ? `of ${limit("maxMinutes")} min` : "",
    ],
  ];
  const item = state?.at?.item;
  return (
    <dl className="meters">
      {all.map(([name, value, share, of]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> <span className="muted">{of}</span>
            {share >= 0 && (
              <meter
                min={0}
                max={1}
                low={0.75}
                high={0.95}
                optimum={0}
                value={Math.min(1, share)}
                aria-label={`${name} used`}
              >
                {Math.round(share * 100)}%
              </meter>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>Item</dt>
        <dd>
          {item ? (
            <>
              <strong>
                {item.number} of {item.count}
              </strong>{" "}
              <span className="muted ellipsis">{item.label}</span>
            </>
          ) : (
            <span className="muted">none</span>
          )}
        </dd>
      </div>
    </dl>
  );
}

function Conversation({ id, state, waits }: { id: string; state: CastState; waits: boolean }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (said: string | null) => {
    setBusy(true);
    try {
      await call("POST", `/casts/${encodeURIComponent(id)}/continue`, {
        text: said,
        agentScript: scriptOf(id),
      });
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
        {state.conversation.map(([who, said], at) => (
          <li key={at} className={who}>
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

/** Everything that was sent back, and why. */
function Rework({ events, onOpen }: { events: Told[]; onOpen: (file: string) => void }) {
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

function Timeline({
  events,
  dropped,
  onOpen,
}: {
  events: Told[];
  dropped: number;
  onOpen: (file: string) => void;
}) {
  const [most, setMost] = useState(PAGE);
  // A way that says nothing new is in the picture.
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
  useEffect(() => {
    if (sticky.current) {
      const box = end.current?.closest(".side");
      if (box) box.scrollTop = box.scrollHeight;
    }
  }, [shown.length]);
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
          const [what, about, file] = TELLING[one.type]!(one.data);
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

function Steps({
  id,
  steps,
  onOpen,
}: {
  id: string;
  steps: Step[];
  onOpen: (file: string) => void;
}) {
  const fork = async (at: number) => {
    try {
      const script = scriptOf(id);
      const made = await call<{ castId: string }>("POST", `/casts/${encodeURIComponent(id)}/fork`, {
        at: String(at),
        agentScript: script,
      });
      if (script) localStorage.setItem(`script:${made.castId}`, script);
      say(`forked behind step ${at}`);
      go(path("casts", made.castId));
    } catch (error) {
      complain(error);
    }
  };
  const tone: Record<string, string> = {
    done: "good",
    failed: "bad",
    waiting: "warn",
    interrupted: "warn",
    running: "info",
  };
  return (
    <ol className="steps">
      {steps.map((one) => (
        <li key={one.step}>
          <div className="row">
            <span className="muted mono">{one.step}</span>
            <strong className="grow">
              {one.materia}
              {one.visit > 1 && <span className="muted"> · visit {one.visit}</span>}
            </strong>
            <span className={`badge ${tone[one.outcome] ?? ""}`}>
              {one.satisfied === false ? "not satisfied" : one.outcome}
            </span>
          </div>
          <p className="muted">
            {[
              one.itemLabel ?? one.itemKey,
              one.durationMs === null ? null : span(one.durationMs),
              one.usage.total ? `${tokens(one.usage.total)} tokens` : null,
              one.attempts > 1 ? `${one.attempts} attempts` : null,
            ]
              .filter(Boolean)
              .join(" · ")}{" "}
            {one.artifact && (
              <button type="button" className="link" onClick={() => onOpen(one.artifact!)}>
                output
              </button>
            )}
            {one.outcome === "done" && (
              <>
                {" "}
                <button
                  type="button"
                  className="link"
                  aria-label={`Fork behind step ${one.step}`}
                  onClick={() => void fork(one.step)}
                >
                  fork
                </button>
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}

function Files({
  files,
  onOpen,
}: {
  files: { path: string; bytes: number }[];
  onOpen: (file: string) => void;
}) {
  const groups = new Map<string, typeof files>();
  for (const file of files) {
    const group = file.path.startsWith("sockets/") ? file.path.split("/")[1]! : "The cast";
    groups.set(group, [...(groups.get(group) ?? []), file]);
  }
  return (
    <div className="stack tight">
      {[...groups].map(([group, all]) => (
        <details key={group} open={groups.size < 4}>
          <summary>
            {group} <span className="muted">{all.length}</span>
          </summary>
          <ul className="files">
            {all.map((file) => (
              <li key={file.path}>
                <button type="button" className="link mono" onClick={() => onOpen(file.path)}>
                  {file.path
                    .split("/")
                    .slice(file.path.startsWith("sockets/") ? 2 : 0)
                    .join("/")}
                </button>
                <span className="muted">
                  {file.bytes < 1024 ? `${file.bytes} B` : `${Math.round(file.bytes / 1024)} KB`}
                </span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

function ArtifactDialog({ id, file, onClose }: { id: string; file: string; onClose: () => void }) {
  const [read, setRead] = useState<Artifact | null>(null);
  const [raw, setRaw] = useState(false);
  useEffect(() => {
    call<Artifact>(
      "GET",
      `/casts/${encodeURIComponent(id)}/artifact?path=${encodeURIComponent(file)}`,
    ).then(setRead, (error) => {
      complain(error);
      onClose();
    });
  }, [id, file]);
  const pretty = read ? prettyOf(file, read.text) : null;
  return (
    <Dialog
      wide
      title={file}
      onClose={onClose}
      footer={
        <button type="button" className="btn" onClick={onClose}>
          Close
        </button>
      }
    >
      {pretty && (
        <Tabs
          label="How it is shown"
          value={raw ? "raw" : "read"}
          onChange={(value) => setRaw(value === "raw")}
          options={
            [
              ["read", "Rendered"],
              ["raw", "As it is"],
            ] as const
          }
        />
      )}
      {read &&
        (pretty && !raw ? (
          pretty
        ) : (
          <pre className="output tall" tabIndex={0}>
            {read.text}
          </pre>
        ))}
      {read?.cut && (
        <p className="hint">Only the beginning is shown; the file has {read.bytes} bytes.</p>
      )}
    </Dialog>
  );
}

function prettyOf(file: string, text: string) {
  if (/\.activity\.jsonl$/.test(file)) {
    const lines = text.split("\n").flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
    return (
      <div className="card">
        <Blocks blocks={act(null, { path: file, to: 1, lines }).blocks} />
      </div>
    );
  }
  if (/\.json$/.test(file)) {
    try {
      return (
        <pre className="output tall" tabIndex={0}>
          {JSON.stringify(JSON.parse(text), null, 2)}
        </pre>
      );
    } catch {
      return null;
    }
  }
  return /\.md$/.test(file) ? (
    <div className="card">
      <Markdown text={text} />
    </div>
  ) : null;
}
