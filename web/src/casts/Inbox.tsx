// What waits for the person, in one place.
import { useEffect } from "react";
import { path } from "../router";
import { useStore } from "../store";
import { Empty } from "../ui/parts";
import { Icon } from "../ui/icons";
import { StatusBadge } from "./Page";
import { casts, needs, watch } from "./live";
import { moment } from "./words";

export function InboxPage() {
  const all = useStore(casts);
  useEffect(() => watch(null), []);
  const waiting = needs(all);
  return (
    <>
      <header className="head"><div className="grow"><h1>Needs you</h1><p>Casts that cannot go on without a person.</p></div></header>
      <div className="page narrow" tabIndex={0} role="region" aria-label="What needs you">
        {all !== null && waiting.length === 0 && <Empty title="Nothing waits for you"><p>Paused conversations, casts in doubt and budgets that are used up turn up here.</p></Empty>}
        <ul className="stack">
          {waiting.map((need) => (
            <li key={need.key} className="card need">
              <div className="grow"><p className="row"><StatusBadge status={need.cast.status} /><strong>{need.text}</strong></p><p className="muted clamp">{need.cast.request}</p><p className="hint">{need.cast.loadout} · {moment(need.cast.startedAt)}</p></div>
              <a className="btn primary" href={path("casts", need.cast.castId)}>{need.kind === "refinement" ? "Answer" : "Look"}<Icon name="send" size={15} /></a>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
