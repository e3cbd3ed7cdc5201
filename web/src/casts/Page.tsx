// Casts: start one, watch it, talk to it, review it.
import { useState } from "react";
import { casts } from "../live";
import { path } from "../router";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Empty, useInView } from "../ui/parts";
import { CastScreen } from "./Screen";
import { StartDialog } from "./StartDialog";
import { StatusBadge } from "./StatusBadge";
import { moment } from "./words";

export function CastsPage({ id }: { id: string | undefined }) {
  const all = useStore(casts);
  const [search, setSearch] = useState("");
  const [starting, setStarting] = useState(false);
  useInView(all ? id : undefined);
  const shown = (all ?? []).filter((one) =>
    `${one.request} ${one.loadout} ${one.castId} ${one.status}`
      .toLowerCase()
      .includes(search.toLowerCase()),
  );
  return (
    <div className={id ? "split casts one" : "split casts"}>
      <aside className="side" aria-label="Casts">
        <div className="row">
          <h2 className="grow">Casts</h2>
          <button type="button" className="btn small primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={14} />
            Cast
          </button>
        </div>
        <input
          className="input"
          type="search"
          placeholder="Find a cast"
          aria-label="Find a cast"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <ul className="list" aria-busy={all === null}>
          {shown.slice(0, 200).map((one) => (
            <li key={one.castId}>
              <a
                href={path("casts", one.castId)}
                aria-current={one.castId === id ? "true" : undefined}
              >
                <span className="list-name clamp">{one.request || one.castId}</span>
                <span className="row">
                  <StatusBadge status={one.status} />
                  <span className="muted small">{one.loadout}</span>
                  <span className="muted small end">{moment(one.startedAt)}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {all !== null && shown.length === 0 && (
          <p className="muted pad">{search ? "No cast like that." : "No casts yet."}</p>
        )}
      </aside>
      {id ? (
        <CastScreen key={id} id={id} listed={all?.find((one) => one.castId === id)} />
      ) : (
        <Empty first title="Pick a cast, or start one">
          <p>A cast drives a request through a loadout: plan, build, check, keep.</p>
          <button type="button" className="btn primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={16} />
            Start a cast
          </button>
        </Empty>
      )}
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </div>
  );
}
