// Edges: the ordered list of a socket's edges, and a single edge.
import { useLayoutEffect, useRef } from "react";
import type { Finding } from "../types";
import { Icon } from "../ui/icons";
import { byPlace, Field, Issues } from "../ui/parts";
import type { Doc, Edge, Exit } from "./doc";
import * as graph from "./doc";
import type { Props } from "./Inspector";
import { whereIs } from "./locate";
import type { Look } from "./look";
import * as loopModel from "./loops";
import * as model from "./model";
import { SocketSelect, WhenSelect } from "./selects";
import { ways } from "./way";

/** The edges of a socket that have issues. */
export function badEdges(doc: Doc, name: string, issues: Finding[], id: string): Set<number> {
  return new Set(
    issues
      .map((issue) => whereIs(doc, name, issue.path))
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
  const all = graph.edges(doc, id);
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<[number, string] | null>(null);
  // The focus follows the edge, so that the same key moves it again.
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
      {byPlace(all, (edge, at) => (
        <li className={bad?.has(at) ? "bad" : undefined}>
          <WhenSelect
            value={graph.when(edge)}
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

export function EdgePanel({
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
    const at = whereIs(doc, name, issue.path);
    return way.loop
      ? at.loop === way.loop && at.exit === way.route
      : at.socket === way.from && at.edge === way.index;
  });
  const title = way.loop ? "Loop exit route" : "Edge";
  const index = way.index ?? 0;
  const set = (edge: Partial<Edge>, exit: Partial<Exit>) =>
    change(
      way.loop && way.route
        ? loopModel.setExit(doc, way.loop, way.route, exit)
        : model.setEdge(doc, way.from, index, edge),
    );
  const remove = () => {
    change(
      way.loop && way.route
        ? loopModel.removeExit(doc, way.loop, way.route)
        : model.removeEdge(doc, way.from, index),
    );
    onSelect({ sockets: [], edge: null, loop: null });
  };
  const move = (by: number) => {
    const to = index + by;
    if (to < 0 || to >= graph.edges(doc, way.from).length) return;
    change(model.moveEdge(doc, way.from, index, by));
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
          onChange={(when) => set({ when }, { condition: when })}
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
          onChange={(to) => set({ to }, { targetSocketId: to })}
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
                model.setEdge(doc, way.from, index, {
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
            aria-disabled={way.index === graph.edges(doc, way.from).length - 1}
            onClick={() => move(1)}
          >
            <Icon name="down" size={16} />
            Later
          </button>
        </div>
      )}
      {!readOnly && (
        <button type="button" className="btn danger" onClick={remove}>
          <Icon name="trash" size={16} />
          Remove
        </button>
      )}
    </section>
  );
}
