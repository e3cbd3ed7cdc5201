// The router: the path of the page. Links are real links, so that they can be opened in new tabs.
import { createStore, useStore } from "./store";

const read = () => location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
const place = createStore<string[]>(read());
addEventListener("popstate", () => place.set(read()));

export const usePlace = () => useStore(place);

export function path(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

export function go(to: string, instead = false) {
  if (to === location.pathname) return;
  history[instead ? "replaceState" : "pushState"](null, "", to);
  place.set(read());
}

// Follow our own links without reloading the page.
addEventListener("click", (event) => {
  const link = (event.target as Element).closest("a");
  if (!link || link.origin !== location.origin || link.target || event.defaultPrevented) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0)
    return;
  event.preventDefault();
  go(link.pathname);
});
