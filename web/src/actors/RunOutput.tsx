// The live output of a run.
import { useLayoutEffect, useRef, useState } from "react";
import type { Flow } from "../live";
import { Check } from "../ui/parts";

const NOTHING: Flow = { text: "", from: 0, to: 0 };

export function Outputs({
  stdout = NOTHING,
  stderr = NOTHING,
  living,
}: {
  stdout: Flow | undefined;
  stderr: Flow | undefined;
  living: boolean;
}) {
  const [follow, setFollow] = useState(true);
  return (
    <div className="outputs">
      <div className="row">
        <h2 className="grow">What it writes</h2>
        <Check label="Follow" checked={follow} onChange={setFollow} />
      </div>
      <Stream name="stdout" flow={stdout} follow={follow} living={living} onFollow={setFollow} />
      <Stream name="stderr" flow={stderr} follow={follow} living={living} onFollow={setFollow} />
    </div>
  );
}

function Stream({
  name,
  flow,
  follow,
  living,
  onFollow,
}: {
  name: string;
  flow: Flow;
  follow: boolean;
  living: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (flow.to > 0 && follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [flow, follow]);
  const size = flow.to < 1024 ? `${flow.to} B` : `${Math.round(flow.to / 1024)} KB`;
  return (
    <section className="flow">
      <h3>
        {name} <span className="muted">{size}</span>
      </h3>
      <pre
        ref={box}
        className="output"
        role="log"
        aria-live="off"
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll it
        tabIndex={0}
        onWheel={(event) => {
          if (event.deltaY < 0) onFollow(false);
        }}
      >
        {flow.from > 0 && <span className="muted">… the beginning is in the file{"\n"}</span>}
        {flow.text || <span className="muted">{living ? "nothing yet" : "nothing"}</span>}
      </pre>
    </section>
  );
}
