// The visits of a cast, and forking it after one.
import { api } from "../api";
import { go, path } from "../router";
import type { CastStep } from "../types";
import { complain, say } from "../ui/toasts";
import { keepScript, scriptOf } from "./script";
import { span, tokens } from "./words";

const TONE: Record<string, string> = {
  done: "good",
  failed: "bad",
  waiting: "warn",
  interrupted: "warn",
  running: "info",
};

export function Steps({
  id,
  steps,
  onOpen,
}: {
  id: string;
  steps: CastStep[];
  onOpen: (file: string) => void;
}) {
  const fork = async (at: number) => {
    try {
      const script = scriptOf(id);
      const made = await api.fork(id, { at: String(at), agentScript: script });
      keepScript(made.castId, script);
      say(`forked behind step ${at}`);
      go(path("casts", made.castId));
    } catch (error) {
      complain(error);
    }
  };
  return (
    <ol className="steps">
      {steps.map((one) => (
        <StepRow key={one.step} step={one} onOpen={onOpen} onFork={(at) => void fork(at)} />
      ))}
    </ol>
  );
}

function StepRow({
  step,
  onOpen,
  onFork,
}: {
  step: CastStep;
  onOpen: (file: string) => void;
  onFork: (at: number) => void;
}) {
  const { artifact } = step;
  const facts = [
    step.itemLabel ?? step.itemKey,
    step.durationMs === null ? null : span(step.durationMs),
    step.usage.total ? `${tokens(step.usage.total)} tokens` : null,
    step.attempts > 1 ? `${step.attempts} attempts` : null,
  ];
  return (
    <li>
      <div className="row">
        <span className="muted mono">{step.step}</span>
        <strong className="grow">
          {step.materia}
          {step.visit > 1 && <span className="muted"> · visit {step.visit}</span>}
        </strong>
        <span className={`badge ${TONE[step.outcome] ?? ""}`}>
          {step.satisfied === false ? "not satisfied" : step.outcome}
        </span>
      </div>
      <p className="muted">
        {facts.filter(Boolean).join(" · ")}{" "}
        {artifact && (
          <button type="button" className="link" onClick={() => onOpen(artifact)}>
            output
          </button>
        )}
        {step.outcome === "done" && (
          <>
            {" "}
            <button
              type="button"
              className="link"
              aria-label={`Fork behind step ${step.step}`}
              onClick={() => onFork(step.step)}
            >
              fork
            </button>
          </>
        )}
      </p>
    </li>
  );
}
