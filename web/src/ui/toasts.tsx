// Toasts: short messages at the edge of the page. Errors stay until they are closed; others
// disappear.

import { createStore, useStore } from "../store";
import { Icon } from "./icons";

type Toast = { id: number; text: string; hint?: string | null; error: boolean };
const store = createStore<Toast[]>([]);
let last = 0;

export function say(text: string) {
  push({ id: ++last, text, error: false });
}

export function complain(error: unknown) {
  const { message, hint } = error as { message?: string; hint?: string };
  push({ id: ++last, text: message ?? String(error), hint, error: true });
}

/** Reports whether a request succeeded, or why it failed. */
export async function tell(request: Promise<unknown>, done?: string) {
  try {
    await request;
    if (done) say(done);
  } catch (error) {
    complain(error);
  }
}

function push(toast: Toast) {
  store.set((all) => [...all.slice(-4), toast]);
  if (!toast.error) setTimeout(() => drop(toast.id), 5000);
}

function drop(id: number) {
  store.set((all) => all.filter((one) => one.id !== id));
}

export function Toasts() {
  const toasts = useStore(store);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={toast.error ? "toast error" : "toast"}>
          <div className="grow">
            <p>{toast.text}</p>
            {toast.hint && <p className="hint">{toast.hint}</p>}
          </div>
          <button
            type="button"
            className="btn quiet small icon"
            aria-label="Dismiss"
            onClick={() => drop(toast.id)}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
