// The quest board: the quests to do, in order.
import { useEffect, useMemo, useState } from "react";
import { api } from "../api";
import { board as boardStore } from "../live";
import { config as configStore, loadConfig } from "../loadout/drafts";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Empty, Field } from "../ui/parts";
import { tell } from "../ui/toasts";
import { OtherQuests } from "./Others";
import { WaitingQuests } from "./Waiting";

export function QuestsPage() {
  useEffect(() => {
    void loadConfig();
  }, []);
  const board = useStore(boardStore);
  const [script, setScript] = useState("");
  const pending = useMemo(
    () => (board?.quests ?? []).filter((one) => one.status === "pending"),
    [board],
  );
  const others = (board?.quests ?? []).filter((one) => one.status !== "pending").reverse();
  const running = Boolean(board?.runner.running);
  const run = (quest: string | null, once: boolean, done: string) =>
    void tell(api.runQuests({ quest, once, agentScript: script || null }), done);
  return (
    <>
      <header className="head">
        <div className="grow">
          <h1>Quests</h1>
          <p>What waits is cast one behind the other.</p>
        </div>
        <div className="row">
          {running ? (
            <button
              type="button"
              className="btn"
              onClick={() =>
                void tell(api.stopQuests(), "it stops behind the quest that is running")
              }
            >
              <Icon name="stop" size={16} />
              Stop
            </button>
          ) : (
            <>
              <button
                type="button"
                className="btn"
                disabled={!pending.length}
                onClick={() => run(null, true, "the first one is run")}
              >
                Run one
              </button>
              <button
                type="button"
                className="btn primary"
                disabled={!pending.length}
                onClick={() => run(null, false, "the quests are run")}
              >
                <Icon name="play" size={16} />
                Run all
              </button>
            </>
          )}
        </div>
      </header>
      <div className="page narrow">
        <div className="stack">
          <AddQuest script={script} onScript={setScript} />
          <h2>Waiting</h2>
          {board !== null && pending.length === 0 && <p className="muted">Nothing waits.</p>}
          <WaitingQuests
            quests={pending}
            running={running}
            onRun={(quest) => run(quest, true, "it is run")}
          />
          {others.length > 0 && <h2>Had their turn</h2>}
          <OtherQuests quests={others} />
          {board !== null && board.quests.length === 0 && (
            <Empty title="An empty board">
              <p>
                Quests are requests that wait. The runner casts them in order and stops where you
                are needed.
              </p>
            </Empty>
          )}
        </div>
      </div>
    </>
  );
}

function AddQuest({ script, onScript }: { script: string; onScript: (script: string) => void }) {
  const config = useStore(configStore);
  const [request, setRequest] = useState("");
  const [loadout, setLoadout] = useState("");
  const add = async () => {
    await tell(api.addQuest({ request, title: null, loadout: loadout || null }));
    setRequest("");
  };
  return (
    <form
      className="card stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (request.trim()) void add();
      }}
    >
      <Field label="Add a quest">
        <textarea
          className="input"
          rows={2}
          value={request}
          placeholder="What should be done?"
          onChange={(event) => setRequest(event.target.value)}
        />
      </Field>
      <div className="row">
        <select
          className="input fit"
          aria-label="Loadout"
          value={loadout}
          onChange={(event) => setLoadout(event.target.value)}
        >
          <option value="">the active loadout</option>
          {config?.loadouts
            .filter((one) => one.usable)
            .map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
        </select>
        <input
          className="input fit mono"
          aria-label="Replies of a scripted agent"
          placeholder="replies.json, without a model"
          value={script}
          onChange={(event) => onScript(event.target.value)}
        />
        <span className="grow" />
        <button type="submit" className="btn primary" disabled={!request.trim()}>
          <Icon name="plus" size={16} />
          Add
        </button>
      </div>
    </form>
  );
}
