// The shortcuts of the loadout editor: save, undo, redo.
import { useEffect } from "react";
import { type Draft, putDraft } from "./drafts";
import { redo, undo } from "./history";

/** `save` is null if there is nothing to save; the key is captured anyway. */
export function useShortcuts(name: string, draft: Draft, save: (() => void) | null) {
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const typing = (event.target as Element).closest(
        "textarea, input:not([type=checkbox]), dialog",
      );
      const key = event.key.toLowerCase();
      if (key === "s") {
        event.preventDefault();
        save?.();
      } else if (!typing && key === "z" && !event.shiftKey) {
        event.preventDefault();
        putDraft(name, { ...draft, history: undo(draft.history) });
      } else if (!typing && (key === "y" || (key === "z" && event.shiftKey))) {
        event.preventDefault();
        putDraft(name, { ...draft, history: redo(draft.history) });
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [name, draft, save]);
}
