// The materia editor: roles of agents and programs, and a form to try the programs.
import { useEffect } from "react";
import { config as configStore, loadConfig } from "../loadout/drafts";
import { grouped, lookOf } from "../loadout/look";
import * as model from "../loadout/model";
import { go, path } from "../router";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { Empty, Orb, useInView } from "../ui/parts";
import { drafts, fresh, type Value } from "./drafts";
import { Editor } from "./Editor";

export function MateriaPage({ name }: { name: string | undefined }) {
  const config = useStore(configStore);
  const all = useStore(drafts);
  const made = useStore(fresh);
  useEffect(() => {
    void loadConfig();
  }, []);
  useInView(config ? name : undefined);
  if (!config) return <div className="page" aria-busy="true" />;
  const names = [
    ...config.materia.map((one) => one.name),
    ...Object.keys(made).filter((one) => !config.materia.some((known) => known.name === one)),
  ];
  const chosen = name ?? names[0];
  const looks = names.map((one) => {
    const known = config.materia.find((materia) => materia.name === one);
    return lookOf(all[one] ?? known?.value ?? {}, one);
  });
  const create = (kind: "agent" | "utility") => {
    const wish = model.freshName(kind === "agent" ? "New-Role" : "New-Utility", names);
    const value: Value =
      kind === "agent"
        ? { type: "agent", tools: "readOnly", prompt: "" }
        : { type: "utility", command: [""], parse: "json" };
    fresh.set((now) => ({ ...now, [wish]: true }));
    drafts.set((now) => ({ ...now, [wish]: value }));
    go(path("materia", wish));
  };
  return (
    <div className="split loadouts">
      <aside className="side" aria-label="Materia">
        <div className="row">
          <h2 className="grow">Materia</h2>
          <Menu
            label="New materia"
            items={[
              { label: "Agent role", run: () => create("agent") },
              { label: "Utility", run: () => create("utility") },
            ]}
          >
            <Icon name="plus" size={14} />
            New
          </Menu>
        </div>
        <div className="groups">
          {grouped(looks).map(([group, members]) => (
            <div key={group} className="stack tight">
              <h3 className="label group">{group}</h3>
              <ul className="list">
                {members.map((look) => (
                  <li key={look.name}>
                    <a
                      href={path("materia", look.name)}
                      aria-current={look.name === chosen ? "true" : undefined}
                    >
                      <span className="row">
                        <Orb color={look.color} kind={look.kind} />
                        <span className="list-name grow">{look.label}</span>
                        {all[look.name] && <span className="badge warn">Unsaved</span>}
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </aside>
      {chosen !== undefined &&
      (all[chosen] || config.materia.some((one) => one.name === chosen)) ? (
        <Editor key={chosen} name={chosen} config={config} draft={all[chosen]} names={names} />
      ) : (
        <Empty first title={chosen ? `There is no materia “${chosen}”` : "No materia"} />
      )}
    </div>
  );
}
