// The loadout editor: the list, the three views of one loadout, and saving it.
import { useCallback, useEffect, useMemo, useState } from "react";
import { api } from "../api";
import { go, path } from "../router";
import { useStore } from "../store";
import type { Config, Conflict, Loadout } from "../types";
import { complain, say } from "../ui/toasts";
import {
  Dialog,
  Empty,
  Field,
  Issues,
  Menu,
  Orb,
  Tabs,
  useInView,
  type MenuItem,
} from "../ui/parts";
import { Icon } from "../ui/icons";
import {
  config as configStore,
  draftOf,
  drafts,
  dropDraft,
  editDraft,
  isChanged,
  loadConfig,
  putDraft,
  saveDraft,
  type Draft,
  type Scope,
} from "./drafts";
import { Diff } from "./diff";
import { Graph, NOTHING, ways, type Selection } from "./Graph";
import { begin, redo, undo } from "./history";
import { Inspector, readsJson } from "./Inspector";
import { grouped, lookOf, type Look } from "./look";
import { spots } from "./layout";
import * as model from "./model";
import type { Doc } from "./model";
import { Outline } from "./Outline";
import { Raw, type Written } from "./Raw";

export function useLooks(config: Config): { looks: Look[]; look: (name: string) => Look } {
  return useMemo(() => {
    const looks = config.materia.map((one) => lookOf(one, one.name));
    const known = new Map(looks.map((one) => [one.name, one]));
    return { looks, look: (name: string) => known.get(name) ?? lookOf(undefined, name) };
  }, [config]);
}

export function LoadoutPage({ name }: { name: string | undefined }) {
  const config = useStore(configStore);
  const all = useStore(drafts);
  useEffect(() => {
    void loadConfig();
  }, []);
  const names = config
    ? [
        ...config.loadouts.map((one) => one.name),
        ...Object.keys(all).filter((one) => !config.loadouts.some((known) => known.name === one)),
      ]
    : [];
  const chosen = name ?? config?.active ?? names[0];
  useInView(config ? chosen : undefined);
  const draft = config && chosen !== undefined ? draftOf(config, chosen, all) : null;
  const create = () => {
    const fresh = model.freshName("New Loadout", names);
    putDraft(fresh, {
      history: begin(model.emptyDoc()),
      target: "user",
      base: null,
      saved: null,
      check: null,
    });
    go(path("loadouts", fresh));
  };
  if (!config) return <div className="page" aria-busy="true" />;
  return (
    <div className="split loadouts">
      <aside className="side" aria-label="Loadouts">
        <div className="row">
          <h2 className="grow">Loadouts</h2>
          <button type="button" className="btn small" onClick={create}>
            <Icon name="plus" size={14} />
            New
          </button>
        </div>
        <ul className="list">
          {names.map((one) => {
            const loadout = config.loadouts.find((known) => known.name === one);
            const own = all[one];
            return (
              <li key={one}>
                <a href={path("loadouts", one)} aria-current={one === chosen ? "true" : undefined}>
                  <span className="list-name">{one}</span>
                  <span className="row">
                    {loadout?.active && <span className="badge good">Active</span>}
                    {loadout?.shipped ? (
                      <span className="badge">Shipped</span>
                    ) : (
                      <span className="badge">{loadout?.source ?? own?.target}</span>
                    )}
                    {loadout?.locked && (
                      <span className="badge">
                        <Icon name="lock" size={11} />
                        Locked
                      </span>
                    )}
                    {own && isChanged(own) && <span className="badge warn">Unsaved</span>}
                    {loadout && !loadout.usable && <span className="badge bad">Broken</span>}
                  </span>
                </a>
              </li>
            );
          })}
        </ul>
      </aside>
      {draft && chosen !== undefined ? (
        <Editor key={chosen} name={chosen} config={config} draft={draft} names={names} />
      ) : (
        <Empty first title={chosen ? `There is no loadout “${chosen}”` : "No loadouts yet"}>
          <button type="button" className="btn primary" onClick={create}>
            Make one
          </button>
        </Empty>
      )}
    </div>
  );
}

type View = "canvas" | "outline" | "json";

function Editor({
  name,
  config,
  draft,
  names,
}: {
  name: string;
  config: Config;
  draft: Draft;
  names: string[];
}) {
  const loadout = config.loadouts.find((one) => one.name === name);
  const { looks, look } = useLooks(config);
  const doc = draft.history.now;
  const readOnly = Boolean(loadout?.shipped || (loadout?.locked && doc.lockState === "locked"));
  const small = matchMedia("(max-width: 860px)").matches;
  const [view, setView] = useState<View>(small ? "outline" : "canvas");
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [asking, setAsking] = useState<"save" | "delete" | "rename" | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [written, setWritten] = useState<Written | null>(null);
  const change = useCallback(
    (next: Doc) => {
      if (!readOnly) editDraft(name, draft, next);
    },
    [name, draft, readOnly],
  );
  const changed = isChanged(draft) || !loadout;
  const issues = draft.check?.issues ?? loadout?.issues ?? [];

  // What a cast would say about it, asked a moment after each change.
  useEffect(() => {
    if (readOnly) return;
    const timer = setTimeout(async () => {
      try {
        const check = await api.check({
          section: "loadouts",
          name,
          value: doc,
          target: draft.target,
        });
        drafts.set((all) => {
          const now = all[name] ?? draft;
          return now.history.now === doc ? { ...all, [name]: { ...now, check } } : all;
        });
      } catch (error) {
        complain(error);
      }
    }, 200);
    return () => clearTimeout(timer);
    // The draft itself changes with each answer; what is asked about does not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name, doc, draft.target, readOnly]);

  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const typing = (event.target as Element).closest(
        "textarea, input:not([type=checkbox]), dialog",
      );
      const key = event.key.toLowerCase();
      if (key === "s") {
        event.preventDefault();
        if (!readOnly && changed && !written) setAsking("save");
      } else if (!typing && key === "z" && !event.shiftKey) {
        event.preventDefault();
        putDraft(name, { ...draft, history: undo(draft.history) });
      } else if (!typing && (key === "y" || (key === "z" && event.shiftKey))) {
        event.preventDefault();
        putDraft(name, { ...draft, history: redo(draft.history) });
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [name, draft, readOnly, changed, written]);

  const copy = () => {
    const fresh = model.copyName(name, names);
    putDraft(fresh, {
      history: begin(model.duplicate(doc, Boolean(loadout?.shipped))),
      target: "user",
      base: null,
      saved: null,
      check: null,
    });
    go(path("loadouts", fresh));
    say(`“${fresh}” is a copy of yours to change; it is not saved yet`);
  };
  const activate = async () => {
    try {
      const answer = await api.active(name);
      say(answer.warnings[0]?.message ?? `“${name}” is your active loadout`);
      await loadConfig();
    } catch (error) {
      complain(error);
    }
  };
  const lock = async () => {
    const { lockState: _old, ...rest } = doc;
    const next: Doc = loadout?.locked ? rest : { ...rest, lockState: "locked" };
    try {
      const answer = await api.save({
        target: draft.target,
        edits: [{ section: "loadouts", name, value: next, base: draft.base }],
        evenBroken: true,
      });
      putDraft(name, {
        ...draft,
        history: begin(next),
        saved: next,
        base: answer.versions[0] ?? null,
      });
      await loadConfig();
    } catch (error) {
      complain(error);
    }
  };
  const revert = () => {
    dropDraft(name);
    void loadConfig();
    if (!loadout) go("/loadouts", true);
  };
  const menu: MenuItem[] = [
    { label: "Duplicate", icon: "copy", run: copy },
    {
      label: "Set active",
      icon: "check",
      run: () => void activate(),
      disabled: !loadout || loadout.active,
    },
    { label: "Rename…", run: () => setAsking("rename"), disabled: readOnly },
    {
      label: loadout?.locked ? "Unlock" : "Lock",
      icon: "lock",
      run: () => void lock(),
      disabled: !loadout || loadout.shipped || changed,
    },
    { label: "Revert changes", icon: "undo", run: revert, disabled: !changed || readOnly },
    {
      label: "Delete…",
      icon: "trash",
      run: () => setAsking("delete"),
      disabled: readOnly,
      danger: true,
    },
  ];
  const actions = useMemo(
    () =>
      readOnly
        ? null
        : {
            move: (moved: Record<string, model.Spot>) => {
              // The first one that is moved fixes where the others stand, too.
              const fixed = doc.layout?.sockets
                ? doc
                : [...spots(doc)]
                    .filter(([id]) => doc.sockets?.[id])
                    .reduce((now, [id, spot]) => model.place(now, id, spot), doc);
              change(
                Object.entries(moved)
                  .filter(([id]) => doc.sockets?.[id])
                  .reduce((now, [id, spot]) => model.place(now, id, spot), fixed),
              );
            },
            connect: (from: string, to: string) => {
              const shared = model
                .loops(doc)
                .find(
                  ([, loop]) =>
                    (loop.exits ?? []).some((exit) => exit.from === from) &&
                    !model.members(loop).includes(to),
                );
              const next = shared
                ? model.addExit(doc, shared[0], from, to)
                : model.connect(doc, from, to);
              change(next);
              if (JSON.stringify(next) === JSON.stringify(doc))
                say(
                  shared
                    ? `${from} leaves the loop on every condition already; change one of its routes`
                    : `${from} goes on to ${to} already`,
                );
            },
            cycle: (id: string) => {
              const way = ways(doc).find((one) => one.id === id);
              if (!way) return;
              if (way.loop && way.route) {
                const next = model.nextWhen(way.when);
                const wishes = [next, model.nextWhen(next)];
                const taken = model
                  .exitsOf(doc.loops?.[way.loop] ?? {})
                  .filter((exit) => exit.from === way.from && exit.id !== way.route)
                  .map((exit) => exit.condition);
                const wish = wishes.find((one) => !taken.includes(one));
                if (wish) change(model.setExit(doc, way.loop, way.route, { condition: wish }));
                else say("the other conditions have a route of their own");
              } else change(model.cycleEdge(doc, way.from, way.index ?? 0));
              setSelection({ ...NOTHING, edge: id });
            },
            reorder: (id: string, by: number) => {
              const way = ways(doc).find((one) => one.id === id);
              const to = (way?.index ?? 0) + by;
              if (way?.index === undefined || to < 0 || to >= model.edges(doc, way.from).length)
                return;
              change(model.moveEdge(doc, way.from, way.index, by));
              const moved = `edge:${way.from}:${to}`;
              setSelection({ ...NOTHING, edge: moved });
              requestAnimationFrame(() =>
                document.querySelector<HTMLElement>(`[data-edge="${CSS.escape(moved)}"]`)?.focus(),
              );
            },
            remove: (sockets: string[], edgeIds: string[]) => {
              let next = sockets.reduce(model.removeSocket, doc);
              for (const way of ways(doc)
                .filter((one) => edgeIds.includes(one.id))
                .reverse()) {
                next =
                  way.loop && way.route
                    ? model.removeExit(next, way.loop, way.route)
                    : model.removeEdge(next, way.from, way.index ?? 0);
              }
              change(next);
              setSelection(NOTHING);
            },
            drop: (materia: string, spot: model.Spot, onto?: string) => {
              if (onto && doc.sockets?.[onto]) {
                change(model.setMateria(doc, onto, materia));
                setSelection({ ...NOTHING, sockets: [onto] });
                return;
              }
              const [next, id] = model.addSocket(doc, materia, spot);
              change(next);
              setSelection({ ...NOTHING, sockets: [id] });
            },
          },
    [doc, change, readOnly],
  );
  const add = (materia: string) => {
    const [next, id] = model.addSocket(
      doc,
      materia,
      undefined,
      selection.sockets.length === 1 ? selection.sockets[0] : undefined,
    );
    change(next);
    setSelection({ ...NOTHING, sockets: [id] });
  };
  const show = (issuePath: string | null) => {
    const at = model.whereIs(doc, name, issuePath);
    setView("canvas");
    if (at.loop)
      setSelection(
        at.exit
          ? { ...NOTHING, edge: model.exitEdgeId(at.loop, at.exit) }
          : { ...NOTHING, loop: at.loop },
      );
    else if (at.socket)
      setSelection(
        at.edge !== undefined
          ? { ...NOTHING, edge: `edge:${at.socket}:${at.edge}` }
          : { ...NOTHING, sockets: [at.socket] },
      );
  };
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return (
    <section className="editor" aria-label={`Loadout ${name}`}>
      <header className="head">
        <div className="grow">
          <h1>{name}</h1>
          <p className="ellipsis">
            {loadout?.shipped
              ? "Ships with materia. Duplicate it to change it."
              : typeof doc.description === "string"
                ? doc.description
                : readOnly
                  ? "Locked."
                  : changed
                    ? "Not saved yet"
                    : "Saved"}
          </p>
        </div>
        <div className="row">
          {!readOnly && (
            <>
              <button
                type="button"
                className="btn quiet icon"
                aria-label="Undo"
                title="Undo (Ctrl Z)"
                disabled={draft.history.past.length === 0}
                onClick={() => putDraft(name, { ...draft, history: undo(draft.history) })}
              >
                <Icon name="undo" />
              </button>
              <button
                type="button"
                className="btn quiet icon"
                aria-label="Redo"
                title="Redo (Ctrl Shift Z)"
                disabled={draft.history.future.length === 0}
                onClick={() => putDraft(name, { ...draft, history: redo(draft.history) })}
              >
                <Icon name="redo" />
              </button>
              {view === "canvas" && (
                <button
                  type="button"
                  className="btn quiet icon"
                  aria-label="Arrange automatically"
                  title="Arrange automatically"
                  disabled={!doc.layout}
                  onClick={() => change(model.forgetLayout(doc))}
                >
                  <Icon name="layout" />
                </button>
              )}
            </>
          )}
          <Tabs
            label="View"
            value={view}
            onChange={setView}
            options={
              [
                ["canvas", "Canvas"],
                ["outline", "Outline"],
                ["json", "JSON"],
              ] as const
            }
          />
          {readOnly && loadout?.shipped ? (
            <button type="button" className="btn primary" onClick={copy}>
              <Icon name="copy" size={16} />
              Duplicate
            </button>
          ) : (
            <button
              type="button"
              className="btn primary"
              disabled={!changed || readOnly || written !== null}
              title={written ? "What stands in the JSON view is no JSON yet" : undefined}
              onClick={() => setAsking("save")}
            >
              Save…
            </button>
          )}
          <Menu label="More about this loadout" items={menu} />
        </div>
      </header>
      <div className={`editor-body ${view}`}>
        <div className="editor-view">
          {view === "canvas" &&
            (Object.keys(doc.sockets ?? {}).length === 0 && readOnly ? (
              <Empty title="Nothing here" />
            ) : (
              <Graph
                name={name}
                doc={doc}
                look={look}
                issues={issues}
                selection={selection}
                onSelect={setSelection}
                actions={actions}
              />
            ))}
          {view === "canvas" && Object.keys(doc.sockets ?? {}).length === 0 && (
            <div className="canvas-hint">
              <Empty title="An empty loadout">
                <p>Drag a materia from the right onto the canvas, or press Enter on it.</p>
              </Empty>
            </div>
          )}
          {view === "outline" && (
            <div className="page" tabIndex={0} role="region" aria-label="Outline">
              <Outline
                name={name}
                doc={doc}
                looks={looks}
                look={look}
                issues={issues}
                readOnly={readOnly}
                change={change}
              />
            </div>
          )}
          {view === "json" && (
            <div className="page" tabIndex={0} role="region" aria-label="JSON">
              <Raw
                name={name}
                doc={doc}
                looks={looks}
                issues={issues}
                readOnly={readOnly}
                change={change}
                written={written}
                onWritten={setWritten}
              />
            </div>
          )}
          {view === "canvas" && (
            <div className="verdict" role="status" aria-live="polite">
              {issues.length > 0 ? (
                <details>
                  <summary>
                    <span className={errors ? "badge bad" : "badge warn"}>
                      <Icon name="warn" size={12} />
                      {errors
                        ? `${errors} ${errors === 1 ? "error" : "errors"}`
                        : `${issues.length} to look at`}
                    </span>
                  </summary>
                  <Issues issues={issues} onShow={(issue) => show(issue.path)} />
                </details>
              ) : (
                Object.keys(doc.sockets ?? {}).length > 0 && (
                  <span className="badge good">
                    <Icon name="check" size={12} />
                    Ready to cast
                  </span>
                )
              )}
            </div>
          )}
        </div>
        {view === "canvas" && (
          <aside className="side right" aria-label="Palette and properties">
            {selection.sockets.length > 0 || selection.edge || selection.loop ? (
              <>
                <button
                  type="button"
                  className="btn quiet small back"
                  onClick={() => setSelection(NOTHING)}
                >
                  ← Palette
                </button>
                <Inspector
                  name={name}
                  doc={doc}
                  looks={looks}
                  look={look}
                  issues={issues}
                  selection={selection}
                  readOnly={readOnly}
                  onSelect={setSelection}
                  change={change}
                />
                {selection.sockets.length === 1 && !readOnly && (
                  <details className="next">
                    <summary>Add behind it</summary>
                    <Palette looks={looks} readOnly={readOnly} add={add} />
                  </details>
                )}
              </>
            ) : (
              <Palette looks={looks} readOnly={readOnly} add={add} />
            )}
          </aside>
        )}
      </div>
      {asking === "save" && (
        <SaveDialog
          name={name}
          config={config}
          draft={draft}
          onConflict={(found) => {
            setAsking(null);
            setConflict(found);
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "delete" && loadout && (
        <DeleteDialog loadout={loadout} draft={draft} onClose={() => setAsking(null)} />
      )}
      {asking === "delete" && !loadout && (
        <Dialog
          title={`Drop “${name}”?`}
          onClose={() => setAsking(null)}
          footer={
            <>
              <button type="button" className="btn" onClick={() => setAsking(null)}>
                Keep it
              </button>
              <button type="button" className="btn danger" onClick={revert}>
                Drop it
              </button>
            </>
          }
        >
          <p>It was never saved.</p>
        </Dialog>
      )}
      {asking === "rename" && (
        <RenameDialog
          name={name}
          names={names}
          draft={draft}
          saved={Boolean(loadout)}
          onClose={() => setAsking(null)}
        />
      )}
      {conflict && (
        <ConflictDialog
          name={name}
          draft={draft}
          conflict={conflict}
          onClose={() => setConflict(null)}
        />
      )}
    </section>
  );
}

function Palette({
  looks,
  readOnly,
  add,
}: {
  looks: Look[];
  readOnly: boolean;
  add: (materia: string) => void;
}) {
  const [filter, setFilter] = useState("");
  const shown = looks.filter((look) =>
    `${look.label} ${look.name} ${look.description} ${look.shelf ?? ""}`
      .toLowerCase()
      .includes(filter.toLowerCase()),
  );
  return (
    <section className="palette" aria-label="Palette">
      <input
        className="input"
        type="search"
        placeholder="Find a materia"
        aria-label="Find a materia"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {grouped(shown).map(([group, all]) => (
        <div key={group} className="stack tight">
          <h2 className="label">{group}</h2>
          <ul>
            {all.map((look) => (
              <li key={look.name}>
                <button
                  type="button"
                  className="orb-row"
                  disabled={readOnly}
                  draggable={!readOnly}
                  title={look.description}
                  onClick={() => add(look.name)}
                  onDragStart={(event) => {
                    event.dataTransfer.setData("application/x-materia", look.name);
                    event.dataTransfer.effectAllowed = "copy";
                  }}
                >
                  <Orb color={look.color} kind={look.kind} />
                  <span className="grow ellipsis">{look.label}</span>
                  {look.generator ? (
                    <span className="badge info">Generator</span>
                  ) : look.multiTurn ? (
                    <span className="badge">Asks you</span>
                  ) : null}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {shown.length === 0 && <p className="muted">No materia of that name.</p>}
    </section>
  );
}

function TargetChoice({
  target,
  config,
  onChange,
}: {
  target: Scope;
  config: Config;
  onChange: (target: Scope) => void;
}) {
  return (
    <fieldset className="plain">
      <legend className="label">Save to</legend>
      {(["user", "project"] as const).map((one) => (
        <label key={one} className="check">
          <input
            type="radio"
            name="target"
            checked={target === one}
            onChange={() => onChange(one)}
          />
          <span>
            {one === "user" ? "your own config" : "this project"}{" "}
            <code className="muted">{config.files.find((file) => file.scope === one)?.path}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function SaveDialog({
  name,
  config,
  draft,
  onClose,
  onConflict,
}: {
  name: string;
  config: Config;
  draft: Draft;
  onClose: () => void;
  onConflict: (conflict: Conflict) => void;
}) {
  const [busy, setBusy] = useState(false);
  const check = draft.check;
  const broken = check?.issues.some((issue) => issue.severity === "error") ?? false;
  const loadout = config.loadouts.find((one) => one.name === name);
  const save = async () => {
    setBusy(true);
    try {
      const conflict = await saveDraft(name, draft, broken);
      if (conflict) {
        onConflict(conflict);
        return;
      }
      say(`“${name}” is saved`);
      onClose();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Save “${name}”`}
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={busy || !check}
            onClick={() => void save()}
          >
            {broken ? "Save anyway" : "Save"}
          </button>
        </>
      }
    >
      <TargetChoice
        target={draft.target}
        config={config}
        onChange={(target) =>
          putDraft(name, { ...draft, target, base: loadout?.own[target] ?? null })
        }
      />
      {broken && (
        <p className="issue error">It has errors and cannot be cast until they are mended.</p>
      )}
      {check ? (
        <Diff before={check.before} after={check.after} />
      ) : (
        <p className="muted">Comparing…</p>
      )}
    </Dialog>
  );
}

function DeleteDialog({
  loadout,
  draft,
  onClose,
}: {
  loadout: Loadout;
  draft: Draft;
  onClose: () => void;
}) {
  const remove = async () => {
    try {
      await api.save({
        target: draft.target,
        edits: [{ section: "loadouts", name: loadout.name, value: null, base: draft.base }],
        evenBroken: true,
      });
      dropDraft(loadout.name);
      await loadConfig();
      go("/loadouts", true);
      say(`“${loadout.name}” is deleted`);
    } catch (error) {
      complain(error);
      onClose();
    }
  };
  return (
    <Dialog
      title={`Delete “${loadout.name}”?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Keep it
          </button>
          <button type="button" className="btn danger" onClick={() => void remove()}>
            Delete
          </button>
        </>
      }
    >
      <p>
        It is taken out of your {loadout.source} config. Casts that ran with it keep their own copy.
      </p>
      {loadout.active && <p className="issue warning">It is the active loadout.</p>}
    </Dialog>
  );
}

function RenameDialog({
  name,
  names,
  draft,
  saved,
  onClose,
}: {
  name: string;
  names: string[];
  draft: Draft;
  saved: boolean;
  onClose: () => void;
}) {
  const [wish, setWish] = useState(name);
  const taken = wish !== name && names.includes(wish.trim());
  const rename = async () => {
    const next = wish.trim();
    try {
      if (saved) {
        await api.save({
          target: draft.target,
          edits: [
            { section: "loadouts", name, value: null, base: draft.base },
            { section: "loadouts", name: next, value: draft.history.now, base: null },
          ],
          evenBroken: true,
        });
        dropDraft(name);
        await loadConfig();
      } else {
        putDraft(next, draft);
        dropDraft(name);
      }
      go(path("loadouts", next), true);
    } catch (error) {
      complain(error);
    }
    onClose();
  };
  return (
    <Dialog
      title={`Rename “${name}”`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={!wish.trim() || taken || wish.trim() === name}
            onClick={() => void rename()}
          >
            Rename
          </button>
        </>
      }
    >
      <Field
        label="Name"
        hint={
          taken
            ? "there is one of that name"
            : saved
              ? "what is not saved yet is saved with it"
              : undefined
        }
      >
        <input
          className="input"
          value={wish}
          autoFocus
          aria-invalid={taken}
          onChange={(event) => setWish(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}

function ConflictDialog({
  name,
  draft,
  conflict,
  onClose,
}: {
  name: string;
  draft: Draft;
  conflict: Conflict;
  onClose: () => void;
}) {
  const theirs = () => {
    if (conflict.current === null) dropDraft(name);
    else
      putDraft(name, {
        ...draft,
        history: {
          past: [...draft.history.past, draft.history.now],
          now: conflict.current as Doc,
          future: [],
        },
        saved: conflict.current as Doc,
        base: conflict.version,
      });
    void loadConfig();
    onClose();
  };
  const mine = async () => {
    try {
      const again = await saveDraft(name, { ...draft, base: conflict.version }, true);
      if (again) {
        complain(new Error("it was changed once more; look again"));
        return;
      }
      say(`“${name}” is saved`);
    } catch (error) {
      complain(error);
    }
    onClose();
  };
  return (
    <Dialog
      title={`“${name}” was changed meanwhile`}
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Decide later
          </button>
          <button type="button" className="btn" onClick={theirs}>
            Take theirs
          </button>
          <button type="button" className="btn primary" onClick={() => void mine()}>
            Save mine over it
          </button>
        </>
      }
    >
      <p>
        Somebody else saved it, in another tab or a text editor. Red is theirs, green is yours.
        Taking theirs can be undone.
      </p>
      <Diff
        before={conflict.current === null ? "" : JSON.stringify(conflict.current, null, 2)}
        after={JSON.stringify(draft.history.now, null, 2)}
      />
    </Dialog>
  );
}

export { readsJson };
