// A line diff of two texts: removed lines, added lines, and some context.
import { byPlace, ScrollArea } from "../ui/parts";

type Line = { kind: "same" | "add" | "del" | "skip"; text: string };

export function diff(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  const middle = longest(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const lines: Line[] = [
    ...a.slice(0, start).map((text): Line => ({ kind: "same", text })),
    ...middle,
    ...a.slice(a.length - end).map((text): Line => ({ kind: "same", text })),
  ];
  return folded(lines);
}

/**
 * Diffs the middle part by the longest common subsequence; above a size limit, replaces all lines.
 */
function longest(a: string[], b: string[]): Line[] {
  if (a.length * b.length > 1_000_000) {
    return [
      ...a.map((text): Line => ({ kind: "del", text })),
      ...b.map((text): Line => ({ kind: "add", text })),
    ];
  }
  // The length of the longest common subsequence after each pair of lines.
  const table = new Uint16Array((a.length + 1) * (b.length + 1));
  const place = (i: number, j: number) => i * (b.length + 1) + j;
  const common = (i: number, j: number) => table[place(i, j)] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[place(i, j)] =
        a[i] === b[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [gone, come] = [a[i], b[j]];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: "same", text: gone });
      i += 1;
      j += 1;
    } else if (gone !== undefined && (come === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push({ kind: "del", text: gone });
      i += 1;
    } else {
      lines.push({ kind: "add", text: come ?? "" });
      j += 1;
    }
  }
  return lines;
}

function folded(lines: Line[]): Line[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - 3), at + 4).some((line) => line.kind !== "same"),
  );
  const shown: Line[] = [];
  lines.forEach((line, at) => {
    if (near[at]) shown.push(line);
    else if (shown.at(-1)?.kind !== "skip") shown.push({ kind: "skip", text: "···" });
  });
  return shown;
}

export function Diff({ before, after }: { before: string; after: string }) {
  const lines = diff(before, after);
  if (!lines.some((line) => line.kind === "add" || line.kind === "del"))
    return <p className="muted">Nothing changes.</p>;
  const mark = { same: " ", add: "+", del: "−", skip: " " };
  return (
    <ScrollArea className="diff" label="What changes in the file">
      {byPlace(lines, (line) => (
        <div className={line.kind}>
          {mark[line.kind]} {line.text}
        </div>
      ))}
    </ScrollArea>
  );
}
