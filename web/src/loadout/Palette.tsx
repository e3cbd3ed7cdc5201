// The materia that can be added to a loadout.
import { useState } from "react";
import { Orb } from "../ui/parts";
import { grouped, type Look } from "./look";

export function Palette({
  looks,
  readOnly,
  add,
}: {
  looks: Look[];
  readOnly: boolean;
  add: (materia: string) => void;
}) {
  const [filter, setFilter] = useState("");
  const shown = looks.filter((look) =>
    `${look.label} ${look.name} ${look.description} ${look.shelf ?? ""}`
      .toLowerCase()
      .includes(filter.toLowerCase()),
  );
  return (
    <section className="palette" aria-label="Palette">
      <input
        className="input"
        type="search"
        placeholder="Find a materia"
        aria-label="Find a materia"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {grouped(shown).map(([group, all]) => (
        <div key={group} className="stack tight">
          <h2 className="label">{group}</h2>
          <ul>
            {all.map((look) => (
              <li key={look.name}>
                <button
                  type="button"
                  className="orb-row"
                  disabled={readOnly}
                  draggable={!readOnly}
                  title={look.description}
                  onClick={() => add(look.name)}
                  onDragStart={(event) => {
                    event.dataTransfer.setData("application/x-materia", look.name);
                    event.dataTransfer.effectAllowed = "copy";
                  }}
                >
                  <Orb color={look.color} kind={look.kind} />
                  <span className="grow ellipsis">{look.label}</span>
                  {look.generator ? (
                    <span className="badge info">Generator</span>
                  ) : look.multiTurn ? (
                    <span className="badge">Asks you</span>
                  ) : null}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {shown.length === 0 && <p className="muted">No materia of that name.</p>}
    </section>
  );
}
