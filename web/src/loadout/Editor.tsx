// One loadout: its three views and its actions.
import { useCallback, useMemo, useState } from "react";
import { api } from "../api";
import { go, path } from "../router";
import type { DefinitionsReport, Finding, SaveConflict } from "../types";
import type { MenuItem } from "../ui/menu";
import { Dialog, ScrollArea } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { CanvasSide, CanvasView } from "./Canvas";
import { ConflictDialog, DeleteDialog, RenameDialog, SaveDialog } from "./dialogs";
import type { Doc } from "./doc";
import { type Draft, dropDraft, editDraft, isChanged, loadConfig, putDraft } from "./drafts";
import { EditorHead, type View } from "./EditorHead";
import { graphActions } from "./graphActions";
import { begin } from "./history";
import { whereIs } from "./locate";
import { useLooks } from "./looks";
import * as model from "./model";
import { Outline } from "./Outline";
import { Raw, type Written } from "./Raw";
import { NOTHING, type Selection, selectionOf } from "./selection";
import { useCheck } from "./useCheck";
import { useShortcuts } from "./useShortcuts";

export function Editor({
  name,
  config,
  draft,
  names,
}: {
  name: string;
  config: DefinitionsReport;
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
  const [conflict, setConflict] = useState<SaveConflict | null>(null);
  const [written, setWritten] = useState<Written | null>(null);
  const change = useCallback(
    (next: Doc) => {
      if (!readOnly) editDraft(name, draft, next);
    },
    [name, draft, readOnly],
  );
  const changed = isChanged(draft) || !loadout;
  const savable = !readOnly && changed && !written;
  const issues = draft.check?.issues ?? loadout?.issues ?? [];
  useCheck(name, doc, draft.target, readOnly);
  const save = useCallback(() => setAsking("save"), []);
  useShortcuts(name, draft, savable ? save : null);
  const actions = useMemo(
    () => (readOnly ? null : graphActions(doc, change, setSelection)),
    [doc, change, readOnly],
  );

  const show = (issue: Finding) => {
    const at = selectionOf(whereIs(doc, name, issue.path));
    if (at) setSelection(at);
  };
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
      const answer = await api.active({ name });
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
  const parts = { name, doc, looks, look, issues, readOnly, change };
  return (
    <section className="editor" aria-label={`Loadout ${name}`}>
      <EditorHead
        name={name}
        loadout={loadout}
        draft={draft}
        readOnly={readOnly}
        changed={changed}
        written={written !== null}
        view={view}
        menu={menu}
        onView={setView}
        onCopy={copy}
        onSave={save}
        change={change}
      />
      <div className={`editor-body ${view}`}>
        <div className="editor-view">
          {view === "canvas" && (
            <CanvasView
              {...parts}
              selection={selection}
              onSelect={setSelection}
              actions={actions}
              onShow={show}
            />
          )}
          {view === "outline" && (
            <ScrollArea className="page" label="Outline">
              <Outline {...parts} />
            </ScrollArea>
          )}
          {view === "json" && (
            <ScrollArea className="page" label="JSON">
              <Raw {...parts} written={written} onWritten={setWritten} />
            </ScrollArea>
          )}
        </div>
        {view === "canvas" && (
          <CanvasSide {...parts} selection={selection} onSelect={setSelection} />
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
