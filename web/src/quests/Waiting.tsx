// The queued quests: move them by keys or by dragging, run them, remove them.
import { useLayoutEffect, useRef, useState } from "react";
import { api } from "../api";
import type { Quest, QuestChangeRequest } from "../types";
import { Icon } from "../ui/icons";
import { tell } from "../ui/toasts";

type Props = { quests: Quest[]; running: boolean; onRun: (id: string) => void };

export function WaitingQuests({ quests, running, onRun }: Props) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<{ button: string; before: Quest[] } | null>(null);
  // A quest that was moved by a key keeps the focus, so that the same key moves it again.
  useLayoutEffect(() => {
    if (!moved.current || moved.current.before === quests) return;
    const button = `[aria-label="${CSS.escape(moved.current.button)}"]`;
    if (!list.current?.contains(document.activeElement))
      list.current?.querySelector<HTMLElement>(button)?.focus();
    moved.current = null;
  }, [quests]);
  const change = (id: string, request: QuestChangeRequest) =>
    void tell(api.changeQuest(id, request));
  const move = (at: number, by: number) => {
    const [one, other] = [quests[at], quests[at + by]];
    if (!one || !other) return;
    moved.current = { button: `Move ${one.title} ${by < 0 ? "up" : "down"}`, before: quests };
    change(one.id, { do: by < 0 ? "before" : "after", target: other.id });
  };
  const from = quests.findIndex((one) => one.id === dragged);
  // A quest dragged down goes after its drop target; one dragged up goes before it.
  const drop = (at: number) => {
    const [one, target] = [quests[from], quests[at]];
    if (one && target && from !== at)
      change(one.id, { do: from < at ? "after" : "before", target: target.id });
    setDragged(null);
    setOver(null);
  };
  const shadow = (at: number) => {
    if (over !== quests[at]?.id || from < 0 || from === at) return "";
    return from < at ? " below" : " above";
  };
  return (
    <ol className="quests" aria-label="Waiting quests" ref={list}>
      {quests.map((one, at) => (
        <li
          key={one.id}
          className={`card quest${dragged === one.id ? " dragged" : ""}${shadow(at)}`}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = "move";
            setDragged(one.id);
          }}
          onDragEnd={() => {
            setDragged(null);
            setOver(null);
          }}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(one.id);
          }}
          onDrop={(event) => {
            event.preventDefault();
            drop(at);
          }}
        >
          <span className="muted mono">{at + 1}</span>
          <div className="grow">
            <strong className="clamp">{one.title}</strong>
            <p className="hint">
              {one.loadoutOverride ?? "active loadout"}
              {one.attempts ? ` · ${one.attempts} tries` : ""}
            </p>
          </div>
          <span className="row tight">
            <button
              type="button"
              className="btn quiet small icon"
              aria-label={`Move ${one.title} up`}
              aria-disabled={at === 0}
              onClick={() => move(at, -1)}
            >
              <Icon name="up" size={14} />
            </button>
            <button
              type="button"
              className="btn quiet small icon"
              aria-label={`Move ${one.title} down`}
              aria-disabled={at === quests.length - 1}
              onClick={() => move(at, 1)}
            >
              <Icon name="down" size={14} />
            </button>
            <button
              type="button"
              className="btn quiet small icon"
              aria-label={`Run ${one.title}`}
              disabled={running}
              onClick={() => onRun(one.id)}
            >
              <Icon name="play" size={14} />
            </button>
            <button
              type="button"
              className="btn quiet small icon"
              aria-label={`Remove ${one.title}`}
              onClick={() => change(one.id, { do: "remove" })}
            >
              <Icon name="trash" size={14} />
            </button>
          </span>
        </li>
      ))}
    </ol>
  );
}
