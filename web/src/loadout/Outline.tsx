// The loadout as a table: for the keyboard, for screen readers, for small screens.
import { useState } from "react";
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import { Issues, Orb } from "../ui/parts";
import type { Doc } from "./doc";
import * as graph from "./doc";
import { badEdges, EdgeList } from "./EdgePanel";
import { LoopPanel, readsJson } from "./LoopPanel";
import { walk } from "./layout";
import { whereIs } from "./locate";
import type { Look } from "./look";
import * as loopModel from "./loops";
import * as model from "./model";
import { MoreOf } from "./SocketPanel";
import { MateriaSelect, SocketSelect } from "./selects";

type Props = {
  name: string;
  doc: Doc;
  looks: Look[];
  look: (materia: string) => Look;
  issues: Finding[];
  readOnly: boolean;
  change: (doc: Doc) => void;
};

export function Outline({ name, doc, looks, look, issues, readOnly, change }: Props) {
  const [added, setAdded] = useState("");
  const [after, setAfter] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const order = walk(doc);
  const toggle = (id: string) =>
    setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]));
  const picked = chosen.filter((id) => doc.sockets?.[id]);
  return (
    <div className="outline stack">
      <table>
        <caption className="sr">Sockets of {name} in the order a cast meets them</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Choose</span>
            </th>
            <th scope="col">Socket</th>
            <th scope="col">Holds</th>
            <th scope="col">Goes on to</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {order.map((id) => {
            const socket = doc.sockets?.[id];
            if (!socket) return null;
            const shown = look(socket.materia);
            const own = issues.filter((issue) => whereIs(doc, name, issue.path).socket === id);
            return (
              <tr key={id}>
                <td>
                  {!readOnly && (
                    <input
                      type="checkbox"
                      aria-label={`Choose ${id}`}
                      checked={picked.includes(id)}
                      onChange={() => toggle(id)}
                    />
                  )}
                </td>
                <th scope="row" className="outline-id">
                  <span className="mono">{id}</span>
                  <span className="row">
                    {doc.entry === id && <span className="badge accent">Entry</span>}
                    {shown.generator && <span className="badge info">Generator</span>}
                    {graph.loopsOf(doc, id).map((loop) => (
                      <span key={loop} className="badge">
                        Loop consumer
                      </span>
                    ))}
                  </span>
                </th>
                <td>
                  <div className="row tight">
                    <Orb color={shown.color} kind={shown.kind} />
                    <MateriaSelect
                      looks={looks}
                      value={socket.materia}
                      label={`Materia of ${id}`}
                      disabled={readOnly}
                      onChange={(materia) => change(model.setMateria(doc, id, materia))}
                    />
                  </div>
                  <Issues issues={own} />
                  <details className="more">
                    <summary>More about {id}</summary>
                    <MoreOf id={id} doc={doc} look={look} readOnly={readOnly} change={change} />
                  </details>
                </td>
                <td>
                  <EdgeList
                    id={id}
                    doc={doc}
                    look={look}
                    bad={badEdges(doc, name, issues, id)}
                    readOnly={readOnly}
                    change={change}
                  />
                  {!readOnly && <AddEdge id={id} doc={doc} look={look} change={change} />}
                </td>
                <td>
                  {!readOnly && (
                    <span className="row tight">
                      {doc.entry !== id && (
                        <button
                          type="button"
                          className="btn quiet small"
                          aria-label={`Begin here, at ${id}`}
                          onClick={() => change(model.setEntry(doc, id))}
                        >
                          Begin here
                        </button>
                      )}
                      <button
                        type="button"
                        className="btn quiet small icon"
                        aria-label={`Remove ${id}`}
                        onClick={() => change(loopModel.removeSocket(doc, id))}
                      >
                        <Icon name="trash" size={14} />
                      </button>
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {!readOnly && (
        <form
          className="row outline-add"
          onSubmit={(event) => {
            event.preventDefault();
            if (!added) return;
            const [next, id] = model.addSocket(doc, added, undefined, after || undefined);
            change(next);
            setAdded("");
            setAfter(id);
          }}
        >
          <MateriaSelect
            looks={looks}
            value={added}
            label="Materia of the new socket"
            onChange={setAdded}
          />
          <SocketSelect
            doc={doc}
            look={look}
            value={doc.sockets?.[after] ? after : ""}
            label="Connect it behind"
            none="connected to nothing"
            onChange={setAfter}
          />
          <button type="submit" className="btn primary" disabled={!added}>
            <Icon name="plus" size={16} />
            Add socket
          </button>
        </form>
      )}
      {!readOnly && picked.length > 0 && (
        <div className="row">
          <button
            type="button"
            className="btn"
            onClick={() => {
              const [next] = loopModel.createLoop(
                doc,
                picked,
                (id) => look(doc.sockets?.[id]?.materia ?? "").generator,
                (id) => readsJson(doc, id, look),
              );
              change(next);
              setChosen([]);
            }}
          >
            <Icon name="loop" size={16} />
            Make a loop of {picked.join(", ")}
          </button>
        </div>
      )}
      {graph.loops(doc).map(([loop]) => (
        <div key={loop} className="card">
          <LoopPanel
            loopName={loop}
            doc={doc}
            look={look}
            readOnly={readOnly}
            onSelect={() => {}}
            change={change}
            name={name}
            issues={issues}
          />
        </div>
      ))}
    </div>
  );
}

function AddEdge({
  id,
  doc,
  look,
  change,
}: {
  id: string;
  doc: Doc;
  look: (materia: string) => Look;
  change: (doc: Doc) => void;
}) {
  const [target, setTarget] = useState("");
  return (
    <div className="row tight add-edge">
      <SocketSelect
        doc={doc}
        look={look}
        value={target}
        label={`New edge from ${id} to`}
        none="Connect to…"
        end
        onChange={setTarget}
      />
      <button
        type="button"
        className="btn small"
        aria-label={`Connect ${id}`}
        disabled={!target}
        onClick={() => {
          change(model.connect(doc, id, target));
          setTarget("");
        }}
      >
        Connect
      </button>
    </div>
  );
}
