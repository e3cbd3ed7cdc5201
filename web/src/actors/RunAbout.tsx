// The details of a run.
import { moment, span } from "../casts/words";
import { path } from "../router";
import type { RunProcess, RunStatusReport } from "../types";
import { Empty, Output } from "../ui/parts";

export function Processes({ all, living }: { all: RunProcess[]; living: boolean }) {
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

export function About({ about }: { about: RunStatusReport }) {
  const took =
    about.startedAt && about.endedAt
      ? span(Date.parse(about.endedAt) - Date.parse(about.startedAt))
      : null;
  const rows: [string, React.ReactNode][] = [
    ["Began", moment(about.startedAt)],
    ["Ended", about.endedAt ? `${moment(about.endedAt)}, after ${took}` : null],
    ["Exit code", about.code],
    ["What went wrong", about.error],
    ["How we know", about.evidence],
    ["Commands", `${about.active} running, ${about.completed} over, ${about.failures} failed`],
    [
      "Spawned inside",
      about.parent ? (
        <a key="parent" href={path("actors", about.parent)}>
          {about.parent}
        </a>
      ) : null,
    ],
    [
      "Spawned",
      Object.keys(about.children).length ? (
        <span key="children" className="row">
          {Object.entries(about.children).map(([run, status]) => (
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
    ["Start", `number ${about.generations}, ${about.generation}`],
    [
      "Values",
      Object.keys(about.values).length ? (
        <Output key="values" className="output">
          {JSON.stringify(about.values, null, 2)}
        </Output>
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
        <Output className="output">{JSON.stringify(about, null, 2)}</Output>
      </details>
    </div>
  );
}
