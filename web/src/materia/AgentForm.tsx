// The fields of an agent's role.
import { Check, Field } from "../ui/parts";
import type { Value } from "./drafts";

const TOOLS = ["read", "grep", "find", "ls", "bash", "edit", "write"];

export const text = (value: unknown) => (typeof value === "string" ? value : "");

export type FormProps = {
  value: Value;
  readOnly: boolean;
  set: (field: string, next: unknown) => void;
};

export function AgentForm({ value, readOnly, set }: FormProps) {
  const custom =
    typeof value.tools === "object" && value.tools !== null
      ? ((value.tools as { tools?: string[] }).tools ?? [])
      : null;
  const scope = custom ? "custom" : text(value.tools) || "none";
  return (
    <>
      <Field
        label="What the agent is told"
        hint={
          <>
            The output format, the work item and the request are told by materia.{" "}
            <code>{"{{request}}"}</code> and <code>{"{{state.x}}"}</code> are filled in.
          </>
        }
      >
        <textarea
          className="input"
          rows={8}
          value={text(value.prompt)}
          disabled={readOnly}
          onChange={(event) => set("prompt", event.target.value)}
        />
      </Field>
      <div className="cols2">
        <Field label="Tools">
          <select
            className="input"
            value={scope}
            disabled={readOnly}
            onChange={(event) =>
              set(
                "tools",
                event.target.value === "custom"
                  ? { type: "custom", tools: ["read", "grep", "find", "ls"] }
                  : event.target.value,
              )
            }
          >
            <option value="none">none</option>
            <option value="readOnly">read only</option>
            <option value="coding">all of them</option>
            <option value="custom">a choice</option>
          </select>
        </Field>
        <Field label="Model" hint="provider/id, or nothing for the agent's own">
          <input
            className="input mono"
            value={text(value.model)}
            disabled={readOnly}
            onChange={(event) => set("model", event.target.value)}
          />
        </Field>
        <Field label="Thinking">
          <select
            className="input"
            value={text(value.thinking)}
            disabled={readOnly}
            onChange={(event) => set("thinking", event.target.value)}
          >
            <option value="">the agent's own</option>
            {["off", "minimal", "low", "medium", "high", "xhigh"].map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </Field>
        <Field label="Agent" hint="which program plays the role">
          <input
            className="input mono"
            value={text(value.agent)}
            placeholder="the cast's"
            disabled={readOnly}
            onChange={(event) => set("agent", event.target.value)}
          />
        </Field>
      </div>
      {custom && (
        <fieldset className="plain">
          <legend className="label">Which tools</legend>
          <div className="row">
            {[...new Set([...TOOLS, ...custom])].map((tool) => (
              <Check
                key={tool}
                label={<code>{tool}</code>}
                checked={custom.includes(tool)}
                disabled={readOnly}
                onChange={(on) =>
                  set("tools", {
                    type: "custom",
                    tools: on ? [...custom, tool] : custom.filter((one) => one !== tool),
                  })
                }
              />
            ))}
          </div>
          {custom.includes("bash") && <p className="hint">bash can do anything that you can do.</p>}
        </fieldset>
      )}
      <Check
        label={
          <>
            Asks you <span className="muted">pauses after each reply until you continue</span>
          </>
        }
        checked={value.multiTurn === true}
        disabled={readOnly}
        onChange={(on) => set("multiTurn", on)}
      />
    </>
  );
}
