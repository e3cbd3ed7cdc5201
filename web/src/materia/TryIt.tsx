// Runs a utility with the user's own input, before a cast relies on it.
import { useEffect, useState } from "react";
import { type ApiError, api } from "../api";
import { span } from "../casts/words";
import type { Scope } from "../loadout/drafts";
import type { TrialReport } from "../types";
import { Icon } from "../ui/icons";
import { Field, Issues, Output } from "../ui/parts";
import { Json } from "./Json";

type Props = {
  name: string;
  value: Record<string, unknown> | undefined;
  target: Scope;
  blocked: boolean;
  most: number;
};

export function TryIt({ name, value, target, blocked, most }: Props) {
  const [request, setRequest] = useState("try it");
  const [state, setState] = useState<unknown>({});
  const [item, setItem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<TrialReport | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [began, setBegan] = useState(0);
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [busy]);
  const run = async () => {
    setBusy(true);
    setAnswer(null);
    setBegan(Date.now());
    setNow(Date.now());
    setFailure(null);
    try {
      setAnswer(
        await api.trial({
          materia: name,
          value: value ?? null,
          target,
          request,
          state: (state ?? {}) as Record<string, unknown>,
          item,
        }),
      );
    } catch (error) {
      setAnswer(null);
      setFailure(error as ApiError);
    }
    setBusy(false);
  };
  const good = answer && answer.problem === null;
  return (
    <section className="card stack" aria-label="Try it">
      <div className="row">
        <h2 className="grow">Try it</h2>
        <button
          type="button"
          className="btn primary"
          disabled={busy || blocked}
          onClick={() => void run()}
        >
          <Icon name="play" size={16} />
          {busy ? "Running…" : "Run"}
        </button>
      </div>
      <p className="muted" role="status">
        {busy
          ? `It runs since ${span(now - began)}; after ${span(most)} it is ended.`
          : blocked
            ? "It has errors: mend them first."
            : "It runs here and now, in the project directory, as it would in a cast."}
      </p>
      <div className="cols2">
        <Field label="Request">
          <input
            className="input"
            value={request}
            onChange={(event) => setRequest(event.target.value)}
          />
        </Field>
        <Json label="State" value={state} onChange={setState} />
        <Json label="Item" value={item} onChange={setItem} />
      </div>
      {failure && (
        <div className="issue error" role="alert">
          <span>{failure.message}</span>
          {failure.hint && <span className="hint">{failure.hint}</span>}
        </div>
      )}
      {failure && <Issues issues={failure.issues} />}
      {answer && (
        <div className="stack tight" role="status">
          <div className="row">
            <span className={good ? "badge good" : "badge bad"}>
              {good ? "A cast would go on" : "A cast would fail"}
            </span>
            <span className="badge">
              {answer.timedOut
                ? "timed out"
                : answer.signal
                  ? `ended by ${answer.signal}`
                  : `exit ${answer.code ?? "?"}`}
            </span>
            <span className="badge">{answer.durationMs} ms</span>
          </div>
          {answer.problem && <p className="issue error">{answer.problem}</p>}
          <p className="mono muted">{answer.argv.join(" ")}</p>
          {answer.result !== null && (
            <Part title="Result" text={JSON.stringify(answer.result, null, 2)} open />
          )}
          <Part title="stdout" text={answer.stdout} open={answer.result === null} />
          <Part title="stderr" text={answer.stderr} open={!good} />
          <Part title="What it read" text={answer.input} />
        </div>
      )}
    </section>
  );
}

function Part({ title, text, open }: { title: string; text: string; open?: boolean }) {
  return (
    <details open={open && text !== ""}>
      <summary>
        {title} {text === "" && <span className="muted">empty</span>}
      </summary>
      {text !== "" && <Output className="output">{text}</Output>}
    </details>
  );
}
