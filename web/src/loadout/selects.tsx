// Select elements for a materia, a condition or a socket.

import * as graph from "./doc";
import { type Doc, END, spoken, WHENS, type When } from "./doc";
import type { Look } from "./look";

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
      {graph.sockets(doc).map(([id, socket]) => (
        <option key={id} value={id}>
          {id} · {look(socket.materia).label}
        </option>
      ))}
      {end && <option value={END}>end</option>}
    </select>
  );
}
