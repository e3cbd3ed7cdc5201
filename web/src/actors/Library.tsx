// The library: recipes and tools, their problems, and registering a tool.
import { useMemo, useState } from "react";
import { api } from "../api";
import { shelf as shelfStore } from "../live";
import { useStore } from "../store";
import type { ToolDefinition, ToolRequest } from "../types";
import { Icon } from "../ui/icons";
import { Empty, Issues, ScrollArea } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { changeOf, ToolForm } from "./ToolForm";

export function LibraryScreen() {
  const shelf = useStore(shelfStore);
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
  const edit = async (tool: ToolDefinition) => {
    try {
      setForm(changeOf(tool, await api.tool(tool.name)));
    } catch (error) {
      complain(error);
    }
  };
  const remove = async (tool: ToolDefinition) => {
    try {
      const done = await api.removeTool(tool.name);
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
      <ScrollArea className="page" label="Recipes">
        <div className="stack wide-stack">
          <Issues issues={shelf.recipes.issues} />
          {doctor.remediations.length > 0 && (
            <details className="card" open={!doctor.ok}>
              <summary>
                What the doctor says <span className="badge">{doctor.remediations.length}</span>
              </summary>
              <ul className="stack tight" aria-label="Remedies">
                {doctor.remediations.map((one) => (
                  <li
                    key={`${one.path} ${one.kind}`}
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
              {shown.map((one) => (
                <tr key={one.path}>
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
      </ScrollArea>
      {form && <ToolForm first={form} onClose={() => setForm(null)} />}
    </section>
  );
}
