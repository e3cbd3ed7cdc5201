// The header of the loadout editor: what the loadout is, and the buttons.
import type { LoadoutDefinition } from "../types";
import { Icon } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { Tabs } from "../ui/parts";
import type { Doc } from "./doc";
import { type Draft, putDraft } from "./drafts";
import { redo, undo } from "./history";
import { forgetLayout } from "./model";

export type View = "canvas" | "outline" | "json";
const VIEWS = [
  ["canvas", "Canvas"],
  ["outline", "Outline"],
  ["json", "JSON"],
] as const;

type Props = {
  name: string;
  loadout: LoadoutDefinition | undefined;
  draft: Draft;
  readOnly: boolean;
  changed: boolean;
  written: boolean;
  view: View;
  menu: MenuItem[];
  onView: (view: View) => void;
  onCopy: () => void;
  onSave: () => void;
  change: (doc: Doc) => void;
};

export function EditorHead(props: Props) {
  const { name, loadout, readOnly, changed, written, view } = props;
  return (
    <header className="head">
      <div className="grow">
        <h1>{name}</h1>
        <p className="ellipsis">{about(props)}</p>
      </div>
      <div className="row">
        {!readOnly && <History {...props} />}
        <Tabs label="View" value={view} onChange={props.onView} options={VIEWS} />
        {readOnly && loadout?.shipped ? (
          <button type="button" className="btn primary" onClick={props.onCopy}>
            <Icon name="copy" size={16} />
            Duplicate
          </button>
        ) : (
          <button
            type="button"
            className="btn primary"
            disabled={!changed || readOnly || written}
            title={written ? "What stands in the JSON view is no JSON yet" : undefined}
            onClick={props.onSave}
          >
            Save…
          </button>
        )}
        <Menu label="More about this loadout" items={props.menu} />
      </div>
    </header>
  );
}

function about({ loadout, draft, readOnly, changed }: Props): string {
  const { description } = draft.history.now;
  if (loadout?.shipped) return "Ships with materia. Duplicate it to change it.";
  if (typeof description === "string") return description;
  if (readOnly) return "Locked.";
  return changed ? "Not saved yet" : "Saved";
}

function History({ name, draft, view, change }: Props) {
  const { history } = draft;
  return (
    <>
      <button
        type="button"
        className="btn quiet icon"
        aria-label="Undo"
        title="Undo (Ctrl Z)"
        disabled={history.past.length === 0}
        onClick={() => putDraft(name, { ...draft, history: undo(history) })}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        className="btn quiet icon"
        aria-label="Redo"
        title="Redo (Ctrl Shift Z)"
        disabled={history.future.length === 0}
        onClick={() => putDraft(name, { ...draft, history: redo(history) })}
      >
        <Icon name="redo" />
      </button>
      {view === "canvas" && (
        <button
          type="button"
          className="btn quiet icon"
          aria-label="Arrange automatically"
          title="Arrange automatically"
          disabled={!history.now.layout}
          onClick={() => change(forgetLayout(history.now))}
        >
          <Icon name="layout" />
        </button>
      )}
    </>
  );
}
