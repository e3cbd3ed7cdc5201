// One run: what it writes as it writes it, what is said, who is in its room, which processes it has; talking to it and
// ending it.
import { useLayoutEffect, useRef, useState } from "react";
import { call } from "../api";
import { moment, span } from "../casts/words";
import { connection, watchedRun, type Flow, type Message } from "../live";
import { path } from "../router";
import { useStore } from "../store";
import type { RunView } from "../types";
import { Check, Dialog, Empty, Tabs } from "../ui/parts";
import { Icon } from "../ui/icons";
import { complain, say } from "../ui/toasts";
import { Mail, Members, Send, Talk, type Member, type Queued } from "./Talk";
import { RunBadge, alive } from "./Page";

type Status = {
  status?: string;
  recipe?: string | null;
  tool?: string | null;
  pid?: number | null;
  session?: string | null;
  parent?: string | null;
  cwd?: string;
  stateDir?: string;
  generation?: string;
  generations?: number;
  startedAt?: string | null;
  endedAt?: string | null;
  code?: number | null;
  error?: string | null;
  evidence?: string | null;
  values?: Record<string, unknown>;
  cast?: { id: string; status?: string };
  children?: Record<string, string | null>;
  active?: number;
  completed?: number;
  failures?: number;
};
const VIEWS = [
  ["output", "Output"],
  ["messages", "Messages"],
  ["room", "Room"],
  ["processes", "Processes"],
  ["about", "About"],
] as const;

export function RunScreen({ id }: { id: string }) {
  const live = useStore(watchedRun);
  const link = useStore(connection);
  const shown = live?.id === id ? live : null;
  const view = shown?.view ?? null;
  const [tab, setTab] = useState<(typeof VIEWS)[number][0]>("output");
  const [ending, setEnding] = useState(false);
  const about = (view?.status ?? {}) as Status;
  const status = about.status ?? "";
  const room = (view?.room.messages ?? []) as Message[];
  const members = (view?.roster.members ?? []) as Member[];
  return (
    <section className="editor" aria-label={`Run ${id}`}>
      <header className="head">
        <div className="grow">
          <h1 className="clamp mono">{id}</h1>
          <p className="row">
            <RunBadge status={status} />
            <span className="ellipsis">{about.tool ?? about.recipe ?? ""}</span>
            {about.cast && <a href={path("casts", about.cast.id)}>cast {about.cast.id}</a>}
            {link === "lost" && <span className="badge bad">connection lost, trying again</span>}
          </p>
        </div>
        <button
          type="button"
          className="btn danger"
          disabled={!alive(status)}
          onClick={() => setEnding(true)}
        >
          <Icon name="stop" size={16} />
          Kill
        </button>
        <Tabs label="What is shown" value={tab} onChange={setTab} options={VIEWS} />
      </header>
      <div className="page run-page" tabIndex={0} role="region" aria-label="Run">
        {tab === "output" && (
          <Outputs stdout={shown?.stdout} stderr={shown?.stderr} living={alive(status)} />
        )}
        {tab === "messages" && view && (
          <div className="talk-cols">
            <div className="stack">
              <h2>Sent to it</h2>
              <Mail all={(view.mailbox.messages ?? []) as Queued[]} />
              <h2>Said by it</h2>
              <Talk
                all={(view.messages.messages ?? []) as Message[]}
                empty="It has said nothing to its coordinator."
              />
            </div>
            <Send to={`run:${id}`} label="Send it a message" disabled={!alive(status)} />
          </div>
        )}
        {tab === "room" && view && (
          <div className="talk-cols">
            <div className="stack">
              <h2>In the room</h2>
              <Members all={members} />
              <h2>What was said</h2>
              <Talk all={room} empty="Nobody has said anything in its room." />
            </div>
            <Send
              to={`room:${id}`}
              from={`branch:${id}/operator`}
              label="Say something in the room"
              disabled={!alive(status)}
            />
          </div>
        )}
        {tab === "processes" && view && <Processes all={view.processes} living={alive(status)} />}
        {tab === "about" && view && <About about={about} view={view} />}
      </div>
      {ending && (
        <KillDialog id={id} count={view?.processes.length ?? 0} onClose={() => setEnding(false)} />
      )}
    </section>
  );
}

function KillDialog({ id, count, onClose }: { id: string; count: number; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    try {
      await call("POST", "/message", { to: `run:${id}`, type: "control.kill", body: null });
      say("it is being ended, with everything it started");
    } catch (error) {
      complain(error);
    }
    onClose();
  };
  return (
    <Dialog
      title={`Kill ${id}?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Let it run
          </button>
          <button
            type="button"
            className="btn danger"
            disabled={busy}
            autoFocus
            onClick={() => void end()}
          >
            <Icon name="stop" size={16} />
            Kill it
          </button>
        </>
      }
    >
      <p>
        It is asked to end, and what is left after a moment is killed:{" "}
        {count > 1 ? `all ${count} processes of it` : "everything that it started"}. What it wrote
        stays.
      </p>
    </Dialog>
  );
}

const NOTHING: Flow = { text: "", from: 0, to: 0 };

function Outputs({
  stdout = NOTHING,
  stderr = NOTHING,
  living,
}: {
  stdout: Flow | undefined;
  stderr: Flow | undefined;
  living: boolean;
}) {
  const [follow, setFollow] = useState(true);
  return (
    <div className="outputs">
      <div className="row">
        <h2 className="grow">What it writes</h2>
        <Check label="Follow" checked={follow} onChange={setFollow} />
      </div>
      <Output name="stdout" flow={stdout} follow={follow} living={living} onFollow={setFollow} />
      <Output name="stderr" flow={stderr} follow={follow} living={living} onFollow={setFollow} />
    </div>
  );
}

function Output({
  name,
  flow,
  follow,
  living,
  onFollow,
}: {
  name: string;
  flow: Flow;
  follow: boolean;
  living: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [flow, follow]);
  const size = flow.to < 1024 ? `${flow.to} B` : `${Math.round(flow.to / 1024)} KB`;
  return (
    <section className="flow">
      <h3>
        {name} <span className="muted">{size}</span>
      </h3>
      <pre
        ref={box}
        className="output"
        tabIndex={0}
        aria-label={name}
        onWheel={(event) => {
          if (event.deltaY < 0) onFollow(false);
        }}
      >
        {flow.from > 0 && <span className="muted">… the beginning is in the file{"\n"}</span>}
        {flow.text || <span className="muted">{living ? "nothing yet" : "nothing"}</span>}
      </pre>
    </section>
  );
}

function Processes({ all, living }: { all: RunView["processes"]; living: boolean }) {
  if (all.length === 0)
    return (
      <Empty title={living ? "No process to be seen" : "Nothing of it runs"}>
        <p>
          {living
            ? "Its supervisor has not started anything yet."
            : "The run is over, and it left nothing behind."}
        </p>
      </Empty>
    );
  return (
    <div className="stack">
      <h2>Processes</h2>
      <ul className="tree" aria-label="Processes">
        {all.map((one) => (
          <li key={one.pid} className={`deep${Math.min(8, one.depth)}`}>
            <span className="muted mono">{one.pid}</span> <code>{one.command}</code>
            {one.depth === 0 && <span className="badge">supervisor</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function About({ about, view }: { about: Status; view: RunView }) {
  const took =
    about.startedAt && about.endedAt
      ? span(Date.parse(about.endedAt) - Date.parse(about.startedAt))
      : null;
  const rows: [string, React.ReactNode][] = [
    ["Began", moment(about.startedAt ?? null)],
    ["Ended", about.endedAt ? `${moment(about.endedAt)}, after ${took}` : null],
    ["Exit code", about.code ?? null],
    ["What went wrong", about.error],
    ["How we know", about.evidence],
    [
      "Commands",
      `${about.active ?? 0} running, ${about.completed ?? 0} over, ${about.failures ?? 0} failed`,
    ],
    [
      "Spawned inside",
      about.parent ? <a href={path("actors", about.parent)}>{about.parent}</a> : null,
    ],
    [
      "Spawned",
      Object.keys(about.children ?? {}).length ? (
        <span className="row">
          {Object.entries(about.children ?? {}).map(([run, status]) => (
            <a key={run} href={path("actors", run)}>
              {run}
              {status ? ` (${status})` : ""}
            </a>
          ))}
        </span>
      ) : null,
    ],
    ["Session", about.session],
    ["Directory", <code key="cwd">{about.cwd}</code>],
    ["Kept in", <code key="dir">{about.stateDir}</code>],
    ["Start", `number ${about.generations ?? 1}, ${about.generation ?? ""}`],
    [
      "Values",
      Object.keys(about.values ?? {}).length ? (
        <pre key="values" className="output" tabIndex={0}>
          {JSON.stringify(about.values, null, 2)}
        </pre>
      ) : null,
    ],
  ];
  return (
    <div className="stack">
      <dl className="facts">
        {rows
          .filter(([, value]) => value !== null && value !== undefined && value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <details>
        <summary>All of it, as JSON</summary>
        <pre className="output" tabIndex={0}>
          {JSON.stringify(view.status, null, 2)}
        </pre>
      </details>
    </div>
  );
}
