// The form to register or change a tool.
import { useState } from "react";
import { type ApiError, api } from "../api";
import type { ToolDefinition, ToolReport, ToolRequest } from "../types";
import { Check, Dialog, Field, Issues } from "../ui/parts";
import { say } from "../ui/toasts";

/** The request that changes a tool, filled with its current definition. */
export function changeOf(tool: ToolDefinition, { written }: ToolReport): ToolRequest {
  const fields = written !== null && typeof written === "object" ? Object.entries(written) : [];
  const { template, args, description } = Object.fromEntries<unknown>(fields);
  return {
    name: tool.name,
    template: typeof template === "string" ? template : JSON.stringify(template, null, 2),
    description: typeof description === "string" ? description : tool.description,
    args: Array.isArray(args) ? args.map(String) : [],
    detached: tool.async,
    update: true,
  };
}

/** The names of the arguments that a template uses. */
function asked(template: string): string[] {
  const found = [...template.matchAll(/(?<!\\)\{([A-Za-z_][A-Za-z0-9_-]*)[}:=?]/g)];
  const names = new Set(found.map((one) => one[1] ?? ""));
  return [...names].filter((name) => !["index", "prev", "next", "repeat"].includes(name));
}

export function ToolForm({ first, onClose }: { first: ToolRequest; onClose: () => void }) {
  const [form, setForm] = useState(first);
  const [args, setArgs] = useState(first.args.join("\n"));
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<ToolRequest>) => setForm({ ...form, ...part });
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const done = await api.registerTool({
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
