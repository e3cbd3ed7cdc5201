// Dialogs to save, delete and rename a loadout, and to resolve a conflict with another editor.
import { useState } from "react";
import { api } from "../api";
import { go, path } from "../router";
import type { DefinitionsReport, LoadoutDefinition, SaveConflict } from "../types";
import { Dialog, Field } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { Diff } from "./diff";
import type { Doc } from "./doc";
import { type Draft, dropDraft, loadConfig, putDraft, type Scope, saveDraft } from "./drafts";

function TargetChoice({
  target,
  config,
  onChange,
}: {
  target: Scope;
  config: DefinitionsReport;
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

export function SaveDialog({
  name,
  config,
  draft,
  onClose,
  onConflict,
}: {
  name: string;
  config: DefinitionsReport;
  draft: Draft;
  onClose: () => void;
  onConflict: (conflict: SaveConflict) => void;
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

export function DeleteDialog({
  loadout,
  draft,
  onClose,
}: {
  loadout: LoadoutDefinition;
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

export function RenameDialog({
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

export function ConflictDialog({
  name,
  draft,
  conflict,
  onClose,
}: {
  name: string;
  draft: Draft;
  conflict: SaveConflict;
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
