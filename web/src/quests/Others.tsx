// The running quest, and those that have ended.
import { api } from "../api";
import { moment } from "../casts/words";
import { path } from "../router";
import type { Quest, QuestStatus } from "../types";
import { Icon } from "../ui/icons";
import { tell } from "../ui/toasts";

const TONE: Record<QuestStatus, string> = {
  pending: "",
  running: "info",
  succeeded: "good",
  failed: "bad",
  blocked: "warn",
};

export function OtherQuests({ quests }: { quests: Quest[] }) {
  return (
    <ol className="quests" aria-label="Other quests">
      {quests.map((one) => (
        <OtherQuest key={one.id} quest={one} />
      ))}
    </ol>
  );
}

function OtherQuest({ quest }: { quest: Quest }) {
  const cast = quest.currentCastId ?? quest.lastCastId;
  return (
    <li className="card quest">
      <span className={`badge ${TONE[quest.status]}`}>
        {quest.status === "running" && <span className="pulse" aria-hidden="true" />}
        {quest.status}
      </span>
      <div className="grow">
        <strong className="clamp">{quest.title}</strong>
        <p className="hint">
          {quest.lastError?.message ?? moment(quest.lastResult?.finishedAt ?? null)}
        </p>
      </div>
      {cast && (
        <a className="btn small" href={path("casts", cast)}>
          Cast
        </a>
      )}
      {(quest.status === "failed" || quest.status === "blocked") && (
        <button
          type="button"
          className="btn small"
          onClick={() => void tell(api.changeQuest(quest.id, { do: "requeue" }))}
        >
          Requeue
        </button>
      )}
      {quest.status !== "running" && (
        <button
          type="button"
          className="btn quiet small icon"
          aria-label={`Remove ${quest.title}`}
          onClick={() => void tell(api.changeQuest(quest.id, { do: "remove" }))}
        >
          <Icon name="trash" size={14} />
        </button>
      )}
    </li>
  );
}
