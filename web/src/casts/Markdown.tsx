// Markdown of agents, shown safely: it becomes elements, never HTML. What is not understood is text.
import type { ReactNode } from "react";

export function Markdown({ text }: { text: string }) {
  return <div className="prose">{blocks(text.replaceAll("\r\n", "\n").split("\n"))}</div>;
}

function blocks(lines: string[]): ReactNode[] {
  const out: ReactNode[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = /^\s*(```+|~~~+)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const bullet = /^\s*(?:[-*+]|(\d+)[.)])\s+/.exec(line);
    if (fence) {
      const end = lines.findIndex((one, index) => index > at && one.trim().startsWith(fence[1] ?? "```"));
      const last = end < 0 ? lines.length : end;
      out.push(<pre key={at} tabIndex={0}>{lines.slice(at + 1, last).join("\n")}</pre>);
      at = last + 1;
    } else if (heading) {
      const Tag = `h${Math.min(6, (heading[1]?.length ?? 1) + 2)}` as "h3";
      out.push(<Tag key={at}>{inline(heading[2] ?? "")}</Tag>);
      at += 1;
    } else if (bullet) {
      const items: ReactNode[] = [];
      const ordered = bullet[1] !== undefined;
      const start = at;
      while (at < lines.length) {
        const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(lines[at] ?? "");
        if (!item) break;
        let words = item[1] ?? "";
        at += 1;
        while (at < lines.length && /^\s{2,}\S/.test(lines[at] ?? "") && !/^\s*(?:[-*+]|\d+[.)])\s+/.test(lines[at] ?? "")) { words += ` ${(lines[at] ?? "").trim()}`; at += 1; }
        items.push(<li key={at}>{inline(words)}</li>);
      }
      out.push(ordered ? <ol key={start}>{items}</ol> : <ul key={start}>{items}</ul>);
    } else if (/^\s*>/.test(line)) {
      const start = at;
      const quoted: string[] = [];
      while (at < lines.length && /^\s*>/.test(lines[at] ?? "")) { quoted.push((lines[at] ?? "").replace(/^\s*>\s?/, "")); at += 1; }
      out.push(<blockquote key={start}>{blocks(quoted)}</blockquote>);
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const start = at;
      const words: string[] = [];
      while (at < lines.length && (lines[at] ?? "").trim() !== "" && !/^\s*(```|~~~|#{1,6}\s|>|[-*+]\s|\d+[.)]\s)/.test(lines[at] ?? "")) { words.push(lines[at] ?? ""); at += 1; }
      if (words.length === 0) { words.push(line); at += 1; }
      out.push(<p key={start}>{inline(words.join("\n"))}</p>);
    }
  }
  return out;
}

function inline(text: string): ReactNode[] {
  const out: ReactNode[] = [];
  const pattern = /(`+)([^`]+)\1|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)/g;
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) out.push(text.slice(from, found.index));
    const key = found.index;
    if (found[2] !== undefined) out.push(<code key={key}>{found[2]}</code>);
    else if (found[3] ?? found[4]) out.push(<strong key={key}>{found[3] ?? found[4]}</strong>);
    else if (found[5]) out.push(<em key={key}>{found[5]}</em>);
    else if (found[7]) out.push(<a key={key} href={found[7]} target="_blank" rel="noreferrer noopener">{found[6] || found[7]}</a>);
    from = found.index + found[0].length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}
