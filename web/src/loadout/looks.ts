// The appearance of all materia of a config.
import { useMemo } from "react";
import type { DefinitionsReport } from "../types";
import { type Look, lookOf } from "./look";

export function useLooks(config: DefinitionsReport): {
  looks: Look[];
  look: (name: string) => Look;
} {
  return useMemo(() => {
    const looks = config.materia.map((one) => lookOf(one.value, one.name));
    const known = new Map(looks.map((one) => [one.name, one]));
    return { looks, look: (name: string) => known.get(name) ?? lookOf(undefined, name) };
  }, [config]);
}
