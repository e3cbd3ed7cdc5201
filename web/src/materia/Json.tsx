// A field for a JSON value.
import { useEffect, useRef, useState } from "react";
import { lineOf, read } from "../loadout/place";
import { Field } from "../ui/parts";

export function Json({
  label,
  value,
  readOnly,
  plain,
  onChange,
}: {
  label: string;
  value: unknown;
  readOnly?: boolean;
  plain?: boolean;
  onChange: (value: unknown) => void;
}) {
  const spelled = plain && typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const [written, setWritten] = useState(spelled);
  const [problem, setProblem] = useState<string | null>(null);
  // The value may also change from outside: by a revert, or by another way to run.
  const mine = useRef(spelled);
  useEffect(() => {
    if (spelled !== mine.current) {
      mine.current = spelled;
      setWritten(spelled);
      setProblem(null);
    }
  }, [spelled]);
  const put = (next: string) => {
    setWritten(next);
    if (plain && !/^\s*[[{"]/.test(next)) {
      mine.current = next;
      setProblem(null);
      onChange(next);
      return;
    }
    const { wrong } = read(next || "null");
    if (wrong) {
      const [line, column] = lineOf(next, wrong.at);
      setProblem(`line ${line}, column ${column}: ${wrong.message}`);
      return;
    }
    const said: unknown = JSON.parse(next || "null");
    mine.current = plain && typeof said === "string" ? said : JSON.stringify(said, null, 2);
    setProblem(null);
    onChange(said);
  };
  return (
    <Field label={label} hint={problem ?? undefined}>
      <textarea
        className="input mono"
        rows={3}
        spellCheck={false}
        value={written}
        aria-invalid={problem !== null}
        disabled={readOnly}
        onChange={(event) => put(event.target.value)}
      />
    </Field>
  );
}
