// One materia: its form, its file, and saving it.
import { useEffect, useState } from "react";
import { ApiError, api } from "../api";
import { Diff } from "../loadout/diff";
import { loadConfig, type Scope } from "../loadout/drafts";
import { kindOf, lookOf } from "../loadout/look";
import * as model from "../loadout/model";
import { go, path } from "../router";
import type { CheckReport, DefinitionsReport } from "../types";
import { Menu, type MenuItem } from "../ui/menu";
import { Check, Dialog, Field, Issues, Orb } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { AgentForm, text } from "./AgentForm";
import { drafts, fresh, type Value } from "./drafts";
import { Rename } from "./Rename";
import { Swatches } from "./Swatches";
import { TryIt } from "./TryIt";
import { UtilityForm } from "./UtilityForm";

export function Editor({
  name,
  config,
  draft,
  names,
}: {
  name: string;
  config: DefinitionsReport;
  draft: Value | undefined;
  names: string[];
}) {
  const known = config.materia.find((one) => one.name === name);
  const value = draft ?? known?.value ?? {};
  const look = lookOf(value, name);
  const kind = kindOf(value);
  const readOnly = Boolean(known?.locked);
  const [target, setTarget] = useState<Scope>(known?.source === "project" ? "project" : "user");
  const [check, setCheck] = useState<CheckReport | null>(null);
  const [asking, setAsking] = useState<"save" | "rename" | null>(null);
  const put = (next: Value) => drafts.set((now) => ({ ...now, [name]: next }));
  // Omitting a field restores the value of a lower layer; null removes it.
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
            error: {
              code: error.code,
              message: error.message,
              hint: "their version is loaded; yours is still here",
            },
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
