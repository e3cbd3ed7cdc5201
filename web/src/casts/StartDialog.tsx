// The dialog that starts a cast.
import { useEffect, useState } from "react";
import { type ApiError, api } from "../api";
import { config as configStore, loadConfig } from "../loadout/drafts";
import { go, path } from "../router";
import { useStore } from "../store";
import type { TrustReport } from "../types";
import { Icon } from "../ui/icons";
import { Dialog, Field, Issues } from "../ui/parts";
import { complain } from "../ui/toasts";
import { keepScript } from "./script";
import { TrustCard } from "./TrustCard";

export function StartDialog({ onClose }: { onClose: () => void }) {
  const config = useStore(configStore);
  const [request, setRequest] = useState("");
  const [loadout, setLoadout] = useState("");
  const [script, setScript] = useState("");
  const [agent, setAgent] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [trust, setTrust] = useState<TrustReport | null>(null);
  useEffect(() => {
    void loadConfig();
  }, []);
  const start = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const report = await api.startCast({
        request,
        loadout: loadout || null,
        agentScript: script || null,
        agent: agent || null,
      });
      keepScript(report.castId, script);
      onClose();
      go(path("casts", report.castId));
    } catch (error) {
      const failed = error as ApiError;
      setFailure(failed);
      if (failed.code === "untrusted") setTrust(await api.trust());
      setBusy(false);
    }
  };
  const agree = async () => {
    try {
      await api.grantTrust({ digest: trust?.digest ?? "" });
      setTrust(null);
      await start();
    } catch (error) {
      complain(error);
    }
  };
  const active = config?.loadouts.find((one) => one.active);
  return (
    <Dialog
      title="Start a cast"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={busy || !request.trim()}
            onClick={() => void start()}
          >
            <Icon name="play" size={16} />
            Cast
          </button>
        </>
      }
    >
      <Field label="What should be done?">
        <textarea
          className="input"
          rows={4}
          autoFocus
          value={request}
          onChange={(event) => setRequest(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && request.trim())
              void start();
          }}
        />
      </Field>
      <Field label="Loadout">
        <select
          className="input"
          value={loadout}
          onChange={(event) => setLoadout(event.target.value)}
        >
          <option value="">{active ? `${active.name} (active)` : "the active one"}</option>
          {config?.loadouts
            .filter((one) => one.usable && !one.active)
            .map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
        </select>
      </Field>
      <Field label="Agent" hint="the program that plays roles which name none">
        <input
          className="input mono"
          value={agent}
          placeholder="the first one that is installed"
          onChange={(event) => setAgent(event.target.value)}
        />
      </Field>
      <details>
        <summary>Without a model</summary>
        <Field
          label="A file with the replies of a scripted agent"
          hint="seen from the project directory"
        >
          <input
            className="input mono"
            value={script}
            placeholder="replies.json"
            onChange={(event) => setScript(event.target.value)}
          />
        </Field>
      </details>
      {failure && (
        <div className="issue error" role="alert">
          <span>{failure.message}</span>
          {failure.hint && <span className="hint">{failure.hint}</span>}
        </div>
      )}
      {failure && failure.code !== "untrusted" && <Issues issues={failure.issues} />}
      {trust && <TrustCard trust={trust} onAgree={() => void agree()} />}
    </Dialog>
  );
}
