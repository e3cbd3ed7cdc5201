// What happens, as it happens. One stream per page; when it breaks, it goes on behind the last event that was seen.
import { call } from "../api";
import { createStore } from "../store";
import type { CastState, Told } from "../types";

export type Listed = {
  castId: string; status: string; driver: number | null; loadout: string; request: string; startedAt: string | null;
  at: CastState["at"]; usage: { tokens: number; cost: number; turns: number }; error: { code: string; message: string; hint?: string; socket?: string } | null; runDir: string;
};
export type Watched = { id: string; state: CastState | null; events: Told[]; dropped: number };

export const casts = createStore<Listed[] | null>(null);
export const watched = createStore<Watched | null>(null);
export const connection = createStore<"open" | "lost">("open");

/** How many events a page keeps; a longer past is in the log. */
const MOST = 10_000;
let stream: EventSource | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;
let last = 0;

export function watch(id: string | null) {
  if (stream && (watched.get()?.id ?? null) === id) return;
  last = 0;
  watched.set(id === null ? null : { id, state: null, events: [], dropped: 0 });
  open(id);
}

// A browser opens six connections to one server and no more, so that a tab nobody looks at gives its own back; it asks
// now and then instead, for the number in its title.
const HIDDEN = 15_000;
let asking: ReturnType<typeof setInterval> | undefined;
document.addEventListener("visibilitychange", () => {
  clearInterval(asking);
  const id = watched.get()?.id ?? null;
  if (!document.hidden) { open(id); return; }
  clearTimeout(retry);
  stream?.close();
  asking = setInterval(() => { call<{ casts: Listed[] }>("GET", "/casts").then((listing) => casts.set(listing.casts), () => {}); }, HIDDEN);
});

function open(id: string | null) {
  clearTimeout(retry);
  stream?.close();
  const query = id === null ? "" : `?cast=${encodeURIComponent(id)}&after=${last}`;
  const source = new EventSource(`/api/live${query}`);
  stream = source;
  let pending: Told[] = [];
  let frame = 0;
  // Many events at once are shown at once.
  const flush = () => {
    frame = 0;
    const fresh = pending;
    pending = [];
    watched.set((now) => {
      if (now?.id !== id || fresh.length === 0) return now;
      const events = [...now.events, ...fresh];
      const over = Math.max(0, events.length - MOST);
      return { ...now, events: over ? events.slice(over) : events, dropped: now.dropped + over };
    });
  };
  source.onopen = () => connection.set("open");
  source.addEventListener("casts", (event) => casts.set((JSON.parse(event.data) as { casts: Listed[] }).casts));
  source.addEventListener("record", (event) => {
    const told = JSON.parse(event.data) as Told;
    if (told.seq <= last) return;
    last = told.seq;
    pending.push(told);
    if (!frame) frame = requestAnimationFrame(flush);
  });
  source.addEventListener("state", (event) => {
    const state = JSON.parse(event.data) as CastState;
    watched.set((now) => (now?.id === id ? { ...now, state } : now));
  });
  source.onerror = () => {
    connection.set("lost");
    if (stream !== source) return;
    source.close();
    retry = setTimeout(() => open(id), 1000);
  };
}

/** What waits for the person. */
export type Need = { key: string; cast: Listed; kind: "refinement" | "interrupted" | "failed" | "budget"; text: string };

export function needs(all: Listed[] | null): Need[] {
  const found: Need[] = [];
  for (const cast of all ?? []) {
    const key = cast.castId;
    if (cast.status === "paused" && cast.at?.waitsFor === "refinement") found.push({ key, cast, kind: "refinement", text: `${cast.at.materia ?? cast.at.socket} waits for your answer` });
    else if (cast.status === "paused") found.push({ key, cast, kind: "interrupted", text: `${cast.at?.socket ?? "a socket"} was interrupted: shall it run again?` });
    else if (cast.status === "interrupted") found.push({ key, cast, kind: "interrupted", text: "nobody drives this cast any more" });
    else if (cast.status === "failed" && cast.error?.code?.startsWith("budget")) found.push({ key, cast, kind: "budget", text: cast.error.message });
  }
  return found;
}
