// The loadout editor: the list, the three views of one loadout, and saving.
import { useEffect } from "react";
import { go, path } from "../router";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Empty, useInView } from "../ui/parts";
import * as graph from "./doc";
import { config as configStore, draftOf, drafts, isChanged, loadConfig, putDraft } from "./drafts";
import { Editor } from "./Editor";
import { begin } from "./history";
import * as model from "./model";

export function LoadoutPage({ name }: { name: string | undefined }) {
  const config = useStore(configStore);
  const all = useStore(drafts);
  useEffect(() => {
    void loadConfig();
  }, []);
  const names = config
    ? [
        ...config.loadouts.map((one) => one.name),
        ...Object.keys(all).filter((one) => !config.loadouts.some((known) => known.name === one)),
      ]
    : [];
  const chosen = name ?? config?.active ?? names[0];
  useInView(config ? chosen : undefined);
  const draft = config && chosen !== undefined ? draftOf(config, chosen, all) : null;
  const create = () => {
    const fresh = model.freshName("New Loadout", names);
    putDraft(fresh, {
      history: begin(graph.emptyDoc()),
      target: "user",
      base: null,
      saved: null,
      check: null,
    });
    go(path("loadouts", fresh));
  };
  if (!config) return <div className="page" aria-busy="true" />;
  return (
    <div className="split loadouts">
      <aside className="side" aria-label="Loadouts">
        <div className="row">
          <h2 className="grow">Loadouts</h2>
          <button type="button" className="btn small" onClick={create}>
            <Icon name="plus" size={14} />
            New
          </button>
        </div>
        <ul className="list">
          {names.map((one) => {
            const loadout = config.loadouts.find((known) => known.name === one);
            const own = all[one];
            return (
              <li key={one}>
                <a href={path("loadouts", one)} aria-current={one === chosen ? "true" : undefined}>
                  <span className="list-name">{one}</span>
                  <span className="row">
                    {loadout?.active && <span className="badge good">Active</span>}
                    {loadout?.shipped ? (
                      <span className="badge">Shipped</span>
                    ) : (
                      <span className="badge">{loadout?.source ?? own?.target}</span>
                    )}
                    {loadout?.locked && (
                      <span className="badge">
                        <Icon name="lock" size={11} />
                        Locked
                      </span>
                    )}
                    {own && isChanged(own) && <span className="badge warn">Unsaved</span>}
                    {loadout && !loadout.usable && <span className="badge bad">Broken</span>}
                  </span>
                </a>
              </li>
            );
          })}
        </ul>
      </aside>
      {draft && chosen !== undefined ? (
        <Editor key={chosen} name={chosen} config={config} draft={draft} names={names} />
      ) : (
        <Empty first title={chosen ? `There is no loadout “${chosen}”` : "No loadouts yet"}>
          <button type="button" className="btn primary" onClick={create}>
            Make one
          </button>
        </Empty>
      )}
    </div>
  );
}
