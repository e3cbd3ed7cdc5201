// Undo and redo: the documents before and after this one.

export type History<T> = { past: T[]; now: T; future: T[] };
const MOST = 200;

export const begin = <T>(now: T): History<T> => ({ past: [], now, future: [] });

export function change<T>(history: History<T>, next: T): History<T> {
  if (JSON.stringify(next) === JSON.stringify(history.now)) return history;
  return { past: [...history.past.slice(-MOST), history.now], now: next, future: [] };
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future] };
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...rest] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future: rest };
}
