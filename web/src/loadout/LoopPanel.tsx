// One loop: its sockets, the items that it consumes, and its exits.
import { useState } from "react";
import { Icon } from "../ui/icons";
import { Check, Field, Issues } from "../ui/parts";
import type { Doc } from "./doc";
import * as graph from "./doc";
import type { Props } from "./Inspector";
import { whereIs } from "./locate";
import type { Look } from "./look";
import * as loopModel from "./loops";
import { SocketSelect, WhenSelect } from "./selects";

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
  const loop = doc.loops?.[loopName] ?? {};
  const inside = graph.members(loop);
  const own = issues.filter((issue) => whereIs(doc, name, issue.path).loop === loopName);
  const [target, setTarget] = useState("");
  const [from, setFrom] = useState(loopModel.exitsOf(loop)[0]?.from ?? inside.at(-1) ?? "");
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
              loopModel.setLoop(doc, loopName, {
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
        {graph.sockets(doc).map(([id, socket]) => (
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
                loopModel.setLoop(doc, loopName, {
                  sockets: on ? [...inside, id] : inside.filter((one) => one !== id),
                }),
              )
            }
          />
        ))}
      </fieldset>
      <div className="stack tight">
        <h3>When the list is done</h3>
        {loopModel.exitsOf(loop).map((exit) => (
          <div key={exit.id} className="exit-row">
            <span className="muted mono">{exit.from}</span>
            <WhenSelect
              label={`Condition of route ${exit.id}`}
              value={exit.condition}
              disabled={readOnly}
              onChange={(condition) =>
                change(loopModel.setExit(doc, loopName, exit.id, { condition }))
              }
            />
            <SocketSelect
              doc={doc}
              look={look}
              label={`Target of route ${exit.id}`}
              value={exit.targetSocketId}
              end
              disabled={readOnly}
              onChange={(targetSocketId) =>
                change(loopModel.setExit(doc, loopName, exit.id, { targetSocketId }))
              }
            />
            {!readOnly && (
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Remove route ${exit.id}`}
                onClick={() => change(loopModel.removeExit(doc, loopName, exit.id))}
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
                change(loopModel.addExit(doc, loopName, from, target));
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
            change(loopModel.breakLoop(doc, loopName));
            onSelect({ sockets: [], edge: null, loop: null });
          }}
        >
          Break loop
        </button>
      )}
    </section>
  );
}
