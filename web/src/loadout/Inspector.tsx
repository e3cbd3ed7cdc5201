// The inspector: the selected part of the graph, and the controls that change it.
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import type { Doc } from "./doc";
import { EdgePanel } from "./EdgePanel";
import { LoopPanel, readsJson } from "./LoopPanel";
import type { Look } from "./look";
import * as loopModel from "./loops";
import { SocketPanel } from "./SocketPanel";
import type { Selection } from "./selection";

export type Props = {
  name: string;
  doc: Doc;
  looks: Look[];
  look: (materia: string) => Look;
  issues: Finding[];
  selection: Selection;
  readOnly: boolean;
  onSelect: (selection: Selection) => void;
  change: (doc: Doc) => void;
};

export function Inspector(props: Props) {
  const { selection, doc } = props;
  if (selection.edge) return <EdgePanel {...props} id={selection.edge} />;
  if (selection.loop && doc.loops?.[selection.loop])
    return <LoopPanel key={selection.loop} {...props} loopName={selection.loop} />;
  if (selection.sockets.length > 1) return <ManyPanel {...props} />;
  const id = selection.sockets[0];
  if (id && doc.sockets?.[id]) return <SocketPanel key={id} {...props} id={id} />;
  return null;
}

function ManyPanel({ doc, selection, look, readOnly, onSelect, change }: Props) {
  const make = () => {
    const generator = (id: string) => look(doc.sockets?.[id]?.materia ?? "").generator;
    const [next, loop] = loopModel.createLoop(doc, selection.sockets, generator, (id) =>
      readsJson(doc, id, look),
    );
    change(next);
    onSelect({ sockets: [], edge: null, loop });
  };
  return (
    <section className="stack" aria-label="Several sockets">
      <h2>{selection.sockets.length} sockets</h2>
      <ul className="stack tight">
        {selection.sockets.map((id) => (
          <li key={id} className="row">
            <span className="mono muted">{id}</span> {look(doc.sockets?.[id]?.materia ?? "").label}
          </li>
        ))}
      </ul>
      {!readOnly && (
        <button type="button" className="btn primary" onClick={make}>
          <Icon name="loop" size={16} />
          Make a loop of them
        </button>
      )}
      {!readOnly && (
        <button
          type="button"
          className="btn danger"
          onClick={() => {
            change(selection.sockets.reduce(loopModel.removeSocket, doc));
            onSelect({ sockets: [], edge: null, loop: null });
          }}
        >
          <Icon name="trash" size={16} />
          Remove them
        </button>
      )}
    </section>
  );
}
