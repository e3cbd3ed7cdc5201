// The graph of a loadout in its editor: its issues, the palette, and the selection.
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import { Empty, Issues } from "../ui/parts";
import type { Doc } from "./doc";
import { Graph } from "./Graph";
import { Inspector } from "./Inspector";
import type { Look } from "./look";
import { addSocket } from "./model";
import { Palette } from "./Palette";
import { NOTHING, type Selection } from "./selection";
import type { Actions } from "./ways";

type Props = {
  name: string;
  doc: Doc;
  looks: Look[];
  look: (materia: string) => Look;
  issues: Finding[];
  readOnly: boolean;
  selection: Selection;
  onSelect: (selection: Selection) => void;
};

export function CanvasView({
  actions,
  onShow,
  ...props
}: Props & { actions: Actions | null; onShow: (issue: Finding) => void }) {
  const { name, doc, look, issues, readOnly, selection, onSelect } = props;
  const empty = Object.keys(doc.sockets ?? {}).length === 0;
  return (
    <>
      {empty && readOnly ? (
        <Empty title="Nothing here" />
      ) : (
        <Graph
          name={name}
          doc={doc}
          look={look}
          issues={issues}
          selection={selection}
          onSelect={onSelect}
          actions={actions}
        />
      )}
      {empty && (
        <div className="canvas-hint">
          <Empty title="An empty loadout">
            <p>Drag a materia from the right onto the canvas, or press Enter on it.</p>
          </Empty>
        </div>
      )}
      <Verdict issues={issues} empty={empty} onShow={onShow} />
    </>
  );
}

function Verdict({
  issues,
  empty,
  onShow,
}: {
  issues: Finding[];
  empty: boolean;
  onShow: (issue: Finding) => void;
}) {
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return (
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
          <Issues issues={issues} onShow={onShow} />
        </details>
      ) : (
        !empty && (
          <span className="badge good">
            <Icon name="check" size={12} />
            Ready to cast
          </span>
        )
      )}
    </div>
  );
}

export function CanvasSide({ change, ...props }: Props & { change: (doc: Doc) => void }) {
  const { doc, looks, readOnly, selection, onSelect } = props;
  const add = (materia: string) => {
    const behind = selection.sockets.length === 1 ? selection.sockets[0] : undefined;
    const [next, id] = addSocket(doc, materia, undefined, behind);
    change(next);
    onSelect({ ...NOTHING, sockets: [id] });
  };
  const chosen = selection.sockets.length > 0 || selection.edge || selection.loop;
  const palette = <Palette looks={looks} readOnly={readOnly} add={add} />;
  return (
    <aside className="side right" aria-label="Palette and properties">
      {chosen ? (
        <>
          <button type="button" className="btn quiet small back" onClick={() => onSelect(NOTHING)}>
            ← Palette
          </button>
          <Inspector {...props} change={change} />
          {selection.sockets.length === 1 && !readOnly && (
            <details className="next">
              <summary>Add behind it</summary>
              {palette}
            </details>
          )}
        </>
      ) : (
        palette
      )}
    </aside>
  );
}
