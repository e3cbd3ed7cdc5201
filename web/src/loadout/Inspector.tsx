// What is chosen, and everything that can be changed about it.
import { useLayoutEffect, useRef, useState } from "react";
import type { Issue } from "../types";
import { Check, Field, Issues, Orb } from "../ui/parts";
import { Icon } from "../ui/icons";
import { ways, type Selection } from "./Graph";
import type { Look } from "./look";
import * as model from "./model";
import { END, WHENS, spoken, type Doc, type When } from "./model";

type Props = {
  name: string;
  doc: Doc;
  looks: Look[];
  look: (materia: string) => Look;
  issues: Issue[];
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

export function MateriaSelect({
  looks,
  value,
  onChange,
  label,
  disabled,
}: {
  looks: Look[];
  value: string;
  onChange: (name: string) => void;
  label: string;
  disabled?: boolean;
}) {
  const known = looks.some((look) => look.name === value);
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value)}
    >
      {!known && <option value={value}>{value || "Choose a materia"}</option>}
      {["Agents", "Generators", "Utility"].map((group) => (
        <optgroup key={group} label={group}>
          {looks
            .filter((look) => look.group === group)
            .map((look) => (
              <option key={look.name} value={look.name}>
                {look.label}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

export function WhenSelect({
  value,
  onChange,
  label,
  disabled,
}: {
  value: When;
  onChange: (when: When) => void;
  label: string;
  disabled?: boolean;
}) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value as When)}
    >
      {WHENS.map((one) => (
        <option key={one} value={one}>
          {spoken(one)}
        </option>
      ))}
    </select>
  );
}

export function SocketSelect({
  doc,
  value,
  onChange,
  label,
  end,
  none,
  disabled,
  look,
}: {
  doc: Doc;
  value: string;
  onChange: (id: string) => void;
  label: string;
  end?: boolean;
  none?: string;
  disabled?: boolean;
  look: (materia: string) => Look;
}) {
  const known = value === "" || value === END || doc.sockets?.[value];
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {!known && <option value={value}>{value}</option>}
      {model.sockets(doc).map(([id, socket]) => (
        <option key={id} value={id}>
          {id} · {look(socket.materia).label}
        </option>
      ))}
      {end && <option value={END}>end</option>}
    </select>
  );
}

function SocketPanel({
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
  const socket = doc.sockets![id]!;
  const shown = look(socket.materia);
  const own = issues.filter((issue) => model.whereIs(doc, name, issue.path).socket === id);
  const inLoops = model.loopsOf(doc, id);
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
            change(model.removeSocket(doc, id));
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

/** Which edges of a socket have something wrong with them. */
export function badEdges(doc: Doc, name: string, issues: Issue[], id: string): Set<number> {
  return new Set(
    issues
      .map((issue) => model.whereIs(doc, name, issue.path))
      .flatMap((at) => (at.socket === id && at.edge !== undefined ? [at.edge] : [])),
  );
}

export function EdgeList({
  id,
  doc,
  look,
  bad,
  readOnly,
  change,
}: {
  id: string;
  doc: Doc;
  look: (materia: string) => Look;
  bad?: Set<number>;
  readOnly: boolean;
  change: (doc: Doc) => void;
}) {
  const all = model.edges(doc, id);
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<[number, string] | null>(null);
  // The focus goes where the edge went, so that the same key moves it on.
  useLayoutEffect(() => {
    if (!moved.current) return;
    const [at, way] = moved.current;
    moved.current = null;
    list.current?.children[at]?.querySelector<HTMLElement>(`[data-move="${way}"]`)?.focus();
  });
  const move = (at: number, by: number) => {
    if (at + by < 0 || at + by >= all.length) return;
    moved.current = [at + by, by < 0 ? "up" : "down"];
    change(model.moveEdge(doc, id, at, by));
  };
  if (all.length === 0) return <p className="muted">Nowhere: the cast ends here.</p>;
  return (
    <ol className="edge-list" ref={list}>
      {all.map((edge, at) => (
        <li key={at} className={bad?.has(at) ? "bad" : undefined}>
          <WhenSelect
            value={model.when(edge)}
            label={`Condition of edge ${at + 1} of ${id}`}
            disabled={readOnly}
            onChange={(when) => change(model.setEdge(doc, id, at, { when }))}
          />
          <SocketSelect
            doc={doc}
            look={look}
            value={edge.to}
            label={`Target of edge ${at + 1} of ${id}`}
            end
            disabled={readOnly}
            onChange={(to) => change(model.setEdge(doc, id, at, { to }))}
          />
          <label className="most">
            at most{" "}
            <input
              className="input"
              type="number"
              min={1}
              value={edge.maxTraversals ?? ""}
              placeholder="∞"
              aria-label={`Most traversals of edge ${at + 1} of ${id}`}
              disabled={readOnly}
              onChange={(event) =>
                change(
                  model.setEdge(doc, id, at, {
                    maxTraversals: event.target.value ? Number(event.target.value) : undefined,
                  } as never),
                )
              }
            />{" "}
            × per item
          </label>
          {!readOnly && (
            <span className="row tight">
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Move edge ${at + 1} of ${id} up`}
                data-move="up"
                aria-disabled={at === 0}
                onClick={() => move(at, -1)}
              >
                <Icon name="up" size={14} />
              </button>
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Move edge ${at + 1} of ${id} down`}
                data-move="down"
                aria-disabled={at === all.length - 1}
                onClick={() => move(at, 1)}
              >
                <Icon name="down" size={14} />
              </button>
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Remove edge ${at + 1} of ${id}`}
                onClick={() => change(model.removeEdge(doc, id, at))}
              >
                <Icon name="trash" size={14} />
              </button>
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

type Part = { id: string; doc: Doc; readOnly: boolean; change: (doc: Doc) => void };

/** What a table has no column for. */
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
  const socket = doc.sockets![id]!;
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

/** Where a loop goes on to its next item. */
function Advance({ id, doc, readOnly, change }: Part) {
  const advance = doc.sockets?.[id]?.advance as
    | { cursor?: string; items?: string; when?: When }
    | undefined;
  if (model.loopsOf(doc, id).length === 0 && !advance) return null;
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

function AssignList({
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
  const assign = (doc.sockets?.[id]?.assign ?? {}) as Record<string, string>;
  const pairs = Object.entries(assign);
  const put = (next: [string, string][]) =>
    change(model.setField(doc, id, "assign", next.length ? Object.fromEntries(next) : undefined));
  if (readOnly && pairs.length === 0) return null;
  return (
    <details open={pairs.length > 0}>
      <summary>Keeps in the state</summary>
      <div className="stack tight">
        {pairs.map(([to, from], at) => (
          <div key={at} className="row tight">
            <input
              className="input mono"
              aria-label={`State path ${at + 1}`}
              defaultValue={to}
              disabled={readOnly}
              onBlur={(event) =>
                put(
                  pairs.map((pair, index) =>
                    index === at ? [event.target.value || to, pair[1]] : pair,
                  ),
                )
              }
            />
            <span className="muted" aria-hidden="true">
              ←
            </span>
            <input
              className="input mono"
              aria-label={`Output path ${at + 1}`}
              defaultValue={from}
              disabled={readOnly}
              onBlur={(event) =>
                put(
                  pairs.map((pair, index) =>
                    index === at ? [pair[0], event.target.value || from] : pair,
                  ),
                )
              }
            />
            {!readOnly && (
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Remove assignment ${at + 1}`}
                onClick={() => put(pairs.filter((_, index) => index !== at))}
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
        ))}
        {!readOnly && (
          <button
            type="button"
            className="btn small"
            onClick={() => put([...pairs, [`value${pairs.length + 1}`, "$.context"]])}
          >
            <Icon name="plus" size={14} />
            Assignment
          </button>
        )}
      </div>
    </details>
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

function EdgePanel({
  id,
  doc,
  look,
  readOnly,
  onSelect,
  change,
  name,
  issues,
}: Props & { id: string }) {
  const way = ways(doc).find((one) => one.id === id);
  if (!way) return <p className="muted">This edge is gone.</p>;
  const own = issues.filter((issue) => {
    const at = model.whereIs(doc, name, issue.path);
    return way.loop
      ? at.loop === way.loop && at.exit === way.route
      : at.socket === way.from && at.edge === way.index;
  });
  const gone = () => onSelect({ sockets: [], edge: null, loop: null });
  const title = way.loop ? "Loop exit route" : "Edge";
  const move = (by: number) => {
    const to = way.index! + by;
    if (to < 0 || to >= model.edges(doc, way.from).length) return;
    change(model.moveEdge(doc, way.from, way.index!, by));
    onSelect({ sockets: [], loop: null, edge: `edge:${way.from}:${to}` });
  };
  return (
    <section className="stack" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p className="muted mono">
          {way.from} → {way.to}
        </p>
      </header>
      <Issues issues={own} />
      <Field
        label="Taken when"
        hint={
          way.loop
            ? "looked at when the list is done"
            : "the first edge whose condition holds is taken"
        }
      >
        <WhenSelect
          label="Condition"
          value={way.when}
          disabled={readOnly}
          onChange={(when) =>
            change(
              way.loop
                ? model.setExit(doc, way.loop, way.route!, { condition: when })
                : model.setEdge(doc, way.from, way.index!, { when }),
            )
          }
        />
      </Field>
      <Field label="Leads to">
        <SocketSelect
          doc={doc}
          look={look}
          label="Target"
          value={way.to}
          end
          disabled={readOnly}
          onChange={(to) =>
            change(
              way.loop
                ? model.setExit(doc, way.loop, way.route!, { targetSocketId: to })
                : model.setEdge(doc, way.from, way.index!, { to }),
            )
          }
        />
      </Field>
      {!way.loop && (
        <Field label="At most so often per item">
          <input
            className="input"
            type="number"
            min={1}
            placeholder="no limit of its own"
            value={way.most ?? ""}
            disabled={readOnly}
            onChange={(event) =>
              change(
                model.setEdge(doc, way.from, way.index!, {
                  maxTraversals: event.target.value ? Number(event.target.value) : undefined,
                } as never),
              )
            }
          />
        </Field>
      )}
      {!readOnly && !way.loop && (
        <div className="row">
          <button
            type="button"
            className="btn"
            aria-disabled={way.index === 0}
            onClick={() => move(-1)}
          >
            <Icon name="up" size={16} />
            Earlier
          </button>
          <button
            type="button"
            className="btn"
            aria-disabled={way.index === model.edges(doc, way.from).length - 1}
            onClick={() => move(1)}
          >
            <Icon name="down" size={16} />
            Later
          </button>
        </div>
      )}
      {!readOnly && (
        <button
          type="button"
          className="btn danger"
          onClick={() => {
            change(
              way.loop
                ? model.removeExit(doc, way.loop, way.route!)
                : model.removeEdge(doc, way.from, way.index!),
            );
            gone();
          }}
        >
          <Icon name="trash" size={16} />
          Remove
        </button>
      )}
    </section>
  );
}

function ManyPanel({ doc, selection, look, readOnly, onSelect, change }: Props) {
  const make = () => {
    const generator = (id: string) => look(doc.sockets?.[id]?.materia ?? "").generator;
    const [next, loop] = model.createLoop(doc, selection.sockets, generator, (id) =>
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
            change(selection.sockets.reduce(model.removeSocket, doc));
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

export function readsJson(doc: Doc, id: string, look: (materia: string) => Look): boolean {
  const socket = doc.sockets?.[id];
  const shown = look(socket?.materia ?? "");
  return (
    socket?.parse === "json" ||
    (socket?.parse === undefined && shown.parse === "json") ||
    shown.generator
  );
}

export function LoopPanel({
  loopName,
  doc,
  look,
  readOnly,
  onSelect,
  change,
  name,
  issues,
}: Omit<Props, "looks" | "selection"> & { loopName: string }) {
  const loop = doc.loops![loopName]!;
  const inside = model.members(loop);
  const own = issues.filter((issue) => model.whereIs(doc, name, issue.path).loop === loopName);
  const [target, setTarget] = useState("");
  const [from, setFrom] = useState(model.exitsOf(loop)[0]?.from ?? inside.at(-1) ?? "");
  return (
    <section className="stack" aria-label={`Loop ${loopName}`}>
      <header>
        <h2 className="row">
          <Icon name="loop" />
          {loopName}
        </h2>
        <p className="muted">Its sockets work through a list, one item at a time.</p>
      </header>
      <Issues issues={own} />
      <Field label="Works through the items of">
        <SocketSelect
          doc={doc}
          look={look}
          label="Generator"
          value={loop.consumes?.from ?? ""}
          none="no list"
          disabled={readOnly}
          onChange={(id) =>
            change(
              model.setLoop(doc, loopName, {
                consumes: id
                  ? { ...loop.consumes, from: id, output: loop.consumes?.output ?? "workItems" }
                  : undefined,
              } as never),
            )
          }
        />
      </Field>
      <fieldset className="plain" disabled={readOnly}>
        <legend className="label">Sockets</legend>
        {model.sockets(doc).map(([id, socket]) => (
          <Check
            key={id}
            label={
              <>
                <span className="mono">{id}</span> {look(socket.materia).label}
              </>
            }
            checked={inside.includes(id)}
            disabled={readOnly || (inside.length === 1 && inside[0] === id)}
            onChange={(on) =>
              change(
                model.setLoop(doc, loopName, {
                  sockets: on ? [...inside, id] : inside.filter((one) => one !== id),
                }),
              )
            }
          />
        ))}
      </fieldset>
      <div className="stack tight">
        <h3>When the list is done</h3>
        {model.exitsOf(loop).map((exit) => (
          <div key={exit.id} className="exit-row">
            <span className="muted mono">{exit.from}</span>
            <WhenSelect
              label={`Condition of route ${exit.id}`}
              value={exit.condition}
              disabled={readOnly}
              onChange={(condition) => change(model.setExit(doc, loopName, exit.id, { condition }))}
            />
            <SocketSelect
              doc={doc}
              look={look}
              label={`Target of route ${exit.id}`}
              value={exit.targetSocketId}
              end
              disabled={readOnly}
              onChange={(targetSocketId) =>
                change(model.setExit(doc, loopName, exit.id, { targetSocketId }))
              }
            />
            {!readOnly && (
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Remove route ${exit.id}`}
                onClick={() => change(model.removeExit(doc, loopName, exit.id))}
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
        ))}
        {!(loop.exits ?? []).length && !loop.exit && <p className="muted">The cast ends.</p>}
        {!readOnly && (
          <div className="exit-row">
            <select
              className="input"
              aria-label="New route from"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            >
              {inside.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
            <SocketSelect
              doc={doc}
              look={look}
              label="New route to"
              value={target}
              none="Leads to…"
              end
              onChange={setTarget}
            />
            <button
              type="button"
              className="btn"
              disabled={!target || !from}
              onClick={() => {
                change(model.addExit(doc, loopName, from, target));
                setTarget("");
              }}
            >
              Add route
            </button>
          </div>
        )}
      </div>
      {!readOnly && (
        <button
          type="button"
          className="btn danger"
          onClick={() => {
            change(model.breakLoop(doc, loopName));
            onSelect({ sockets: [], edge: null, loop: null });
          }}
        >
          Break loop
        </button>
      )}
    </section>
  );
}
