// Recipes and tools, what is wrong with them, and registering a tool.
import { useMemo, useState } from "react";
import { type ApiError, call } from "../api";
import { shelf as shelfStore } from "../live";
import { useStore } from "../store";
import type { Issue, ToolRequest } from "../types";
import { Check, Dialog, Empty, Field, Issues } from "../ui/parts";
import { Icon } from "../ui/icons";
import { complain, say } from "../ui/toasts";

type Recipe = {
  id: string;
  kind: string;
  source: string;
  state: string;
  description?: string | null;
  path: string;
  tool?: boolean;
  risks?: string[];
  issues?: Issue[];
};
type Tool = {
  name: string;
  description: string;
  path: string;
  async: boolean;
  inputSchema: {
    properties?: Record<string, { type?: string; default?: unknown }>;
    required?: string[];
  };
};
type Remedy = { id: string; kind: string; path: string; reason: string; action: string };
type Shelf = {
  recipes: { root: string; recipes: Recipe[]; issues: Issue[] };
  tools: { tools: Tool[] };
  doctor: { ok: boolean; counts: Record<string, number>; remediations: Remedy[]; issues: Issue[] };
};

export function LibraryScreen() {
  const shelf = useStore(shelfStore) as Shelf | null;
  const [form, setForm] = useState<ToolRequest | null>(null);
  const [search, setSearch] = useState("");
  const shown = useMemo(
    () =>
      (shelf?.recipes.recipes ?? []).filter((one) =>
        `${one.id} ${one.kind} ${one.description ?? ""} ${one.state}`
          .toLowerCase()
          .includes(search.toLowerCase()),
      ),
    [shelf, search],
  );
  const edit = async (tool: Tool) => {
    try {
      const { written } = await call<{
        written: { template?: unknown; args?: unknown; description?: string };
      }>("GET", `/tools/${encodeURIComponent(tool.name)}`);
      const template =
        typeof written.template === "string"
          ? written.template
          : JSON.stringify(written.template, null, 2);
      setForm({
        name: tool.name,
        template,
        description: written.description ?? tool.description,
        args: Array.isArray(written.args) ? written.args.map(String) : [],
        detached: tool.async,
        update: true,
      });
    } catch (error) {
      complain(error);
    }
  };
  const remove = async (tool: Tool) => {
    try {
      const done = await call<{ warnings: string[] }>(
        "POST",
        `/tools/${encodeURIComponent(tool.name)}/remove`,
        {},
      );
      say([`${tool.name} is no tool any more`, ...done.warnings].join("; "));
    } catch (error) {
      complain(error);
    }
  };
  if (!shelf) return <Empty first title="Looking at the shelf…" />;
  const { doctor, tools } = shelf;
  return (
    <section className="editor" aria-label="Recipes and tools">
      <header className="head">
        <div className="grow">
          <h1>Recipes and tools</h1>
          <p className="ellipsis">
            A recipe in <code>{shelf.recipes.root}</code> is a tool.
          </p>
        </div>
        <span className={doctor.ok ? "badge good" : "badge bad"}>
          {doctor.ok ? "all good" : "needs a look"}
        </span>
        <button
          type="button"
          className="btn primary"
          onClick={() =>
            setForm({
              name: "",
              template: "",
              description: "",
              args: [],
              detached: false,
              update: false,
            })
          }
        >
          <Icon name="plus" size={16} />
          Register a tool
        </button>
      </header>
      <div className="page" tabIndex={0} role="region" aria-label="Recipes">
        <div className="stack wide-stack">
          <Issues issues={[...shelf.recipes.issues]} />
          {doctor.remediations.length > 0 && (
            <details className="card" open={!doctor.ok}>
              <summary>
                What the doctor says <span className="badge">{doctor.remediations.length}</span>
              </summary>
              <ul className="stack tight" aria-label="Remedies">
                {doctor.remediations.map((one, at) => (
                  <li
                    key={at}
                    className={`issue ${/invalid/.test(one.kind) ? "error" : "warning"}`}
                  >
                    <span>
                      <code>{one.id}</code> {one.reason}
                    </span>
                    <span className="hint">{one.action}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          <h2>Tools</h2>
          {tools.tools.length === 0 ? (
            <p className="muted">None yet. A tool is a command that agents can call by name.</p>
          ) : (
            <table className="cells">
              <thead>
                <tr>
                  <th scope="col">Tool</th>
                  <th scope="col">What it does</th>
                  <th scope="col">Takes</th>
                  <th scope="col">
                    <span className="sr">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {tools.tools.map((one) => (
                  <tr key={one.name}>
                    <th scope="row" className="mono">
                      {one.name}
                      {one.async && <span className="badge">detached</span>}
                    </th>
                    <td>{one.description}</td>
                    <td className="mono muted">
                      {Object.keys(one.inputSchema.properties ?? {})
                        .map((name) =>
                          one.inputSchema.required?.includes(name) ? name : `${name}?`,
                        )
                        .join(" ")}
                    </td>
                    <td>
                      <span className="row tight end">
                        <button
                          type="button"
                          className="btn small"
                          aria-label={`Change ${one.name}`}
                          onClick={() => void edit(one)}
                        >
                          Change
                        </button>
                        <button
                          type="button"
                          className="btn quiet small icon"
                          aria-label={`Remove ${one.name}`}
                          onClick={() => void remove(one)}
                        >
                          <Icon name="trash" size={14} />
                        </button>
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <div className="row">
            <h2 className="grow">Recipes</h2>
            <input
              className="input fit"
              type="search"
              aria-label="Find a recipe"
              placeholder="Find a recipe"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </div>
          <table className="cells">
            <thead>
              <tr>
                <th scope="col">Recipe</th>
                <th scope="col">What it does</th>
                <th scope="col">From</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one, at) => (
                <tr key={`${one.path}:${at}`}>
                  <th scope="row" className="mono">
                    {one.id}
                  </th>
                  <td>
                    {one.description ?? ""}
                    {one.issues?.[0] && <p className="hint">{one.issues[0].message}</p>}
                  </td>
                  <td className="muted fits">{one.source}</td>
                  <td className="fits">
                    <span
                      className={`badge ${one.state === "active" ? "good" : one.state === "invalid" ? "bad" : ""}`}
                    >
                      {one.state}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {form && <ToolForm first={form} onClose={() => setForm(null)} />}
    </section>
  );
}

/** The names that a template asks for. */
function asked(template: string): string[] {
  const found = [...template.matchAll(/(?<!\\)\{([A-Za-z_][A-Za-z0-9_-]*)[}:=?]/g)].map(
    (one) => one[1]!,
  );
  return [...new Set(found)].filter((name) => !["index", "prev", "next", "repeat"].includes(name));
}

function ToolForm({ first, onClose }: { first: ToolRequest; onClose: () => void }) {
  const [form, setForm] = useState(first);
  const [args, setArgs] = useState(first.args.join("\n"));
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<ToolRequest>) => setForm({ ...form, ...part });
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const done = await call<{
        action: string;
        name: string;
        callable: boolean;
        warnings: string[];
      }>("POST", "/tools", {
        ...form,
        description: form.description || null,
        args: args
          .split("\n")
          .map((one) => one.trim())
          .filter(Boolean),
      });
      say(`${done.name} is ${done.action}${done.callable ? ", and can be called now" : ""}`);
      onClose();
    } catch (error) {
      setFailure(error as ApiError);
      setBusy(false);
    }
  };
  const names = asked(form.template);
  const ready = form.name.trim() && form.template.trim();
  return (
    <Dialog
      title={form.update ? `Change ${form.name}` : "Register a tool"}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={busy || !ready}
            onClick={() => void save()}
          >
            {form.update ? "Change" : "Register"}
          </button>
        </>
      }
    >
      {!form.update && (
        <Field label="Name" hint="small letters, digits, - and _">
          <input
            className="input mono"
            autoFocus
            value={form.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
      )}
      <Field label="What it is for" hint="agents read this to choose it">
        <input
          className="input"
          value={form.description ?? ""}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      <Field
        label="Command"
        hint={
          <>
            a command line without a shell, with <code>{"{placeholders}"}</code>; or a template as
            JSON
          </>
        }
      >
        <textarea
          className="input mono"
          value={form.template}
          placeholder="rg --json {pattern} {path=.}"
          onChange={(event) => set({ template: event.target.value })}
        />
      </Field>
      <Field
        label="Arguments"
        hint={
          <>
            one a line: <code>name</code>, <code>name:type</code> or <code>name:type=default</code>
            {names.length > 0 && (
              <>
                ; the command asks for{" "}
                {names.map((name) => (
                  <code key={name}>{name} </code>
                ))}
              </>
            )}
          </>
        }
      >
        <textarea
          className="input mono"
          rows={3}
          value={args}
          onChange={(event) => setArgs(event.target.value)}
        />
      </Field>
      <Check
        label="It runs detached: a call answers at once with a run"
        checked={form.detached}
        onChange={(detached) => set({ detached })}
      />
      {failure && (
        <div className="issue error" role="alert">
          <span>{failure.message}</span>
          {failure.hint && <span className="hint">{failure.hint}</span>}
        </div>
      )}
      {failure && failure.issues.length > 1 && <Issues issues={failure.issues} />}
    </Dialog>
  );
}
