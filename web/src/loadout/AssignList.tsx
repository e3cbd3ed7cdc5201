// The parts of an output that are assigned to the state.
import { Icon } from "../ui/icons";
import { byPlace } from "../ui/parts";
import type { Doc } from "./doc";
import * as model from "./model";

export function AssignList({
  id,
  doc,
  readOnly,
  change,
}: {
  id: string;
  doc: Doc;
  readOnly: boolean;
  change: (doc: Doc) => void;
}) {
  const assign = (doc.sockets?.[id]?.assign ?? {}) as Record<string, string>;
  const pairs = Object.entries(assign);
  const put = (next: [string, string][]) =>
    change(model.setField(doc, id, "assign", next.length ? Object.fromEntries(next) : undefined));
  if (readOnly && pairs.length === 0) return null;
  return (
    <details open={pairs.length > 0}>
      <summary>Keeps in the state</summary>
      <div className="stack tight">
        {byPlace(pairs, ([to, from], at) => (
          <div className="row tight">
            <input
              className="input mono"
              aria-label={`State path ${at + 1}`}
              defaultValue={to}
              disabled={readOnly}
              onBlur={(event) =>
                put(
                  pairs.map((pair, index) =>
                    index === at ? [event.target.value || to, pair[1]] : pair,
                  ),
                )
              }
            />
            <span className="muted" aria-hidden="true">
              ←
            </span>
            <input
              className="input mono"
              aria-label={`Output path ${at + 1}`}
              defaultValue={from}
              disabled={readOnly}
              onBlur={(event) =>
                put(
                  pairs.map((pair, index) =>
                    index === at ? [pair[0], event.target.value || from] : pair,
                  ),
                )
              }
            />
            {!readOnly && (
              <button
                type="button"
                className="btn quiet small icon"
                aria-label={`Remove assignment ${at + 1}`}
                onClick={() => put(pairs.filter((_, index) => index !== at))}
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
        ))}
        {!readOnly && (
          <button
            type="button"
            className="btn small"
            onClick={() => put([...pairs, [`value${pairs.length + 1}`, "$.context"]])}
          >
            <Icon name="plus" size={14} />
            Assignment
          </button>
        )}
      </div>
    </details>
  );
}
