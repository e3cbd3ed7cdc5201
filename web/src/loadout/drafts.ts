// The loadouts that are being edited. A draft is kept until it is saved or reverted, also while the
// user visits other pages.
import { ApiError, api } from "../api";
import { createStore } from "../store";
import type { CheckReport, DefinitionsReport, SaveConflict } from "../types";
import { complain } from "../ui/toasts";
import type { Doc } from "./doc";
import { begin, change, type History } from "./history";

export type Scope = "user" | "project";
export type Draft = {
  history: History<Doc>;
  target: Scope;
  base: string | null;
  saved: Doc | null;
  check: CheckReport | null;
};

export const config = createStore<DefinitionsReport | null>(null);
export const drafts = createStore<Record<string, Draft>>({});

export async function loadConfig(): Promise<DefinitionsReport | null> {
  try {
    const loaded = await api.config();
    config.set(loaded);
    return loaded;
  } catch (error) {
    complain(error);
    return null;
  }
}

/** The draft of a loadout: the existing one, or a new one with the content of the files. */
export function draftOf(
  config: DefinitionsReport,
  name: string,
  all: Record<string, Draft>,
): Draft | null {
  const known = all[name];
  if (known) return known;
  const loadout = config.loadouts.find((one) => one.name === name);
  if (!loadout) return null;
  const target: Scope = loadout.source === "project" ? "project" : "user";
  const doc = loadout.value as Doc;
  return {
    history: begin(doc),
    target,
    base: loadout.own[target] ?? null,
    saved: doc,
    check: null,
  };
}

export const isChanged = (draft: Draft) =>
  JSON.stringify(draft.saved) !== JSON.stringify(draft.history.now);

export function putDraft(name: string, draft: Draft) {
  drafts.set((all) => ({ ...all, [name]: draft }));
}

export function dropDraft(name: string) {
  drafts.set((all) => {
    const { [name]: _gone, ...rest } = all;
    return rest;
  });
}

export function editDraft(name: string, draft: Draft, doc: Doc) {
  putDraft(name, { ...draft, history: change(draft.history, doc) });
}

/** Stores the result of a check, unless the draft has changed since. */
export function noteCheck(name: string, doc: Doc, check: CheckReport) {
  const loaded = config.get();
  drafts.set((all) => {
    const now = loaded && draftOf(loaded, name, all);
    return now && now.history.now === doc ? { ...all, [name]: { ...now, check } } : all;
  });
}

/** Saves a draft. Returns the conflict if another editor wrote to the file in the meantime. */
export async function saveDraft(
  name: string,
  draft: Draft,
  evenBroken: boolean,
): Promise<SaveConflict | null> {
  const doc = draft.history.now;
  try {
    const answer = await api.save({
      target: draft.target,
      edits: [{ section: "loadouts", name, value: doc, base: draft.base }],
      evenBroken,
    });
    putDraft(name, { ...draft, base: answer.versions[0] ?? null, saved: doc });
    await loadConfig();
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.conflict) return error.conflict;
    throw error;
  }
}
