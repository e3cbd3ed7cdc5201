// The fields of a utility.
import { Icon } from "../ui/icons";
import { byPlace, Field } from "../ui/parts";
import { type FormProps, text } from "./AgentForm";
import type { Value } from "./drafts";
import { Json } from "./Json";

export function UtilityForm({
  value,
  readOnly,
  set,
  put,
}: FormProps & { put: (value: Value) => void }) {
  const way =
    ["command", "script", "template", "recipe"].find(
      (field) => value[field] !== undefined && value[field] !== null,
    ) ?? "command";
  const command = Array.isArray(value.command) ? (value.command as unknown[]).map(String) : [];
  const choose = (next: string) => {
    const { command: _c, script: _s, template: _t, recipe: _r, ...rest } = value;
    const first: Value =
      {
        command: { command: [""] },
        script: { script: { kind: "shippedUtility", name: "detect-vcs.mjs" } },
        template: { template: "" },
        recipe: { recipe: "" },
      }[next] ?? {};
    put({ ...rest, type: "utility", ...first });
  };
  return (
    <>
      <div className="cols2">
        <Field label="It runs">
          <select
            className="input"
            value={way}
            disabled={readOnly}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="command">a command</option>
            <option value="script">a shipped utility</option>
            <option value="template">a command template</option>
            <option value="recipe">a recipe</option>
          </select>
        </Field>
        <Field label="Takes at most (ms)">
          <input
            className="input"
            type="number"
            min={1}
            placeholder="30000"
            value={typeof value.timeoutMs === "number" ? value.timeoutMs : ""}
            disabled={readOnly}
            onChange={(event) =>
              set("timeoutMs", event.target.value ? Number(event.target.value) : undefined)
            }
          />
        </Field>
      </div>
      {way === "command" && (
        <fieldset className="plain">
          <legend className="label">Program and arguments, one each; there is no shell</legend>
          <div className="stack tight">
            {byPlace(command, (word, at) => (
              <div className="row tight">
                <input
                  className="input mono"
                  aria-label={at === 0 ? "Program" : `Argument ${at}`}
                  value={word}
                  disabled={readOnly}
                  onChange={(event) =>
                    set(
                      "command",
                      command.map((one, index) => (index === at ? event.target.value : one)),
                    )
                  }
                />
                {!readOnly && command.length > 1 && (
                  <button
                    type="button"
                    className="btn quiet small icon"
                    aria-label={`Remove ${at === 0 ? "program" : `argument ${at}`}`}
                    onClick={() =>
                      set(
                        "command",
                        command.filter((_, index) => index !== at),
                      )
                    }
                  >
                    <Icon name="trash" size={14} />
                  </button>
                )}
              </div>
            ))}
            {!readOnly && (
              <div>
                <button
                  type="button"
                  className="btn small"
                  onClick={() => set("command", [...command, ""])}
                >
                  <Icon name="plus" size={14} />
                  Argument
                </button>
              </div>
            )}
          </div>
        </fieldset>
      )}
      {way === "script" && (
        <Field label="Shipped utility">
          <select
            className="input"
            value={text((value.script as Value | undefined)?.name)}
            disabled={readOnly}
            onChange={(event) =>
              set("script", { ...(value.script as Value), name: event.target.value })
            }
          >
            {[
              "ensure-ignored.mjs",
              "detect-vcs.mjs",
              "blackbelt-bootstrap.mjs",
              "blackbelt-maintain.mjs",
              "commit-sigil.mjs",
            ].map((one) => (
              <option key={one} value={one}>
                {one.replace(".mjs", "")}
              </option>
            ))}
          </select>
        </Field>
      )}
      {way === "template" && (
        <Json
          label="Command template"
          value={value.template}
          readOnly={readOnly}
          plain
          onChange={(next) => set("template", next)}
        />
      )}
      {way === "recipe" && (
        <Field label="Recipe">
          <input
            className="input mono"
            value={text(value.recipe)}
            disabled={readOnly}
            onChange={(event) => set("recipe", event.target.value)}
          />
        </Field>
      )}
      <Json
        label="Parameters (JSON)"
        value={value.params ?? {}}
        readOnly={readOnly}
        onChange={(next) =>
          set("params", next && Object.keys(next as object).length ? next : undefined)
        }
      />
    </>
  );
}
