// The appearance of a materia: its label, colour and kind.
export type Look = {
  name: string;
  label: string;
  color: string | null;
  kind: "agent" | "utility";
  generator: boolean;
  multiTurn: boolean;
  group: string;
  shelf: string | null;
  parse: string | null;
  description: string;
  missing: boolean;
};

const text = (value: unknown) => (typeof value === "string" && value.trim() ? value : null);

export function lookOf(materia: Record<string, unknown> | undefined, name: string): Look {
  const value = materia ?? {};
  const kind = kindOf(value);
  const generator = value.generator === true;
  return {
    name,
    label: text(value.label) ?? name,
    color: text(value.color),
    kind,
    generator,
    multiTurn: value.multiTurn === true,
    group: generator ? "Generators" : kind === "utility" ? "Utility" : "Agents",
    shelf: text(value.group),
    parse: text(value.parse),
    description: text(value.description) ?? "",
    missing: !materia,
  };
}

export function kindOf(value: Record<string, unknown>): "agent" | "utility" {
  if (value.type === "utility" || value.type === "agent") return value.type;
  return ["command", "script", "template", "recipe", "utility"].some((field) => field in value)
    ? "utility"
    : "agent";
}

const GROUPS = ["Agents", "Generators", "Utility"];

/** Materia by group. */
export function grouped(looks: Look[]): [string, Look[]][] {
  return GROUPS.map((group): [string, Look[]] => [
    group,
    looks.filter((look) => look.group === group),
  ]).filter(([, all]) => all.length > 0);
}
