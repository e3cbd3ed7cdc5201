// The inbox: everything that waits for the user.
import { useState } from "react";
import { api } from "../api";
import { casts, waiting } from "../live";
import { type Need, seenTo, useNeeds } from "../needs";
import { path } from "../router";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Empty, ScrollArea } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { StatusBadge } from "./StatusBadge";
import { TrustCard } from "./TrustCard";
import { moment } from "./words";

export function InboxPage() {
  const [listed, other] = [useStore(casts), useStore(waiting)];
  const known = listed !== null && other !== null;
  const all = useNeeds();
  return (
    <>
      <header className="head">
        <div className="grow">
          <h1>Needs you</h1>
          <p>What cannot go on without a person.</p>
        </div>
      </header>
      <ScrollArea className="page narrow" label="What needs you" busy={!known}>
        {known && all.length === 0 && (
          <Empty title="Nothing waits for you">
            <p>
              Paused conversations, casts in doubt, budgets that are used up, questions of runs and
              what a project wants to be trusted turn up here.
            </p>
          </Empty>
        )}
        <ul className="stack">
          {all.map((need) => (
            <li key={need.key}>
              {need.kind === "trust" ? (
                <TrustNeed need={need} />
              ) : need.kind === "message" ? (
                <Asked need={need} />
              ) : (
                <CastNeed need={need} />
              )}
            </li>
          ))}
        </ul>
      </ScrollArea>
    </>
  );
}

type Of<K extends Need["kind"]> = Extract<Need, { kind: K }>;

function CastNeed({ need }: { need: Exclude<Need, Of<"trust"> | Of<"message">> }) {
  return (
    <div className="card need">
      <div className="grow">
        <p className="row">
          <StatusBadge status={need.cast.status} />
          <strong>{need.text}</strong>
        </p>
        <p className="muted clamp">{need.cast.request}</p>
        <p className="hint">
          {need.cast.loadout} · {moment(need.cast.startedAt)}
        </p>
      </div>
      <a className="btn primary" href={path("casts", need.cast.castId)}>
        {need.kind === "refinement" ? "Answer" : "Look"}
        <Icon name="send" size={15} />
      </a>
    </div>
  );
}

function TrustNeed({ need }: { need: Of<"trust"> }) {
  const agree = async () => {
    try {
      await api.grantTrust({ digest: need.trust.digest ?? "" });
      say("trusted, exactly as it is now");
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div className="stack tight">
      <p className="row">
        <span className="badge warn">trust</span>
        <strong>{need.text}</strong>
      </p>
      <TrustCard trust={need.trust} onAgree={() => void agree()} />
    </div>
  );
}

function Asked({ need }: { need: Of<"message"> }) {
  const { message } = need;
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const answer = async () => {
    setBusy(true);
    try {
      await api.message({
        to: `run:${message.run}`,
        type: "chat.message",
        body: text,
        replyTo: message.id,
      });
      seenTo(need.key);
      say("answered");
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  const said =
    typeof message.body === "string"
      ? message.body
      : message.body
        ? JSON.stringify(message.body, null, 2)
        : "";
  return (
    <form
      className="card stack tight"
      aria-label={`Question of ${message.run}`}
      onSubmit={(event) => {
        event.preventDefault();
        void answer();
      }}
    >
      <p className="row">
        <span className="badge info">{message.type}</span>
        <strong className="grow">{need.text}</strong>
        <span className="hint">{moment(message.at)}</span>
      </p>
      {said && said !== need.text && <pre className="said">{said}</pre>}
      <div className="row answer">
        <input
          className="input grow"
          aria-label={`Answer to ${message.run}`}
          placeholder={`Answer ${message.run}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="btn primary" disabled={busy || !text.trim()}>
          <Icon name="send" size={15} />
          Answer
        </button>
        <a className="btn" href={path("actors", message.run)}>
          Look
        </a>
        <button type="button" className="btn quiet" onClick={() => seenTo(need.key)}>
          Seen to
        </button>
      </div>
    </form>
  );
}
