// Renders the Markdown of agents safely: as elements, never as HTML. Unknown syntax stays text.
import type { ReactNode } from "react";
import { byPlace, Output, ScrollArea } from "../ui/parts";

export function Markdown({ text }: { text: string }) {
  return <div className="prose">{blocks(text.replaceAll("\r\n", "\n").split("\n"), 0)}</div>;
}

const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const RULE = /^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** Maximum nesting of quotes and lists; deeper levels are text, which bounds the recursion. */
const DEEPEST = 8;

function blocks(lines: string[], depth: number): ReactNode[] {
  const out: ReactNode[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const start = at;
    const fence = /^\s*(```+|~~~+)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (fence) {
      const end = lines.findIndex(
        (one, index) => index > at && one.trim().startsWith(fence[1] ?? "```"),
      );
      const last = end < 0 ? lines.length : end;
      out.push(<Output key={at}>{lines.slice(at + 1, last).join("\n")}</Output>);
      at = last + 1;
    } else if (heading) {
      const Tag = `h${Math.min(6, (heading[1]?.length ?? 1) + 2)}` as "h3";
      out.push(<Tag key={at}>{inline(heading[2] ?? "")}</Tag>);
      at += 1;
    } else if (RULE.test(line)) {
      out.push(<hr key={at} />);
      at += 1;
    } else if (ITEM.test(line) && depth < DEEPEST) {
      const [list, next] = listAt(lines, at, depth);
      out.push(list);
      at = next;
    } else if (/^\s*>/.test(line) && depth < DEEPEST) {
      const quoted: string[] = [];
      while (at < lines.length && /^\s*>/.test(lines[at] ?? "")) {
        quoted.push((lines[at] ?? "").replace(/^\s*>\s?/, ""));
        at += 1;
      }
      out.push(<blockquote key={start}>{blocks(quoted, depth + 1)}</blockquote>);
    } else if (
      line.includes("|") &&
      DELIMITER.test(lines[at + 1] ?? "") &&
      (lines[at + 1] ?? "").includes("-")
    ) {
      const rows: string[][] = [];
      const head = cells(line);
      at += 2;
      while (
        at < lines.length &&
        (lines[at] ?? "").includes("|") &&
        (lines[at] ?? "").trim() !== ""
      ) {
        rows.push(cells(lines[at] ?? ""));
        at += 1;
      }
      out.push(
        <ScrollArea key={start} className="cells-box" label="Table">
          <table>
            <thead>
              <tr>
                {byPlace(head, (one) => (
                  <th scope="col">{inline(one)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {byPlace(rows, (row) => (
                <tr>
                  {byPlace(head, (_, column) => (
                    <td>{inline(row[column] ?? "")}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>,
      );
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const words: string[] = [];
      while (
        at < lines.length &&
        (lines[at] ?? "").trim() !== "" &&
        !/^\s*(```|~~~|#{1,6}\s|>|[-*+]\s|\d+[.)]\s)/.test(lines[at] ?? "") &&
        !RULE.test(lines[at] ?? "")
      ) {
        words.push(lines[at] ?? "");
        at += 1;
      }
      if (words.length === 0) {
        words.push(line);
        at += 1;
      }
      out.push(<p key={start}>{inline(words.join("\n"))}</p>);
    }
  }
  return out;
}

/** A list with the content of each item, and the number of the line after it. */
function listAt(lines: string[], from: number, depth: number): [ReactNode, number] {
  const [, indent = "", number] = ITEM.exec(lines[from] ?? "") ?? [];
  const ordered = number !== undefined;
  const items: ReactNode[] = [];
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at] ?? "");
    if (
      !item ||
      (item[1] ?? "").length > indent.length + 1 ||
      (item[1] ?? "").length < indent.length ||
      (item[2] !== undefined) !== ordered
    )
      break;
    const task = /^\[([ xX])\]\s+(.*)$/.exec(item[3] ?? "");
    const below: string[] = [];
    const start = at;
    at += 1;
    // Deeper indented lines belong to the item, also after an empty line.
    while (
      at < lines.length &&
      (/^\s{2,}\S/.test((lines[at] ?? "").slice(indent.length)) ||
        ((lines[at] ?? "").trim() === "" &&
          /^\s{2,}\S/.test((lines[at + 1] ?? "").slice(indent.length))))
    ) {
      below.push((lines[at] ?? "").slice(indent.length + 2));
      at += 1;
    }
    // A paragraph that continues on the next line is part of the item's own text.
    let words = task ? (task[2] ?? "") : (item[3] ?? "");
    while (
      below.length &&
      (below[0] ?? "").trim() !== "" &&
      !/^\s*(```|~~~|>|[-*+]\s|\d+[.)]\s)/.test(below[0] ?? "")
    )
      words += ` ${(below.shift() ?? "").trim()}`;
    items.push(
      <li key={start} className={task ? "task" : undefined}>
        {task && (
          <input
            type="checkbox"
            disabled
            checked={task[1] !== " "}
            aria-label={task[1] === " " ? "to do" : "done"}
          />
        )}
        {task && " "}
        {inline(words)}
        {below.length > 0 && blocks(below, depth + 1)}
      </li>,
    );
    // An empty line between two items does not end the list.
    if ((lines[at] ?? "x").trim() === "" && ITEM.test(lines[at + 1] ?? "")) at += 1;
  }
  return [
    ordered ? (
      <ol key={from} start={Number(number)}>
        {items}
      </ol>
    ) : (
      <ul key={from}>{items}</ul>
    ),
    Math.max(at, from + 1),
  ];
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((one) => one.trim().replaceAll("\\|", "|"));
}

function inline(text: string): ReactNode[] {
  const out: ReactNode[] = [];
  const pattern =
    /(`+)([^`]+)\1|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)|~~([^~]+)~~/g;
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) out.push(text.slice(from, found.index));
    const key = found.index;
    if (found[2] !== undefined) out.push(<code key={key}>{found[2]}</code>);
    else if (found[3] ?? found[4]) out.push(<strong key={key}>{found[3] ?? found[4]}</strong>);
    else if (found[5]) out.push(<em key={key}>{found[5]}</em>);
    else if (found[7])
      out.push(
        <a key={key} href={found[7]} target="_blank" rel="noreferrer noopener">
          {found[6] || found[7]}
        </a>,
      );
    else if (found[8]) out.push(<del key={key}>{found[8]}</del>);
    from = found.index + found[0].length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}
