// One cast: its graph, its agent, and its events.
import { useCallback, useEffect, useMemo, useState } from "react";
import { connection, watched } from "../live";
import { Graph } from "../loadout/Graph";
import { lookOf } from "../loadout/look";
import { NOTHING, type Selection } from "../loadout/selection";
import { useStore } from "../store";
import type { CastEventRecord, CastListItem } from "../types";
import { Tabs } from "../ui/parts";
import { Conversation, Rework } from "./Conversation";
import { ArtifactDialog, Files } from "./Files";
import { Meters } from "./Meters";
import { markAll } from "./marks";
import { StatusBadge } from "./StatusBadge";
import { Steering } from "./Steering";
import { Steps } from "./Steps";
import { Timeline } from "./Timeline";
import { lastTurn, TurnPane } from "./Turn";
import { type CastDefinition, useCastDetail } from "./useCastDetail";

const NO_EVENTS: CastEventRecord[] = [];

export function CastScreen({ id, listed }: { id: string; listed: CastListItem | undefined }) {
  const live = useStore(watched);
  const link = useStore(connection);
  const [tab, setTab] = useState<"timeline" | "steps" | "artifacts" | "rework" | "talk">(
    "timeline",
  );
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [open, setOpen] = useState<string | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const state = live?.id === id ? live.state : null;
  const events = live?.id === id ? live.events : NO_EVENTS;
  const status = state?.status ?? listed?.status ?? "";
  const view = useCastDetail(id, events, status);
  const definition = view?.definition as CastDefinition | undefined;
  const materia = definition?.materia;
  const [name, doc] = Object.entries(definition?.loadouts ?? {})[0] ?? [null, null];
  const look = useCallback((one: string) => lookOf(materia?.[one], one), [materia]);
  const marks = useMemo(() => (state && doc ? markAll(doc, state) : undefined), [state, doc]);
  const chosen = selection.sockets[0];
  const running = useMemo(() => lastTurn(events), [events]);
  const turn = live?.id === id ? live.turn : null;
  const busy = status === "running" && running !== null && running.ended === null;
  const talks = Object.values(doc?.sockets ?? {}).some((one) => materia?.[one.materia]?.multiTurn);
  const asked = status === "paused" && state?.at?.waitsFor === "refinement";
  useEffect(() => {
    if (asked) setTab("talk");
  }, [asked]);
  const reworked = useMemo(
    () => events.filter((one) => one.type === "socket_route" && one.data.rework),
    [events],
  );
  const hasAgents = Object.values(doc?.sockets ?? {}).some(
    (one) => materia?.[one.materia]?.type !== "utility",
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
        budget={definition?.budget ?? {}}
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
      {open && <ArtifactDialog id={id} file={open} onClose={close} />}
    </section>
  );
}
