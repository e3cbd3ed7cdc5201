// Checks a draft as a cast would, a moment after each change.
import { useEffect } from "react";
import { api } from "../api";
import type { EditTarget } from "../types";
import { complain } from "../ui/toasts";
import type { Doc } from "./doc";
import { noteCheck } from "./drafts";

const PAUSE = 200;

export function useCheck(name: string, doc: Doc, target: EditTarget, readOnly: boolean) {
  useEffect(() => {
    if (readOnly) return;
    const timer = setTimeout(async () => {
      try {
        const check = await api.check({ section: "loadouts", name, value: doc, target });
        noteCheck(name, doc, check);
      } catch (error) {
        complain(error);
      }
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [name, doc, target, readOnly]);
}
