// The budget that a cast has used.
import { useEffect, useState } from "react";
import type { AgentUsage, CastStateReport, RaisedLimits } from "../types";
import { money, span, tokens } from "./words";

export function Meters({
  state,
  budget,
  running,
  spent,
}: {
  state: CastStateReport | null;
  budget: RaisedLimits;
  running: boolean;
  spent: AgentUsage | null;
}) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  const end = running ? now : state?.updatedAt ? Date.parse(state.updatedAt) : now;
  const elapsed = state?.startedAt ? end - Date.parse(state.startedAt) : 0;
  // The log does not contain the usage of the running turn yet.
  const used = (state?.usage.tokens.total ?? 0) + (spent?.total ?? 0);
  const cost = (state?.usage.cost.total ?? 0) + (spent?.cost ?? 0);
  const limit = (name: keyof RaisedLimits) => Number(state?.raised[name] ?? budget[name] ?? 0);
  const all: [string, string, number, string][] = [
    [
      "Tokens",
      tokens(used),
      limit("maxTokens") ? used / limit("maxTokens") : -1,
      limit("maxTokens") ? `of ${tokens(limit("maxTokens"))}` : "",
    ],
    [
      "Cost",
      money(cost),
      limit("maxCostUsd") ? cost / limit("maxCostUsd") : -1,
      limit("maxCostUsd") ? `of ${money(limit("maxCostUsd"))}` : "",
    ],
    [
      "Turns",
      String(state?.usage.turns ?? 0),
      limit("maxTurns") ? (state?.usage.turns ?? 0) / limit("maxTurns") : -1,
      limit("maxTurns") ? `of ${limit("maxTurns")}` : "",
    ],
    [
      "Elapsed",
      span(elapsed),
      limit("maxMinutes") ? elapsed / 60000 / limit("maxMinutes") : -1,
      limit("maxMinutes") ? `of ${limit("maxMinutes")} min` : "",
    ],
  ];
  const item = state?.at?.item;
  return (
    <dl className="meters">
      {all.map(([name, value, share, of]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> <span className="muted">{of}</span>
            {share >= 0 && (
              <meter
                min={0}
                max={1}
                low={0.75}
                high={0.95}
                optimum={0}
                value={Math.min(1, share)}
                aria-label={`${name} used`}
              >
                {Math.round(share * 100)}%
              </meter>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>Item</dt>
        <dd>
          {item ? (
            <>
              <strong>
                {item.number} of {item.count}
              </strong>{" "}
              <span className="muted ellipsis">{item.label}</span>
            </>
          ) : (
            <span className="muted">none</span>
          )}
        </dd>
      </div>
    </dl>
  );
}
