// The materia that are being edited.
import { createStore } from "../store";

export type Value = Record<string, unknown>;

export const drafts = createStore<Record<string, Value>>({});

export const fresh = createStore<Record<string, true>>({});
