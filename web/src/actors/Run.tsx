// One run: its live output, messages, room members and processes; sending it messages and ending
// it.
import { useState } from "react";
import { api } from "../api";
import { connection, watchedRun } from "../live";
import { path } from "../router";
import { useStore } from "../store";
import { Icon } from "../ui/icons";
import { Dialog, ScrollArea, Tabs } from "../ui/parts";
import { complain, say } from "../ui/toasts";
import { alive, RunBadge } from "./Page";
import { About, Processes } from "./RunAbout";
import { Outputs } from "./RunOutput";
import { Mail, Members, Send, Talk } from "./Talk";

const VIEWS = [
  ["output", "Output"],
  ["messages", "Messages"],
  ["room", "Room"],
  ["processes", "Processes"],
  ["about", "About"],
] as const;

export function RunScreen({ id }: { id: string }) {
  const live = useStore(watchedRun);
  const link = useStore(connection);
  const shown = live?.id === id ? live : null;
  const view = shown?.view ?? null;
  const [tab, setTab] = useState<(typeof VIEWS)[number][0]>("output");
  const [ending, setEnding] = useState(false);
  const about = view?.status;
  const status = about?.status ?? "";
  return (
    <section className="editor" aria-label={`Run ${id}`}>
      <header className="head">
        <div className="grow">
          <h1 className="clamp mono">{id}</h1>
          <p className="row">
            <RunBadge status={status} />
            <span className="ellipsis">{about?.tool ?? about?.recipe ?? ""}</span>
            {about?.cast && <a href={path("casts", about.cast.id)}>cast {about.cast.id}</a>}
            {link === "lost" && <span className="badge bad">connection lost, trying again</span>}
          </p>
        </div>
        <button
          type="button"
          className="btn danger"
          disabled={!alive(status)}
          onClick={() => setEnding(true)}
        >
          <Icon name="stop" size={16} />
          Kill
        </button>
        <Tabs label="What is shown" value={tab} onChange={setTab} options={VIEWS} />
      </header>
      <ScrollArea className="page run-page" label="Run">
        {tab === "output" && (
          <Outputs stdout={shown?.stdout} stderr={shown?.stderr} living={alive(status)} />
        )}
        {tab === "messages" && view && (
          <div className="talk-cols">
            <div className="stack">
              <h2>Sent to it</h2>
              <Mail all={view.mailbox.messages} />
              <h2>Said by it</h2>
              <Talk all={view.messages.messages} empty="It has said nothing to its coordinator." />
            </div>
            <Send to={`run:${id}`} label="Send it a message" disabled={!alive(status)} />
          </div>
        )}
        {tab === "room" && view && (
          <div className="talk-cols">
            <div className="stack">
              <h2>In the room</h2>
              <Members all={view.roster.members} />
              <h2>What was said</h2>
              <Talk all={view.room.messages} empty="Nobody has said anything in its room." />
            </div>
            <Send
              to={`room:${id}`}
              from={`branch:${id}/operator`}
              label="Say something in the room"
              disabled={!alive(status)}
            />
          </div>
        )}
        {tab === "processes" && view && <Processes all={view.processes} living={alive(status)} />}
        {tab === "about" && view && <About about={view.status} />}
      </ScrollArea>
      {ending && (
        <KillDialog id={id} count={view?.processes.length ?? 0} onClose={() => setEnding(false)} />
      )}
    </section>
  );
}

function KillDialog({ id, count, onClose }: { id: string; count: number; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    try {
      await api.message({ to: `run:${id}`, type: "control.kill" });
      say("it is being ended, with everything it started");
    } catch (error) {
      complain(error);
    }
    onClose();
  };
  return (
    <Dialog
      title={`Kill ${id}?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Let it run
          </button>
          <button type="button" className="btn danger" disabled={busy} onClick={() => void end()}>
            <Icon name="stop" size={16} />
            Kill it
          </button>
        </>
      }
    >
      <p>
        It is asked to end, and what is left after a moment is killed:{" "}
        {count > 1 ? `all ${count} processes of it` : "everything that it started"}. What it wrote
        stays.
      </p>
    </Dialog>
  );
}
