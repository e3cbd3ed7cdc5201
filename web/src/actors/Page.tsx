// Runs: what is alive, what it writes, what is said; ending one and talking to it. And the shelf of recipes and tools.
import { useCallback, useMemo, useState } from "react";
import { call } from "../api";
import { moment } from "../casts/words";
import { path } from "../router";
import type { Issue, RunView } from "../types";
import { Empty, Field, Issues, Tabs } from "../ui/parts";
import { Icon } from "../ui/icons";
import { usePolled } from "../ui/poll";
import { complain, say } from "../ui/toasts";

type Run = { run: string; status: string; session?: string; parent?: string; recipe?: string; tool?: string; code?: number; startedAt?: string; endedAt?: string };
type Inventory = { root: string; runs: Run[]; broken: Record<string, string> | [string, string][] };
const TONE: Record<string, string> = { starting: "info", running: "info", done: "good", failed: "bad", cancelled: "", killed: "warn", exited: "warn" };
const alive = (status: string) => status === "running" || status === "starting";

export function ActorsPage({ id }: { id: string | undefined }) {
  const ask = useCallback(() => call<Inventory>("GET", "/actors"), []);
  const [inventory] = usePolled(ask);
  const [search, setSearch] = useState("");
  const runs = useMemo(() => nested((inventory?.runs ?? []).filter((one) => `${one.run} ${one.recipe ?? ""} ${one.tool ?? ""} ${one.status} ${one.session ?? ""}`.toLowerCase().includes(search.toLowerCase()))), [inventory, search]);
  return (
    <div className="split casts">
      <aside className="side" aria-label="Runs">
        <div className="row"><h2 className="grow">Runs</h2><a className="btn small" href={path("actors", "@library")}>Recipes and tools</a></div>
        <input className="input" type="search" placeholder="Find a run" aria-label="Find a run" value={search} onChange={(event) => setSearch(event.target.value)} />
        <ul className="list" aria-busy={inventory === null}>
          {runs.map(([one, depth]) => (
            <li key={one.run} className={`depth${Math.min(3, depth)}`}>
              <a href={path("actors", one.run)} aria-current={one.run === id ? "true" : undefined}>
                <span className="list-name clamp mono">{one.run}</span>
                <span className="row"><span className={`badge ${TONE[one.status] ?? ""}`}>{alive(one.status) && <span className="pulse" aria-hidden="true" />}{one.status}</span><span className="muted small">{one.tool ?? one.recipe ?? ""}</span><span className="muted small end">{moment(one.startedAt ?? null)}</span></span>
              </a>
            </li>
          ))}
        </ul>
        {inventory !== null && runs.length === 0 && <p className="muted pad">{search ? "No run like that." : "No runs yet."}</p>}
      </aside>
      {id === "@library" ? <Library /> : id ? <RunScreen key={id} id={id} /> : <Empty first title="Pick a run"><p>A run is a command, a recipe or a cast that goes on by itself. Agents and people spawn them, message them and look at them.</p><p><code>materia spawn --template "make test"</code></p></Empty>}
    </div>
  );
}

/** Runs with those that they spawned below them. */
function nested(runs: Run[]): [Run, number][] {
  const newest = [...runs].sort((a, b) => (b.startedAt ?? "").localeCompare(a.startedAt ?? ""));
  const known = new Set(runs.map((one) => one.run));
  const out: [Run, number][] = [];
  const add = (one: Run, depth: number) => { out.push([one, depth]); if (depth < 8) newest.filter((child) => child.parent === one.run && child.run !== one.run).forEach((child) => add(child, depth + 1)); };
  newest.filter((one) => !one.parent || !known.has(one.parent)).forEach((one) => add(one, 0));
  return out;
}

type Message = { id?: string; from?: string; to?: string; type?: string; kind?: string; body?: unknown; summary?: string; timestamp?: string; at?: string };

function RunScreen({ id }: { id: string }) {
  const ask = useCallback(() => call<RunView>("GET", `/actors/${encodeURIComponent(id)}`), [id]);
  const [view, again] = usePolled(ask, 1500);
  const [tab, setTab] = useState<"output" | "messages" | "room" | "about">("output");
  const status = String(view?.status.status ?? "");
  const tail = (view?.tail ?? {}) as { stdout?: string; stderr?: string };
  const end = async () => { try { await call("POST", "/message", { to: `run:${id}`, type: "control.kill", body: null }); say("it is being ended, with everything it started"); again(); } catch (error) { complain(error); } };
  return (
    <section className="editor" aria-label={`Run ${id}`}>
      <header className="head">
        <div className="grow"><h1 className="clamp mono">{id}</h1><p className="row"><span className={`badge ${TONE[status] ?? ""}`}>{status || "…"}</span><span className="ellipsis">{String(view?.status.recipe ?? view?.status.tool ?? "")}</span></p></div>
        <Tabs label="What is shown" value={tab} onChange={setTab} options={[["output", "Output"], ["messages", "Messages"], ["room", "Room"], ["about", "About"]] as const} />
        {alive(status) && <button type="button" className="btn danger" onClick={() => void end()}><Icon name="stop" size={16} />Kill</button>}
      </header>
      <div className="page" tabIndex={0} role="region" aria-label="Run">
        {tab === "output" && <div className="stack"><h2>stdout</h2><pre className="output tall" tabIndex={0} aria-label="stdout">{tail.stdout || "nothing yet"}</pre>{tail.stderr && <><h2>stderr</h2><pre className="output tall" tabIndex={0} aria-label="stderr">{tail.stderr}</pre></>}</div>}
        {tab === "messages" && <div className="stack"><Messages all={(view?.messages.messages ?? []) as Message[]} empty="It said nothing to its coordinator." />{alive(status) && <Send to={`run:${id}`} done={again} />}</div>}
        {tab === "room" && <div className="stack"><Members all={(view?.roster.members ?? []) as Record<string, unknown>[]} /><Messages all={(view?.room.messages ?? []) as Message[]} empty="Nobody said anything in its room." /></div>}
        {tab === "about" && <pre className="output" tabIndex={0}>{JSON.stringify(view?.status ?? {}, null, 2)}</pre>}
      </div>
    </section>
  );
}

function Members({ all }: { all: Record<string, unknown>[] }) {
  if (all.length === 0) return null;
  return <ul className="row" aria-label="Roster">{all.map((one, at) => <li key={at} className="badge">{String(one.name ?? one.address ?? one.actor ?? JSON.stringify(one))}</li>)}</ul>;
}

function Messages({ all, empty }: { all: Message[]; empty: string }) {
  if (all.length === 0) return <p className="muted">{empty}</p>;
  return <ol className="timeline wide">{all.map((one, at) => { const inner = (one as { message?: Message }).message ?? one; return <li key={inner.id ?? at}><time>{moment(inner.timestamp ?? inner.at ?? null)}</time><span><strong>{inner.type ?? inner.kind}</strong> <span className="muted">{[inner.from, inner.to].filter(Boolean).join(" → ")}</span><br />{inner.summary ?? (typeof inner.body === "string" ? inner.body : JSON.stringify(inner.body ?? ""))}</span></li>; })}</ol>;
}

function Send({ to, done }: { to: string; done: () => void }) {
  const [kind, setKind] = useState("chat.message");
  const [text, setText] = useState("");
  const send = async () => {
    let body: unknown = text;
    try { body = JSON.parse(text); } catch { /* it is text */ }
    try {
      const report = await call<{ delivered: boolean; queued: boolean; reason?: string }>("POST", "/message", { to, type: kind, body });
      say(report.delivered ? "delivered" : report.queued ? "kept until somebody reads it" : (report.reason ?? "sent"));
      setText("");
      done();
    } catch (error) { complain(error); }
  };
  return (
    <form className="card stack tight" onSubmit={(event) => { event.preventDefault(); void send(); }}>
      <div className="cols2"><Field label="Type"><input className="input mono" value={kind} onChange={(event) => setKind(event.target.value)} /></Field><Field label="To"><input className="input mono" value={to} readOnly /></Field></div>
      <Field label="Message" hint="JSON where it is JSON"><textarea className="input" value={text} onChange={(event) => setText(event.target.value)} /></Field>
      <div><button type="submit" className="btn primary" disabled={!kind}><Icon name="send" size={16} />Send</button></div>
    </form>
  );
}

type Shelf = { recipes: { root: string; recipes: { id: string; kind: string; state: string; description?: string; path?: string; tool?: boolean }[]; issues: Issue[] }; tools: { tools: { name: string; description: string; path: string; detached: boolean }[] }; doctor: { ok: boolean; topAction?: string; blocking: string[]; issues: Issue[] } };

function Library() {
  const ask = useCallback(() => call<Shelf>("GET", "/library"), []);
  const [shelf] = usePolled(ask, 5000);
  if (!shelf) return <div className="page" aria-busy="true" />;
  return (
    <section className="editor" aria-label="Recipes and tools">
      <header className="head"><div className="grow"><h1>Recipes and tools</h1><p>A recipe in <code>{shelf.recipes.root}</code> is a tool.</p></div><span className={shelf.doctor.ok ? "badge good" : "badge bad"}>{shelf.doctor.ok ? "all good" : "needs a look"}</span></header>
      <div className="page" tabIndex={0} role="region" aria-label="Recipes"><div className="stack">
        {shelf.doctor.topAction && <p className="issue warning">{shelf.doctor.topAction}</p>}
        <Issues issues={[...shelf.recipes.issues]} />
        <h2>Tools</h2>
        {shelf.tools.tools.length === 0 ? <p className="muted">None yet. <code>materia tool register NAME …</code> makes one.</p> : <table><thead><tr><th scope="col">Tool</th><th scope="col">What it does</th></tr></thead><tbody>{shelf.tools.tools.map((one) => <tr key={one.name}><th scope="row" className="mono">{one.name}</th><td>{one.description}</td></tr>)}</tbody></table>}
        <h2>Recipes</h2>
        <table><thead><tr><th scope="col">Recipe</th><th scope="col">From</th><th scope="col">State</th></tr></thead><tbody>{shelf.recipes.recipes.map((one, at) => <tr key={`${one.kind}:${one.id}:${at}`}><th scope="row" className="mono">{one.id}</th><td className="muted">{one.kind}</td><td><span className={`badge ${one.state === "active" ? "good" : one.state === "invalid" ? "bad" : ""}`}>{one.state}</span></td></tr>)}</tbody></table>
      </div></div>
    </section>
  );
}
