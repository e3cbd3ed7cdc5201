// Messages: those sent and received, the members of the room, and a form to send one.
import { useState } from "react";
import { api } from "../api";
import { clock, moment } from "../casts/words";
import type { Letter, PostedMessage, RoomMember, RoomMessage } from "../types";
import { Icon } from "../ui/icons";
import { Field } from "../ui/parts";
import { complain, say } from "../ui/toasts";

const TONE: Record<string, string> = {
  queued: "info",
  claimed: "warn",
  handled: "good",
  delivered: "good",
  failed: "bad",
};

export function Members({ all }: { all: RoomMember[] }) {
  if (all.length === 0) return <p className="muted">Nobody has come in yet.</p>;
  return (
    <ul className="roster" aria-label="Roster">
      {all.map((one) => (
        <li key={one.address} className="card">
          <span className={one.status === "left" ? "dot" : "dot here"} aria-hidden="true" />
          <div className="grow">
            <strong className="ellipsis">
              {typeof one.display === "string" ? one.display : one.address}
            </strong>
            <p className="hint ellipsis">
              {[one.role, one.status, `seen ${moment(one.last_seen)}`].filter(Boolean).join(" · ")}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

export function Mail({ all }: { all: Letter[] }) {
  if (all.length === 0) return <p className="muted">Nothing was sent to it.</p>;
  return (
    <ol className="timeline wide" aria-label="Mailbox">
      {all.map((one) => (
        <li key={one.id}>
          <time dateTime={one.queued_at}>{clock(one.queued_at)}</time>
          <span>
            <span className={`badge ${TONE[one.status] ?? ""}`}>{one.status}</span>{" "}
            <strong>{one.type}</strong> <span className="muted">{one.from ?? ""}</span>
            <br />
            {one.summary}
            {one.status === "failed" && <span className="hint"> {one.error}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function Talk({ all, empty }: { all: (PostedMessage | RoomMessage)[]; empty: string }) {
  if (all.length === 0) return <p className="muted">{empty}</p>;
  return (
    <ol className="timeline wide" aria-label="Messages">
      {all.map((one) => {
        const when = "at" in one ? one.at : one.received_at;
        const body =
          one.body === undefined || one.body === null
            ? ""
            : typeof one.body === "string"
              ? one.body
              : JSON.stringify(one.body);
        return (
          <li key={one.id}>
            <time dateTime={when}>{clock(when)}</time>
            <span>
              <strong>{one.type}</strong>{" "}
              <span className="muted">{[one.from, one.to].filter(Boolean).join(" → ")}</span>
              {"attention" in one && one.attention && <span className="badge warn">asks you</span>}
              {one.summary && (
                <>
                  <br />
                  {one.summary}
                </>
              )}
              {body && body !== one.summary && (
                <>
                  <br />
                  <span className={one.summary ? "hint" : undefined}>{body}</span>
                </>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

export function Send({
  to,
  from,
  label,
  disabled,
}: {
  to: string;
  from?: string;
  label: string;
  disabled: boolean;
}) {
  const [kind, setKind] = useState("chat.message");
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {
      /* it is text */
    }
    try {
      const report = await api.message({ to, from: from ?? null, type: kind, body });
      say(
        report.delivered
          ? "delivered"
          : report.queued
            ? "kept until somebody reads it"
            : report.reason,
      );
      setText("");
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  return (
    <form
      className="card stack tight send"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h2>{label}</h2>
      <Field label="Type">
        <input
          className="input mono"
          value={kind}
          disabled={disabled}
          onChange={(event) => setKind(event.target.value)}
          list="message-types"
        />
      </Field>
      <datalist id="message-types">
        <option>chat.message</option>
        <option>task.request</option>
        <option>control.cancel</option>
        <option>control.continue</option>
        <option>control.abort</option>
      </datalist>
      <Field label="Message" hint="JSON where it is JSON">
        <textarea
          className="input"
          value={text}
          disabled={disabled}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && kind) void send();
          }}
        />
      </Field>
      <div className="row">
        <button type="submit" className="btn primary" disabled={disabled || busy || !kind}>
          <Icon name="send" size={16} />
          Send
        </button>
        <span className="hint">
          {disabled ? (
            "It is over: nobody would read it."
          ) : (
            <>
              to <code>{to}</code>
              {from && (
                <>
                  {" "}
                  as <code>{from}</code>
                </>
              )}
            </>
          )}
        </span>
      </div>
    </form>
  );
}
