// The stored parts of a cast: its steps, its files and its definition.
import { useEffect, useMemo, useState } from "react";
import { api } from "../api";
import type { Doc } from "../loadout/doc";
import type { CastDetailReport, CastEventRecord, RaisedLimits } from "../types";
import { complain } from "../ui/toasts";

/** The parts of a definition that the page shows; a definition is a config document. */
export type CastDefinition = {
  loadouts?: Record<string, Doc>;
  materia?: Record<string, Record<string, unknown>>;
  budget?: RaisedLimits;
};

const CHANGING = new Set(["socket_complete", "cast_end", "socket_refinement", "agent_turn_start"]);

/** Reads the detail again when a step ended, not on every event. */
export function useCastDetail(id: string, events: CastEventRecord[], status: string) {
  const [read, setRead] = useState<{ version: string; report: CastDetailReport } | null>(null);
  const changes = useMemo(() => events.filter((one) => CHANGING.has(one.type)).length, [events]);
  const version = `${changes} ${status}`;
  useEffect(() => {
    const timer = setTimeout(() => {
      api.cast(id).then((report) => setRead({ version, report }), complain);
    }, 120);
    return () => clearTimeout(timer);
  }, [id, version]);
  return read?.report ?? null;
}
