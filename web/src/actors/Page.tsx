// Runs: the live ones as a tree of parents and children, and the selected run or the library.
import { useMemo, useState } from "react";
import { moment } from "../casts/words";
import { runs as runStore } from "../live";
import { path } from "../router";
import { useStore } from "../store";
import type { RunListItem } from "../types";
import { Empty, useInView } from "../ui/parts";
import { LibraryScreen } from "./Library";
import { RunScreen } from "./Run";

const TONE: Record<string, string> = {
  starting: "info",
  running: "info",
  done: "good",
  failed: "bad",
  cancelled: "",
  killed: "warn",
  exited: "warn",
};
export const alive = (status: string) => status === "running" || status === "starting";

export function RunBadge({ status }: { status: string }) {
  return (
    <span className={`badge ${TONE[status] ?? ""}`}>
      {alive(status) && <span className="pulse" aria-hidden="true" />}
      {status || "…"}
    </span>
  );
}

export function ActorsPage({ id }: { id: string | undefined }) {
  const inventory = useStore(runStore);
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState(false);
  useInView(inventory ? id : undefined);
  const words = search.toLowerCase();
  const runs = useMemo(
    () =>
      nested(
        (inventory?.runs ?? []).filter(
          (one) =>
            (!only || alive(one.status)) &&
            `${one.run} ${one.recipe ?? ""} ${one.tool ?? ""} ${one.status} ${one.session ?? ""}`
              .toLowerCase()
              .includes(words),
        ),
      ),
    [inventory, words, only],
  );
  const living = (inventory?.runs ?? []).filter((one) => alive(one.status)).length;
  return (
    <div className={id ? "split casts one" : "split casts"}>
      <aside className="side" aria-label="Runs">
        <div className="row">
          <h2 className="grow">Runs</h2>
          <a
            className="btn small"
            href={path("actors", "@library")}
            aria-current={id === "@library" ? "page" : undefined}
          >
            Recipes and tools
          </a>
        </div>
        <input
          className="input"
          type="search"
          placeholder="Find a run"
          aria-label="Find a run"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="check pad">
          <input
            type="checkbox"
            checked={only}
            onChange={(event) => setOnly(event.target.checked)}
          />
          Only those alive <span className="muted">{living}</span>
        </label>
        <ul className="list" aria-busy={inventory === null}>
          {runs.slice(0, 500).map(([one, depth]) => (
            <li key={one.run} className={`depth${Math.min(3, depth)}`}>
              <a href={path("actors", one.run)} aria-current={one.run === id ? "true" : undefined}>
                <span className="list-name clamp mono">{one.run}</span>
                <span className="row">
                  <RunBadge status={one.status} />
                  <span className="muted small ellipsis">{one.tool ?? one.recipe ?? ""}</span>
                  <span className="muted small end">{moment(one.startedAt ?? null)}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {inventory !== null && runs.length === 0 && (
          <p className="muted pad">{search || only ? "No run like that." : "No runs yet."}</p>
        )}
      </aside>
      {id === "@library" ? (
        <LibraryScreen />
      ) : id ? (
        <RunScreen key={id} id={id} />
      ) : (
        <Empty first title="Pick a run">
          <p>
            A run is a command, a recipe or a cast that goes on by itself. Agents and people spawn
            them, message them and look at them.
          </p>
          <p>
            <code>materia spawn --template "make test"</code>
          </p>
        </Empty>
      )}
    </div>
  );
}

/** Runs, each followed by the runs that it spawned. */
function nested(runs: RunListItem[]): [RunListItem, number][] {
  const newest = [...runs].sort((a, b) => (b.startedAt ?? "").localeCompare(a.startedAt ?? ""));
  const known = new Set(runs.map((one) => one.run));
  const below = new Map<string, RunListItem[]>();
  for (const one of newest)
    if (one.parent && one.parent !== one.run)
      below.set(one.parent, [...(below.get(one.parent) ?? []), one]);
  const out: [RunListItem, number][] = [];
  const add = (one: RunListItem, depth: number) => {
    out.push([one, depth]);
    if (depth < 8) for (const child of below.get(one.run) ?? []) add(child, depth + 1);
  };
  for (const one of newest)
    if (!one.parent || one.parent === one.run || !known.has(one.parent)) add(one, 0);
  return out;
}
