// Live updates. One stream per page; after a disconnect it resumes after the last event received.
import { api } from "./api";
import { createStore } from "./store";
import type {
  ActivityReport,
  AgentUsage,
  CastEventRecord,
  CastListItem,
  CastListReport,
  CastStateReport,
  Inventory,
  LibraryReport,
  NeedsReport,
  OutputChunk,
  QuestListReport,
  RunReport,
} from "./types";

export type Block =
  | { kind: "text" | "notice" | "cut"; text: string }
  | { kind: "tool"; name: string; input: string; ok: boolean | null };
/** An agent's output and actions in one turn. */
export type Turn = { path: string; to: number; blocks: Block[]; usage: AgentUsage | null };
export type Watched = {
  id: string;
  state: CastStateReport | null;
  events: CastEventRecord[];
  dropped: number;
  turn: Turn | null;
};
export type Flow = { text: string; from: number; to: number };
export type WatchedRun = { id: string; view: RunReport | null; stdout: Flow; stderr: Flow };
export const casts = createStore<CastListItem[] | null>(null);
export const waiting = createStore<NeedsReport | null>(null);
export const runs = createStore<Inventory | null>(null);
export const board = createStore<QuestListReport | null>(null);
export const shelf = createStore<LibraryReport | null>(null);
export const watched = createStore<Watched | null>(null);
export const watchedRun = createStore<WatchedRun | null>(null);
export const connection = createStore<"open" | "lost">("open");

/** What the page watches besides the lists that every page needs. */
export type Look = { cast?: string; run?: string; also?: string[] };

/** Maximum number of events and characters of output that a page keeps; the files have the rest. */
const MOST = 10_000;
const LONGEST = 300_000;
let looking: Look = {};
let stream: EventSource | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;
let last = 0;

export function look(at: Look) {
  if (stream && JSON.stringify(at) === JSON.stringify(looking)) return;
  if (at.cast !== looking.cast || !stream) {
    last = 0;
    watched.set(
      at.cast === undefined
        ? null
        : { id: at.cast, state: null, events: [], dropped: 0, turn: null },
    );
  }
  if (at.run !== looking.run || !stream) {
    const nothing: Flow = { text: "", from: 0, to: 0 };
    watchedRun.set(
      at.run === undefined ? null : { id: at.run, view: null, stdout: nothing, stderr: nothing },
    );
  }
  looking = at;
  open();
}

// A browser opens at most six connections to one server, so a hidden tab closes its stream. It
// polls instead, for the number in its title.
const HIDDEN = 15_000;
let asking: ReturnType<typeof setInterval> | undefined;
document.addEventListener("visibilitychange", () => {
  clearInterval(asking);
  if (!document.hidden) {
    open();
    return;
  }
  clearTimeout(retry);
  stream?.close();
  asking = setInterval(() => {
    api.casts().then(
      (listing) => casts.set(listing.casts),
      () => {},
    );
    api.needs().then(
      (now) => waiting.set(now),
      () => {},
    );
  }, HIDDEN);
});

function query(): string {
  const words = new URLSearchParams();
  if (looking.also?.length) words.set("also", looking.also.join(","));
  if (looking.cast !== undefined) {
    words.set("cast", looking.cast);
    words.set("after", String(last));
    const turn = watched.get()?.turn;
    if (turn) {
      words.set("turn", turn.path);
      words.set("seen", String(turn.to));
    }
  }
  if (looking.run !== undefined) {
    words.set("run", looking.run);
    const now = watchedRun.get();
    if (now?.stdout.to) words.set("stdout", String(now.stdout.to));
    if (now?.stderr.to) words.set("stderr", String(now.stderr.to));
  }
  return words.size ? `?${words}` : "";
}

function open() {
  clearTimeout(retry);
  stream?.close();
  const source = new EventSource(`/api/live${query()}`);
  stream = source;
  const { cast, run } = looking;
  // Collect events that arrive together and render them once.
  let events: CastEventRecord[] = [];
  let doing: ActivityReport[] = [];
  let wrote: OutputChunk[] = [];
  let frame = 0;
  const flush = () => {
    frame = 0;
    if (stream !== source) return;
    const [told, did, written] = [events, doing, wrote];
    [events, doing, wrote] = [[], [], []];
    if (told.length || did.length)
      watched.set((now) =>
        now && now.id === cast ? { ...keep(now, told), turn: did.reduce(act, now.turn) } : now,
      );
    if (written.length)
      watchedRun.set((now) => {
        if (!now || now.id !== run) return now;
        const next = { ...now };
        for (const one of written) next[one.stream] = flowed(next[one.stream], one);
        return next;
      });
  };
  const soon = () => {
    if (!frame) frame = requestAnimationFrame(flush);
  };
  const on = <T>(name: string, heard: (news: T) => void) =>
    source.addEventListener(name, (event) => {
      if (stream === source) heard(JSON.parse((event as MessageEvent<string>).data) as T);
    });
  source.onopen = () => connection.set("open");
  on<CastListReport>("casts", (now) => casts.set(now.casts));
  on<NeedsReport>("needs", (now) => waiting.set(now));
  on<Inventory>("runs", (now) => runs.set(now));
  on<QuestListReport>("quests", (now) => board.set(now));
  on<LibraryReport>("library", (now) => shelf.set(now));
  on<CastEventRecord>("record", (told) => {
    if (told.seq <= last) return;
    last = told.seq;
    events.push(told);
    soon();
  });
  on<ActivityReport>("doing", (news) => {
    doing.push(news);
    soon();
  });
  on<OutputChunk>("output", (news) => {
    wrote.push(news);
    soon();
  });
  on<CastStateReport>("state", (state) =>
    watched.set((now) => (now && now.id === cast ? { ...now, state } : now)),
  );
  on<RunReport>("run", (view) =>
    watchedRun.set((now) => (now && now.id === run ? { ...now, view } : now)),
  );
  source.onerror = () => {
    if (stream !== source) return;
    flush();
    connection.set("lost");
    source.close();
    retry = setTimeout(open, 1000);
  };
}

function keep(now: Watched, fresh: CastEventRecord[]): Watched {
  if (fresh.length === 0) return now;
  const events = [...now.events, ...fresh];
  const over = Math.max(0, events.length - MOST);
  return { ...now, events: over ? events.slice(over) : events, dropped: now.dropped + over };
}

/** Adds the next activity to a turn. */
export function act(turn: Turn | null, news: ActivityReport): Turn {
  const before: Turn =
    turn && turn.path === news.path && news.to > 0
      ? turn
      : { path: news.path, to: 0, blocks: [], usage: null };
  // Skip activity that was received before.
  if (news.to !== 0 && news.to <= before.to) return before;
  const blocks = [...before.blocks];
  let usage = before.usage;
  for (const line of news.lines) {
    const end = blocks.at(-1);
    if (line.type === "text" && end?.kind === "text")
      blocks[blocks.length - 1] = { ...end, text: end.text + line.text };
    else if (line.type === "text" || line.type === "notice")
      blocks.push({ kind: line.type, text: line.text });
    else if (line.type === "tool_start")
      blocks.push({ kind: "tool", name: line.name, input: line.input, ok: null });
    else if (line.type === "tool_end") {
      const at = blocks.findIndex(
        (one) => one.kind === "tool" && one.ok === null && one.name === line.name,
      );
      if (at >= 0)
        blocks[at] = { ...(blocks[at] as Extract<Block, { kind: "tool" }>), ok: line.ok };
    } else if (line.type === "usage") usage = line;
    else if (line.type === "cut") blocks.push({ kind: "cut", text: "What follows is not kept." });
  }
  return { path: news.path, to: news.to, blocks, usage };
}

/** Appends the next output. Output that does not continue the previous one replaces it. */
function flowed(flow: Flow, news: OutputChunk): Flow {
  const text = news.from === flow.to && flow.to > 0 ? flow.text + news.text : news.text;
  const from = news.from === flow.to && flow.to > 0 ? flow.from : news.from;
  return text.length > LONGEST
    ? { text: text.slice(-LONGEST), from: news.to - LONGEST, to: news.to }
    : { text, from, to: news.to };
}
