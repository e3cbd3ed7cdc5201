// Everything that waits for the user: blocked casts, a project's trust, questions of runs.
import { casts, waiting } from "./live";
import { createStore, useStore } from "./store";
import type { AttentionMessage, CastListItem, NeedsReport, TrustReport } from "./types";

export type Need =
  | { key: string; kind: "refinement" | "interrupted" | "budget"; cast: CastListItem; text: string }
  | { key: string; kind: "trust"; trust: TrustReport; text: string }
  | { key: string; kind: "message"; message: AttentionMessage; text: string };

/** Messages that the user has dismissed; they stay in the run. */
const done = createStore<string[]>(JSON.parse(localStorage.getItem("seen-to") ?? "[]") as string[]);
const KEPT = 200;

export function seenTo(key: string) {
  done.set((all) => [...all, key].slice(-KEPT));
  localStorage.setItem("seen-to", JSON.stringify(done.get()));
}

export function useNeeds(): Need[] {
  return needs(useStore(casts), useStore(waiting), useStore(done));
}

function needs(all: CastListItem[] | null, other: NeedsReport | null, seen: string[]): Need[] {
  const found: Need[] = [];
  if (other?.trust)
    found.push({
      key: "trust",
      kind: "trust",
      trust: other.trust,
      text:
        other.trust.standing === "changed"
          ? "What this project brings has changed: do you still trust it?"
          : "This project brings definitions that nobody has agreed to yet",
    });
  for (const message of other?.attention ?? [])
    found.push({
      key: message.id,
      kind: "message",
      message,
      text: message.summary || `${message.run} asks something`,
    });
  for (const cast of all ?? []) {
    const key = cast.castId;
    if (cast.status === "paused" && cast.at?.waitsFor === "refinement")
      found.push({
        key,
        cast,
        kind: "refinement",
        text: `${cast.at.materia ?? cast.at.socket} waits for your answer`,
      });
    else if (cast.status === "paused")
      found.push({
        key,
        cast,
        kind: "interrupted",
        text: `${cast.at?.socket ?? "a socket"} was interrupted: shall it run again?`,
      });
    else if (cast.status === "interrupted")
      found.push({ key, cast, kind: "interrupted", text: "nobody drives this cast any more" });
    else if (cast.status === "failed" && cast.error?.code?.startsWith("budget"))
      found.push({ key, cast, kind: "budget", text: cast.error.message });
  }
  return found.filter((need) => need.kind !== "message" || !seen.includes(need.key));
}
