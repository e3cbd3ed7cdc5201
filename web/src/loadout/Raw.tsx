// The loadout as text, with its issues and completions at the cursor.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { Finding } from "../types";
import { Issues } from "../ui/parts";
import type { Doc } from "./doc";
import { stepsOf } from "./locate";
import type { Look } from "./look";
import { lineOf, placeOf, read } from "./place";

const KEYS = [
  "entry",
  "description",
  "sockets",
  "loops",
  "layout",
  "materia",
  "parse",
  "assign",
  "edges",
  "when",
  "to",
  "maxTraversals",
  "foreach",
  "advance",
  "limits",
  "maxVisits",
  "consumes",
  "from",
  "output",
  "exits",
  "id",
  "condition",
  "targetSocketId",
  "exit",
  "cursor",
  "items",
  "lockState",
];

export type Written = { text: string; of: string };
type Props = {
  name: string;
  doc: Doc;
  looks: Look[];
  issues: Finding[];
  readOnly: boolean;
  change: (doc: Doc) => void;
  written: Written | null;
  onWritten: (written: Written | null) => void;
};

/** `written` holds text that is not valid JSON yet, so that it survives a change of the view. */
export function Raw({ name, doc, looks, issues, readOnly, change, written, onWritten }: Props) {
  const spelled = JSON.stringify(doc, null, 2);
  const [text, setText] = useState(written?.of === spelled ? written.text : spelled);
  const [offers, setOffers] = useState<string[]>([]);
  const [at, setAt] = useState(0);
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const mine = useRef(spelled);
  useEffect(() => {
    if (spelled !== mine.current) {
      mine.current = spelled;
      setText(spelled);
      onWritten(null);
    }
  }, [spelled, onWritten]);
  const { places, wrong } = useMemo(() => read(text), [text]);
  const problem =
    wrong ??
    (/^\s*\{/.test(text) ? null : { at: 0, message: "a loadout is an object: it begins with {" });
  const spoken = (spot: number) => {
    const [line, column] = lineOf(text, spot);
    return `line ${line}, column ${column}`;
  };
  const spotOf = (issue: Finding) => placeOf(places, stepsOf(name, issue.path));

  const put = (next: string) => {
    setText(next);
    if (read(next).wrong || !/^\s*\{/.test(next)) {
      onWritten({ text: next, of: mine.current });
      return;
    }
    onWritten(null);
    const said = JSON.parse(next) as Doc;
    mine.current = JSON.stringify(said, null, 2);
    change(said);
  };
  /** Moves the cursor to an issue and scrolls its line into view. */
  const show = (spot: number | null) => {
    const element = area.current;
    if (!element || spot === null) return;
    element.focus();
    element.setSelectionRange(
      spot,
      text.indexOf("\n", spot) < 0 ? text.length : text.indexOf("\n", spot),
    );
    element.scrollTop = Math.max(
      0,
      (lineOf(text, spot)[0] - 4) * (element.scrollHeight / text.split("\n").length),
    );
  };
  const offer = () => {
    const element = area.current;
    if (!element) return;
    const [word, key] = around(element.value, element.selectionStart);
    setOffers(
      word === null
        ? []
        : fitting(key, doc, looks)
            .filter((one) => one.toLowerCase().startsWith(word.toLowerCase()) && one !== word)
            .slice(0, 8),
    );
    setAt(0);
  };
  const take = (word: string) => {
    const element = area.current;
    if (!element) return;
    const end = element.selectionStart;
    const start = element.value.lastIndexOf('"', end - 1) + 1;
    const closed = element.value[end] === '"';
    put(element.value.slice(0, start) + word + (closed ? "" : '"') + element.value.slice(end));
    setOffers([]);
    requestAnimationFrame(() =>
      element.setSelectionRange(start + word.length + 1, start + word.length + 1),
    );
  };
  return (
    <div className="raw">
      <label className="sr" htmlFor={`${list}-text`}>
        The loadout as JSON
      </label>
      <textarea
        id={`${list}-text`}
        ref={area}
        className="input mono"
        spellCheck={false}
        readOnly={readOnly}
        value={text}
        aria-invalid={problem !== null}
        aria-autocomplete="list"
        aria-controls={list}
        onChange={(event) => {
          put(event.target.value);
          requestAnimationFrame(offer);
        }}
        onBlur={() => setTimeout(() => setOffers([]), 150)}
        onKeyDown={(event) => {
          if (event.ctrlKey && event.key === " ") {
            event.preventDefault();
            offer();
            return;
          }
          if (offers.length === 0) return;
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            setAt((at + (event.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length);
          } else if (event.key === "Enter" || event.key === "Tab") {
            event.preventDefault();
            take(offers[at] ?? "");
          } else if (event.key === "Escape") {
            event.stopPropagation();
            setOffers([]);
          }
        }}
      />
      <div className="raw-side stack">
        {problem ? (
          <div className="issue error" role="status">
            <span>
              {spoken(problem.at)}: {problem.message}
            </span>
            <span className="hint">The loadout stays as it was until this is JSON again.</span>
            <button type="button" onClick={() => show(problem.at)}>
              Show the place
            </button>
          </div>
        ) : (
          <p className="muted" role="status">
            {issues.length ? "" : "Nothing is wrong with it."}
          </p>
        )}
        <div
          id={list}
          className="offers"
          role="listbox"
          aria-label="Words that fit here"
          hidden={offers.length === 0}
        >
          {offers.map((word, index) => (
            <div
              key={word}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onPointerDown={(event) => {
                event.preventDefault();
                take(word);
              }}
            >
              {word}
            </div>
          ))}
        </div>
        {!problem && (
          <Issues
            issues={issues}
            onShow={(issue) => show(spotOf(issue))}
            place={(issue) => {
              const spot = spotOf(issue);
              return spot === null ? null : spoken(spot);
            }}
          />
        )}
        {!readOnly && <p className="hint">Ctrl Space offers words that fit.</p>}
      </div>
    </div>
  );
}

/** The quoted word at the cursor, and the key if the word is its value. */
function around(text: string, cursor: number): [string | null, string | null] {
  const line = text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
  const open = (line.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
  if (!open) return [null, null];
  const word = line.slice(line.lastIndexOf('"') + 1);
  const key = /"([^"]*)"\s*:\s*(?:\[\s*(?:"[^"]*"\s*,\s*)*)?"[^"]*$/.exec(line);
  return [word, key?.[1] ?? null];
}

function fitting(key: string | null, doc: Doc, looks: Look[]): string[] {
  const ids = Object.keys(doc.sockets ?? {});
  switch (key) {
    case "materia":
      return looks.map((look) => look.name);
    case "when":
    case "condition":
      return ["always", "satisfied", "not_satisfied"];
    case "to":
    case "targetSocketId":
    case "done":
      return [...ids, "end"];
    case "from":
    case "entry":
    case "sockets":
      return ids;
    case "parse":
      return ["text", "json"];
    case "lockState":
      return ["locked", "unlocked"];
    case null:
      return [...KEYS, ...ids];
    default:
      return [];
  }
}
