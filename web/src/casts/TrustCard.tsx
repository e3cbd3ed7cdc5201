// What a project brings, shown before the user trusts it.
import type { TrustedAct, TrustReport } from "../types";

export function TrustCard({ trust, onAgree }: { trust: TrustReport; onAgree: () => void }) {
  return (
    <div className="card stack tight">
      <h2>What this project brings would run</h2>
      <code className="muted">{trust.file}</code>
      <ul className="acts">
        {trust.acts.map((act) => (
          <li key={act.name}>
            <code>{words(act)}</code>
          </li>
        ))}
      </ul>
      <p className="hint">
        Nothing of it runs until you agree. One changed byte, and you are asked again.
      </p>
      <div>
        <button type="button" className="btn" onClick={onAgree}>
          I have looked at it: trust it
        </button>
      </div>
    </div>
  );
}

const words = ({ name, kind, commands, detail }: TrustedAct) =>
  [
    `name: ${name}`,
    kind,
    ...(commands ? [`commands: ${commands.join(" ")}`] : []),
    ...(detail !== undefined ? [`detail: ${detail}`] : []),
  ].join(" · ");
