// Locates an issue in a loadout.

import type { Doc } from "./doc";
import { ONLY } from "./loops";

export type Target = { socket?: string; edge?: number; loop?: string; exit?: string };

/**
 * The steps of an issue's path inside the loadout of this name; empty if the issue is about
 * something else.
 */
export function stepsOf(name: string, path: string | undefined): (string | number)[] {
  const prefix = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)
    ? `loadouts.${name}`
    : `loadouts[${JSON.stringify(name)}]`;
  if (!path?.startsWith(prefix)) return [];
  return [
    ...path
      .slice(prefix.length)
      .matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/g),
  ].map((step) => step[1] ?? (step[2] ? (JSON.parse(step[2]) as string) : Number(step[3])));
}

/** The part of the loadout that an issue's path leads to. */
export function whereIs(doc: Doc, name: string, path: string | undefined): Target {
  const steps = stepsOf(name, path);
  if (steps[0] === "sockets" && typeof steps[1] === "string") {
    return {
      socket: steps[1],
      ...(steps[2] === "edges" && typeof steps[3] === "number" ? { edge: steps[3] } : {}),
    };
  }
  if (steps[0] === "loops" && typeof steps[1] === "string") {
    const exit =
      steps[2] === "exits" && typeof steps[3] === "number"
        ? doc.loops?.[steps[1]]?.exits?.[steps[3]]?.id
        : steps[2] === ONLY
          ? ONLY
          : undefined;
    return { loop: steps[1], ...(exit ? { exit } : {}) };
  }
  return {};
}
