// Controls to continue a cast, end it, and raise its budget.
import { useState } from "react";
import { api, type CastAction } from "../api";
import type { CastStateReport } from "../types";
import { Icon } from "../ui/icons";
import { Dialog, Field } from "../ui/parts";
import { complain, say, tell } from "../ui/toasts";
import { scriptOf } from "./script";

export function Steering({
  id,
  status,
  state,
}: {
  id: string;
  status: string;
  state: CastStateReport | null;
}) {
  const [busy, setBusy] = useState(false);
  const ask = async (action: CastAction, done: string) => {
    setBusy(true);
    await tell(api.steer(id, action, { agentScript: scriptOf(id) }), done);
    setBusy(false);
  };
  const [raising, setRaising] = useState(false);
  const open = status === "running" || status === "paused" || status === "interrupted";
  return (
    <div className="row">
      {status === "interrupted" && (
        <button
          type="button"
          className="btn primary"
          disabled={busy}
          onClick={() => void ask("resume", "it goes on")}
        >
          <Icon name="play" size={16} />
          Resume
        </button>
      )}
      {status === "paused" && state?.at?.waitsFor === "interrupted" && (
        <button
          type="button"
          className="btn primary"
          disabled={busy}
          onClick={() => void ask("continue", "it runs again")}
        >
          <Icon name="play" size={16} />
          Run it again
        </button>
      )}
      {(status === "failed" || status === "aborted") && (
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => void ask("recast", "it goes on where it failed")}
        >
          Recast
        </button>
      )}
      {status === "failed" && (
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => void ask("revive", "it has more tries")}
        >
          Revive
        </button>
      )}
      <button type="button" className="btn quiet" onClick={() => setRaising(true)}>
        Budget…
      </button>
      {raising && <BudgetDialog id={id} onClose={() => setRaising(false)} />}
      {open && (
        <button
          type="button"
          className="btn danger"
          disabled={busy}
          onClick={() => void ask("abort", "the cast is ended")}
        >
          <Icon name="stop" size={16} />
          Abort
        </button>
      )}
    </div>
  );
}

function BudgetDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [limits, setLimits] = useState<Record<string, string>>({});
  const raise = async () => {
    const value = (name: string) => (limits[name] ? Number(limits[name]) : null);
    try {
      await api.raiseBudget(id, {
        maxTokens: value("maxTokens"),
        maxCostUsd: value("maxCostUsd"),
        maxTurns: value("maxTurns"),
        maxMinutes: value("maxMinutes"),
      });
      say("the budget is changed");
      onClose();
    } catch (error) {
      complain(error);
    }
  };
  const field = (name: string, label: string) => (
    <Field label={label}>
      <input
        className="input"
        type="number"
        min={0}
        placeholder="as it is"
        value={limits[name] ?? ""}
        onChange={(event) => setLimits({ ...limits, [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <Dialog
      title="What this cast may spend"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={!Object.values(limits).some(Boolean)}
            onClick={() => void raise()}
          >
            Change
          </button>
        </>
      }
    >
      <div className="cols2">
        {field("maxTokens", "Tokens")}
        {field("maxCostUsd", "US dollars")}
        {field("maxTurns", "Turns")}
        {field("maxMinutes", "Minutes")}
      </div>
    </Dialog>
  );
}
