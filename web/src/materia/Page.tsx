// The materia editor: roles of agents and programs, and a way to try the programs.
import { useEffect, useRef, useState } from "react";
import { api, ApiError } from "../api";
import { config as configStore, loadConfig, type Scope } from "../loadout/drafts";
import { grouped, kindOf, lookOf } from "../loadout/look";
import * as model from "../loadout/model";
import { go, path } from "../router";
import { createStore, useStore } from "../store";
import type { CheckAnswer, Config, Materia } from "../types";
import {
  Check,
  COLORS,
  Dialog,
  Empty,
  Field,
  Issues,
  Menu,
  Orb,
  useInView,
  type MenuItem,
} from "../ui/parts";
import { Icon } from "../ui/icons";
import { complain, say } from "../ui/toasts";
import { Diff } from "../loadout/diff";
import { lineOf, read } from "../loadout/place";
import { TryIt } from "./TryIt";

type Value = Record<string, unknown>;
const drafts = createStore<Record<string, Value>>({});
const fresh = createStore<Record<string, true>>({});
const TOOLS = ["read", "grep", "find", "ls", "bash", "edit", "write"];

export function MateriaPage({ name }: { name: string | undefined }) {
  const config = useStore(configStore);
  const all = useStore(drafts);
  const made = useStore(fresh);
  useEffect(() => {
    void loadConfig();
  }, []);
  useInView(config ? name : undefined);
  if (!config) return <div className="page" aria-busy="true" />;
  const names = [
    ...config.materia.map((one) => one.name),
    ...Object.keys(made).filter((one) => !config.materia.some((known) => known.name === one)),
  ];
  const chosen = name ?? names[0];
  const looks = names.map((one) => {
    const known = config.materia.find((materia) => materia.name === one);
    return lookOf(
      {
        ...(known ?? {
          name: one,
          source: "user",
          shipped: false,
          locked: false,
          own: {},
          issues: [],
        }),
        value: all[one] ?? known?.value ?? {},
      } as Materia,
      one,
    );
  });
  const create = (kind: "agent" | "utility") => {
    const wish = model.freshName(kind === "agent" ? "New-Role" : "New-Utility", names);
    const value: Value =
      kind === "agent"
        ? { type: "agent", tools: "readOnly", prompt: "" }
        : { type: "utility", command: [""], parse: "json" };
    fresh.set((now) => ({ ...now, [wish]: true }));
    drafts.set((now) => ({ ...now, [wish]: value }));
    go(path("materia", wish));
  };
  return (
    <div className="split loadouts">
      <aside className="side" aria-label="Materia">
        <div className="row">
          <h2 className="grow">Materia</h2>
          <Menu
            label="New materia"
            items={[
              { label: "Agent role", run: () => create("agent") },
              { label: "Utility", run: () => create("utility") },
            ]}
          >
            <Icon name="plus" size={14} />
            New
          </Menu>
        </div>
        <div className="groups">
          {grouped(looks).map(([group, members]) => (
            <div key={group} className="stack tight">
              <h3 className="label group">{group}</h3>
              <ul className="list">
                {members.map((look) => (
                  <li key={look.name}>
                    <a
                      href={path("materia", look.name)}
                      aria-current={look.name === chosen ? "true" : undefined}
                    >
                      <span className="row">
                        <Orb color={look.color} kind={look.kind} />
                        <span className="list-name grow">{look.label}</span>
                        {all[look.name] && <span className="badge warn">Unsaved</span>}
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </aside>
      {chosen !== undefined &&
      (all[chosen] || config.materia.some((one) => one.name === chosen)) ? (
        <Editor key={chosen} name={chosen} config={config} draft={all[chosen]} names={names} />
      ) : (
        <Empty first title={chosen ? `There is no materia “${chosen}”` : "No materia"} />
      )}
    </div>
  );
}

function Editor({
  name,
  config,
  draft,
  names,
}: {
  name: string;
  config: Config;
  draft: Value | undefined;
  names: string[];
}) {
  const known = config.materia.find((one) => one.name === name);
  const value = draft ?? known?.value ?? {};
  const look = lookOf({ value } as Materia, name);
  const kind = kindOf(value);
  const readOnly = Boolean(known?.locked);
  const [target, setTarget] = useState<Scope>(known?.source === "project" ? "project" : "user");
  const [check, setCheck] = useState<CheckAnswer | null>(null);
  const [asking, setAsking] = useState<"save" | "rename" | null>(null);
  const put = (next: Value) => drafts.set((now) => ({ ...now, [name]: next }));
  // What a file below this one says comes back when a field is left out; null takes it away.
  const below = Boolean(
    known && (known.shipped || Object.keys(known.own).some((scope) => scope !== target)),
  );
  const set = (field: string, next: unknown) => {
    const changed = { ...value, [field]: next };
    if (next === undefined || next === "" || next === false) {
      if (below) changed[field] = null;
      else delete changed[field];
    }
    put(changed);
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      api.check({ section: "materia", name, value, target }).then(setCheck, complain);
    }, 200);
    return () => clearTimeout(timer);
  }, [name, value, target]);
  const forget = () => {
    drafts.set(({ [name]: _gone, ...rest }) => rest);
    fresh.set(({ [name]: _made, ...rest }) => rest);
  };
  const save = async (evenBroken: boolean) => {
    try {
      await api.save({
        target,
        edits: [{ section: "materia", name, value, base: known?.own[target] ?? null }],
        evenBroken,
      });
      forget();
      await loadConfig();
      say(`“${name}” is saved`);
      setAsking(null);
    } catch (error) {
      if (error instanceof ApiError && error.conflict) {
        complain(
          new ApiError(409, {
            error: { message: error.message, hint: "their version is loaded; yours is still here" },
          }),
        );
        await loadConfig();
      } else complain(error);
    }
  };
  const remove = async () => {
    try {
      await api.save({
        target,
        edits: [{ section: "materia", name, value: null, base: known?.own[target] ?? null }],
        evenBroken: true,
      });
      forget();
      await loadConfig();
      if (!known?.shipped) go("/materia", true);
    } catch (error) {
      complain(error);
    }
  };
  const copy = () => {
    const wish = model.copyName(name, names).replaceAll(" ", "-");
    const { lockState: _lock, ...rest } = value;
    fresh.set((now) => ({ ...now, [wish]: true }));
    drafts.set((now) => ({ ...now, [wish]: rest }));
    go(path("materia", wish));
  };
  const menu: MenuItem[] = [
    { label: "Duplicate", icon: "copy", run: copy },
    { label: "Rename…", run: () => setAsking("rename"), disabled: Boolean(known) },
    {
      label: "Revert changes",
      icon: "undo",
      run: () => {
        forget();
        if (!known) go("/materia", true);
      },
      disabled: !draft,
    },
    {
      label: known?.shipped ? "Back to what ships" : "Delete",
      icon: "trash",
      run: () => void remove(),
      disabled: !known?.own[target],
      danger: true,
    },
  ];
  const issues = check?.issues ?? known?.issues ?? [];
  const broken = issues.some((issue) => issue.severity === "error");
  return (
    <section className="editor" aria-label={`Materia ${name}`}>
      <header className="head">
        <Orb color={look.color} kind={kind} large />
        <div className="grow">
          <h1>{look.label}</h1>
          <p className="ellipsis">
            {kind === "agent" ? "An agent's role" : "A program"}
            {known?.shipped
              ? known.source === "default"
                ? ", ships with materia; what you save lies over it"
                : ", changed from what ships"
              : ""}
          </p>
        </div>
        <button
          type="button"
          className="btn primary"
          disabled={!draft || readOnly}
          onClick={() => setAsking("save")}
        >
          Save…
        </button>
        <Menu label="More about this materia" items={menu} />
      </header>
      <div className="page">
        <div className="form stack">
          <Issues issues={issues} />
          <div className="cols2">
            <Field label="Name">
              <input className="input mono" value={name} readOnly />
            </Field>
            <Field label="Label">
              <input
                className="input"
                value={text(value.label)}
                placeholder={name}
                disabled={readOnly}
                onChange={(event) => set("label", event.target.value)}
              />
            </Field>
            <Field label="Group">
              <input
                className="input"
                value={text(value.group)}
                disabled={readOnly}
                onChange={(event) => set("group", event.target.value)}
              />
            </Field>
          </div>
          <Field label="Description">
            <input
              className="input"
              value={text(value.description)}
              disabled={readOnly}
              onChange={(event) => set("description", event.target.value)}
            />
          </Field>
          <Swatches
            value={text(value.color)}
            disabled={readOnly}
            onChange={(color) => set("color", color)}
          />
          {kind === "agent" ? (
            <AgentForm value={value} readOnly={readOnly} set={set} />
          ) : (
            <UtilityForm value={value} readOnly={readOnly} set={set} put={put} />
          )}
          <div className="row">
            <Check
              label={
                <>
                  Generator <span className="muted">gives the list that a loop works through</span>
                </>
              }
              checked={value.generator === true}
              disabled={readOnly}
              onChange={(on) => set("generator", on)}
            />
          </div>
          <div className="cols2">
            <Field label="Output is read as">
              <select
                className="input"
                value={text(value.parse)}
                disabled={readOnly}
                onChange={(event) => set("parse", event.target.value)}
              >
                <option value="">text, unless the socket says otherwise</option>
                <option value="text">text</option>
                <option value="json">JSON</option>
              </select>
            </Field>
            <Field label="After an interruption" hint="when nobody knows whether it ended">
              <select
                className="input"
                value={text(value.interrupted)}
                disabled={readOnly}
                onChange={(event) => set("interrupted", event.target.value)}
              >
                <option value="">run it again</option>
                <option value="ask">ask me</option>
                <option value="fail">fail the cast</option>
              </select>
            </Field>
          </div>
          {kind === "utility" && (
            <TryIt
              name={name}
              value={draft}
              target={target}
              blocked={broken}
              most={typeof value.timeoutMs === "number" ? value.timeoutMs : 30_000}
            />
          )}
        </div>
      </div>
      {asking === "save" && (
        <Dialog
          wide
          title={`Save “${name}”`}
          onClose={() => setAsking(null)}
          footer={
            <>
              <button type="button" className="btn" onClick={() => setAsking(null)}>
                Cancel
              </button>
              <button type="button" className="btn primary" onClick={() => void save(broken)}>
                {broken ? "Save anyway" : "Save"}
              </button>
            </>
          }
        >
          <fieldset className="plain">
            <legend className="label">Save to</legend>
            {(["user", "project"] as const).map((one) => (
              <label key={one} className="check">
                <input
                  type="radio"
                  name="target"
                  checked={target === one}
                  onChange={() => setTarget(one)}
                />
                <span>
                  {one === "user" ? "your own config" : "this project"}{" "}
                  <code className="muted">
                    {config.files.find((file) => file.scope === one)?.path}
                  </code>
                </span>
              </label>
            ))}
          </fieldset>
          {broken && (
            <p className="issue error">It has errors: loadouts that use it cannot be cast.</p>
          )}
          {check && <Diff before={check.before} after={check.after} />}
        </Dialog>
      )}
      {asking === "rename" && (
        <Rename name={name} names={names} value={value} onClose={() => setAsking(null)} />
      )}
    </section>
  );
}

function Rename({
  name,
  names,
  value,
  onClose,
}: {
  name: string;
  names: string[];
  value: Value;
  onClose: () => void;
}) {
  const [wish, setWish] = useState(name);
  const taken = wish !== name && names.includes(wish);
  const rename = () => {
    fresh.set(({ [name]: _old, ...rest }) => ({ ...rest, [wish]: true }));
    drafts.set(({ [name]: _old, ...rest }) => ({ ...rest, [wish]: value }));
    go(path("materia", wish), true);
    onClose();
  };
  return (
    <Dialog
      title={`Rename “${name}”`}
      onClose={onClose}
      footer={
        <button
          type="button"
          className="btn primary"
          disabled={!wish.trim() || taken}
          onClick={rename}
        >
          Rename
        </button>
      }
    >
      <Field label="Name" hint={taken ? "there is one of that name" : undefined}>
        <input
          className="input mono"
          autoFocus
          value={wish}
          onChange={(event) => setWish(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

function Swatches({
  value,
  disabled,
  onChange,
}: {
  value: string;
  disabled: boolean;
  onChange: (color: string) => void;
}) {
  return (
    <fieldset className="plain swatches" disabled={disabled}>
      <legend className="label">Colour</legend>
      <div className="row">
        {COLORS.map((color) => (
          <label key={color} title={color.replace("materia-color-", "")}>
            <input
              type="radio"
              className="sr"
              name="color"
              checked={value === color}
              onChange={() => onChange(color)}
            />
            <Orb color={color} large />
            <span className="sr">{color.replace("materia-color-", "")}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type FormProps = { value: Value; readOnly: boolean; set: (field: string, next: unknown) => void };

function AgentForm({ value, readOnly, set }: FormProps) {
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

function UtilityForm({ value, readOnly, set, put }: FormProps & { put: (value: Value) => void }) {
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
            {command.map((word, at) => (
              <div key={at} className="row tight">
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

export function Json({
  label,
  value,
  readOnly,
  plain,
  onChange,
}: {
  label: string;
  value: unknown;
  readOnly?: boolean;
  plain?: boolean;
  onChange: (value: unknown) => void;
}) {
  const spelled = plain && typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const [written, setWritten] = useState(spelled);
  const [problem, setProblem] = useState<string | null>(null);
  // Somebody else may change it: a revert, or another way to run.
  const mine = useRef(spelled);
  useEffect(() => {
    if (spelled !== mine.current) {
      mine.current = spelled;
      setWritten(spelled);
      setProblem(null);
    }
  }, [spelled]);
  const put = (next: string) => {
    setWritten(next);
    if (plain && !/^\s*[[{"]/.test(next)) {
      mine.current = next;
      setProblem(null);
      onChange(next);
      return;
    }
    const { wrong } = read(next || "null");
    if (wrong) {
      const [line, column] = lineOf(next, wrong.at);
      setProblem(`line ${line}, column ${column}: ${wrong.message}`);
      return;
    }
    const said: unknown = JSON.parse(next || "null");
    mine.current = plain && typeof said === "string" ? said : JSON.stringify(said, null, 2);
    setProblem(null);
    onChange(said);
  };
  return (
    <Field label={label} hint={problem ?? undefined}>
      <textarea
        className="input mono"
        rows={3}
        spellCheck={false}
        value={written}
        aria-invalid={problem !== null}
        disabled={readOnly}
        onChange={(event) => put(event.target.value)}
      />
    </Field>
  );
}
