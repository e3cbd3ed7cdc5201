// One socket: its materia, and the handling of its output.
import { useState } from "react";
import { Icon } from "../ui/icons";
import { Check, Field, Issues, Orb } from "../ui/parts";
import { AssignList } from "./AssignList";
import * as graph from "./doc";
import { type Doc, type Socket, spoken, WHENS, type When } from "./doc";
import { badEdges, EdgeList } from "./EdgePanel";
import type { Props } from "./Inspector";
import { whereIs } from "./locate";
import type { Look } from "./look";
import * as loopModel from "./loops";
import * as model from "./model";
import { MateriaSelect, SocketSelect } from "./selects";

/** Shown for the moment between removing a socket and selecting another one. */
const GONE: Socket = { materia: "" };

export function SocketPanel({
  id,
  name,
  doc,
  looks,
  look,
  issues,
  readOnly,
  onSelect,
  change,
}: Props & { id: string }) {
  const socket = graph.socket(doc, id) ?? GONE;
  const shown = look(socket.materia);
  const own = issues.filter((issue) => whereIs(doc, name, issue.path).socket === id);
  const inLoops = graph.loopsOf(doc, id);
  const [target, setTarget] = useState("");
  return (
    <section className="stack" aria-label={`Socket ${id}`}>
      <header className="row">
        <Orb color={shown.color} kind={shown.kind} large />
        <div className="grow">
          <h2>{shown.label}</h2>
          <p className="muted mono">{id}</p>
        </div>
      </header>
      {shown.description && <p className="muted">{shown.description}</p>}
      <Issues issues={own} />
      <Field label="Materia">
        <MateriaSelect
          looks={looks}
          value={socket.materia}
          label="Materia"
          disabled={readOnly}
          onChange={(materia) => change(model.setMateria(doc, id, materia))}
        />
      </Field>
      <Parse id={id} doc={doc} look={look} readOnly={readOnly} change={change} />
      <Check
        label="The cast begins here"
        checked={doc.entry === id}
        disabled={readOnly || doc.entry === id}
        onChange={() => change(model.setEntry(doc, id))}
      />
      <div className="stack tight">
        <h3>Goes on to</h3>
        <EdgeList
          id={id}
          doc={doc}
          look={look}
          bad={badEdges(doc, name, issues, id)}
          readOnly={readOnly}
          change={change}
        />
        {!readOnly && (
          <div className="row tight">
            <SocketSelect
              doc={doc}
              look={look}
              value={target}
              onChange={setTarget}
              label="New edge to"
              none="Connect to…"
              end
            />
            <button
              type="button"
              className="btn"
              disabled={!target}
              onClick={() => {
                change(model.connect(doc, id, target));
                setTarget("");
              }}
            >
              Connect
            </button>
          </div>
        )}
      </div>
      {inLoops.map((loop) => (
        <button
          key={loop}
          type="button"
          className="btn"
          onClick={() => onSelect({ sockets: [], edge: null, loop })}
        >
          <Icon name="loop" size={16} />
          Loop {loop}
        </button>
      ))}
      <AssignList id={id} doc={doc} readOnly={readOnly} change={change} />
      <Advance id={id} doc={doc} readOnly={readOnly} change={change} />
      <Limit id={id} doc={doc} readOnly={readOnly} change={change} />
      {!readOnly && (
        <button
          type="button"
          className="btn danger"
          onClick={() => {
            change(loopModel.removeSocket(doc, id));
            onSelect({ sockets: [], edge: null, loop: null });
          }}
        >
          <Icon name="trash" size={16} />
          Remove socket
        </button>
      )}
    </section>
  );
}

type Part = { id: string; doc: Doc; readOnly: boolean; change: (doc: Doc) => void };

/** The fields that have no column in the table. */
export function MoreOf(props: Part & { look: (materia: string) => Look }) {
  return (
    <div className="stack tight">
      <Parse {...props} />
      <AssignList {...props} />
      <Advance {...props} />
      <Limit {...props} />
    </div>
  );
}

function Parse({ id, doc, look, readOnly, change }: Part & { look: (materia: string) => Look }) {
  const socket = graph.socket(doc, id) ?? GONE;
  const shown = look(socket.materia);
  return (
    <Field
      label="Output is read as"
      hint={shown.generator ? "a generator always gives JSON" : undefined}
    >
      <select
        className="input"
        aria-label={`Output of ${id} is read as`}
        value={socket.parse ?? ""}
        disabled={readOnly}
        onChange={(event) =>
          change(model.setField(doc, id, "parse", event.target.value || undefined))
        }
      >
        <option value="">as the materia says{shown.parse ? ` (${shown.parse})` : ""}</option>
        <option value="text">text</option>
        <option value="json">JSON</option>
      </select>
    </Field>
  );
}

/** The condition under which a loop advances to its next item. */
function Advance({ id, doc, readOnly, change }: Part) {
  const advance = doc.sockets?.[id]?.advance as
    | { cursor?: string; items?: string; when?: When }
    | undefined;
  if (graph.loopsOf(doc, id).length === 0 && !advance) return null;
  const put = (when: string) =>
    change(
      model.setField(
        doc,
        id,
        "advance",
        when ? { cursor: "workItemIndex", items: "state.workItems", ...advance, when } : undefined,
      ),
    );
  return (
    <Field label="Goes on to the next item">
      <select
        className="input"
        aria-label={`${id} goes on to the next item`}
        value={advance ? (advance.when ?? "always") : ""}
        disabled={readOnly}
        onChange={(event) => put(event.target.value)}
      >
        <option value="">not here</option>
        {WHENS.map((one) => (
          <option key={one} value={one}>
            {one === "always" ? "whenever it is done" : `when it is ${spoken(one)}`}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Limit({
  id,
  doc,
  readOnly,
  change,
}: {
  id: string;
  doc: Doc;
  readOnly: boolean;
  change: (doc: Doc) => void;
}) {
  const limits = (doc.sockets?.[id]?.limits ?? {}) as { maxVisits?: number };
  return (
    <Field label="At most so many visits">
      <input
        className="input"
        type="number"
        min={1}
        placeholder="as the config says"
        value={limits.maxVisits ?? ""}
        disabled={readOnly}
        onChange={(event) => {
          const { maxVisits: _old, ...rest } = limits;
          const next = event.target.value
            ? { ...rest, maxVisits: Number(event.target.value) }
            : rest;
          change(model.setField(doc, id, "limits", Object.keys(next).length ? next : undefined));
        }}
      />
    </Field>
  );
}
