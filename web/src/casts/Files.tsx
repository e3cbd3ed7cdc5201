// The files of a cast, and a reader for one of them.
import { useEffect, useState } from "react";
import { api } from "../api";
import { act } from "../live";
import type { ArtifactReport, CastArtifact } from "../types";
import { Dialog, Output, Tabs } from "../ui/parts";
import { complain } from "../ui/toasts";
import { Markdown } from "./Markdown";
import { Blocks } from "./Turn";

export function Files({
  files,
  onOpen,
}: {
  files: CastArtifact[];
  onOpen: (file: string) => void;
}) {
  const groups = new Map<string, CastArtifact[]>();
  for (const file of files) {
    const [folder, socket] = file.path.split("/");
    const group = folder === "sockets" && socket !== undefined ? socket : "The cast";
    groups.set(group, [...(groups.get(group) ?? []), file]);
  }
  return (
    <div className="stack tight">
      {[...groups].map(([group, all]) => (
        <details key={group} open={groups.size < 4}>
          <summary>
            {group} <span className="muted">{all.length}</span>
          </summary>
          <ul className="files">
            {all.map((file) => (
              <li key={file.path}>
                <button type="button" className="link mono" onClick={() => onOpen(file.path)}>
                  {file.path
                    .split("/")
                    .slice(file.path.startsWith("sockets/") ? 2 : 0)
                    .join("/")}
                </button>
                <span className="muted">
                  {file.bytes < 1024 ? `${file.bytes} B` : `${Math.round(file.bytes / 1024)} KB`}
                </span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

export function ArtifactDialog({
  id,
  file,
  onClose,
}: {
  id: string;
  file: string;
  onClose: () => void;
}) {
  const [read, setRead] = useState<ArtifactReport | null>(null);
  const [raw, setRaw] = useState(false);
  useEffect(() => {
    api.artifact(id, file).then(setRead, (error) => {
      complain(error);
      onClose();
    });
  }, [id, file, onClose]);
  const pretty = read ? prettyOf(file, read.text) : null;
  return (
    <Dialog
      wide
      title={file}
      onClose={onClose}
      footer={
        <button type="button" className="btn" onClick={onClose}>
          Close
        </button>
      }
    >
      {pretty && (
        <Tabs
          label="How it is shown"
          value={raw ? "raw" : "read"}
          onChange={(value) => setRaw(value === "raw")}
          options={
            [
              ["read", "Rendered"],
              ["raw", "As it is"],
            ] as const
          }
        />
      )}
      {read && (pretty && !raw ? pretty : <Output className="output tall">{read.text}</Output>)}
      {read?.cut && (
        <p className="hint">Only the beginning is shown; the file has {read.bytes} bytes.</p>
      )}
    </Dialog>
  );
}

function prettyOf(file: string, text: string) {
  if (/\.activity\.jsonl$/.test(file)) {
    const lines = text.split("\n").flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
    return (
      <div className="card">
        <Blocks blocks={act(null, { path: file, to: 1, lines }).blocks} />
      </div>
    );
  }
  if (/\.json$/.test(file)) {
    try {
      return <Output className="output tall">{JSON.stringify(JSON.parse(text), null, 2)}</Output>;
    } catch {
      return null;
    }
  }
  return /\.md$/.test(file) ? (
    <div className="card">
      <Markdown text={text} />
    </div>
  ) : null;
}
