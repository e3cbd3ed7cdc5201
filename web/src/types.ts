// Written by the test `ui::the_clients_types_are_current`; MATERIA_WRITE_REFERENCE=1 writes it.

/** This program and the project it works in. */
export type AboutReport = {
  /** Our version. */
  version: string;
  /** The project directory. */
  project: string;
  /** Its last part. */
  projectName: string;
};

/** The answer to `loadout use`. */
export type ActiveLoadoutReport = {
  /** Always true; what was not written is a failure. */
  ok: boolean;
  /** The name of the loadout. */
  loadout: string;
  /** The file that says so now. */
  file: string;
  /** Whether the file said something else before. */
  changed: boolean;
  /** Why another loadout is active here all the same. */
  warnings: Array<Finding>;
};

/** Another active loadout. */
export type ActiveRequest = {
  /** Its name or id. */
  name: string;
};

/** What is seen of a turn while it runs. Nothing depends on it; it is not kept for ever. */
export type Activity = {
  "type": "text";
  /** The piece. */
  text: string;
} | {
  "type": "tool_start";
  /** Its name. */
  name: string;
  /** What it was asked for, in short. */
  input: string;
} | {
  "type": "tool_end";
  /** Its name. */
  name: string;
  /** Whether it did what it should. */
  ok: boolean;
} | {
  "type": "usage";
  /** Tokens read. */
  input: number;
  /** Tokens written. */
  output: number;
  /** Tokens read from a cache. */
  cacheRead: number;
  /** Tokens written to a cache. */
  cacheWrite: number;
  /** All of them. */
  total: number;
  /** Money, in US dollars. */
  cost: number;
} | {
  "type": "heard";
  /** What was said. */
  text: string;
} | {
  "type": "notice";
  /** The sentence. */
  text: string;
};

/** Why nothing follows. */
export type ActivityEnd = {
  "type": "cut";
};

/** One line of the artifact. */
export type ActivityLine = Activity | ActivityEnd;

/** Some lines of what an agent said and did in a turn. */
export type ActivityReport = {
  /** Which file it is. */
  path: string;
  /** The position behind the lines. */
  to: number;
  /** What was done, in order, as the file has it. */
  lines: Array<ActivityLine>;
};

/** The status of an actor. */
export type ActorStatus = {
  /** The agent. */
  name: string;
  /** The model it was told to ask. */
  model?: string;
  /** The tools it may use. */
  tools: string;
  /** Whether a turn runs. */
  busy: boolean;
  /** How many turns began. */
  turns: number;
  /** What all of them used. */
  usage: AgentUsage;
  /** The same by model. */
  models: { [key in string]: AgentUsage };
  /** What continues the conversation in the agent itself. */
  session?: string;
};

/** Somebody who can be written to. */
export type Address = string;

/** Tokens and money. */
export type AgentUsage = {
  /** Tokens read. */
  input: number;
  /** Tokens written. */
  output: number;
  /** Tokens read from a cache. */
  cacheRead: number;
  /** Tokens written to a cache. */
  cacheWrite: number;
  /** All of them. */
  total: number;
  /** Money, in US dollars. */
  cost: number;
};

/** The beginning of a file of a cast. */
export type ArtifactReport = {
  /** The file, by its path in the directory of the cast. */
  path: string;
  /** The text; what is no text is replaced. */
  text: string;
  /** How large it is in all. */
  bytes: number;
  /** Whether there is more. */
  cut: boolean;
};

/** A message whose sender waits for an answer. */
export type AttentionMessage = {
  /** The run that waits. */
  run: RunId;
  /** Its id. */
  id: string;
  /** When it was posted. */
  at: Timestamp;
  /** How urgently it is told. */
  delivery: DeliveryUrgency;
  /** How bad it is. */
  level: NoticeLevel;
  /** Whether somebody waits for an answer. */
  attention: boolean;
  /** Where it goes. */
  to: Address;
  /** What kind of message it is. */
  type: MessageType;
  /** Any JSON. */
  body?: JsonValue;
  /** Who says it. */
  from?: Address;
  /** One line for people. */
  summary?: string;
  /** The id of the message it answers. */
  reply_to?: string;
  /** What belongs together. */
  correlation_id?: string;
  /** Particulars for programs. */
  metadata?: { [key in string]: JsonValue };
};

/** The budget of a cast. */
export type BudgetReport = {
  /** Always true. */
  ok: boolean;
  /** The cast. */
  castId: string;
  /** Its status. */
  status: ObservedStatus;
  /** Every limit, and how much of it is used. */
  budget: Array<BudgetShare>;
  /** Whether a limit was changed, and from when on it holds. */
  raised: RaiseOutcome | null;
  /** What can be typed next. */
  next: Array<string>;
};

/** New limits of a cast. */
export type BudgetRequest = {
  maxTokens: number | null;
  maxCostUsd: number | null;
  maxTurns: number | null;
  maxMinutes: number | null;
};

/** One limit and how much of it is used. */
export type BudgetShare = {
  /** What is limited. */
  what: BudgetUnit;
  /** How much is used. */
  used: number;
  /** How much may be; nothing where there is no limit. */
  limit: number | null;
};

/** What a budget limits. */
export type BudgetUnit = "tokens" | "cost" | "turns" | "minutes";

/** How a cast goes on. */
export type CastActionRequest = {
  /** What the person says to a paused socket; nothing lets it finish. */
  text?: string | null;
  agentScript?: string | null;
  /** The agent that plays roles which name none. */
  agent?: string | null;
};

/** One file. */
export type CastArtifact = {
  /** Its path below the directory. */
  path: string;
  /** Its size. */
  bytes: number;
};

/** Everything about one cast but its events, which come live. */
export type CastDetailReport = {
  cast: CastShowReport;
  /** The document that the cast runs by. */
  definition: Record<string, unknown>;
};

/** One event. */
export type CastEventRecord = {
  /** Its number in the log. */
  seq: number;
  /** When it was recorded. */
  at: Timestamp;
  /** What it is. */
  type: string;
  /** The particulars. */
  data: Record<string, unknown>;
};

/** Why a cast failed. */
export type CastFailure = {
  /** What kind of failure it is. */
  code: CastFailureCode;
  /** What happened, in one sentence. */
  message: string;
  /** The socket it happened at. */
  socket?: string;
  /** What the person can do. */
  hint?: string;
};

/** The kinds of failures. */
export type CastFailureCode =
  | "edge_limit"
  | "visit_limit"
  | "stalled"
  | "budget_limit"
  | "invalid_output"
  | "agent_auth"
  | "agent_unavailable"
  | "agent_failed"
  | "breaker"
  | "utility_failed"
  | "interrupted"
  | "definition"
  | "aborted";

/** One cast of a list. */
export type CastListItem = {
  /** Its id. */
  castId: string;
  /** Its status. */
  status: ObservedStatus;
  /** The process that drives it. */
  driver: number | null;
  /** Its loadout. */
  loadout: string;
  /** The first line of what was asked for. */
  request: string;
  /** When it began. */
  startedAt: string | null;
  /** How long ago something last happened, in milliseconds. */
  ageMs: number | null;
  /** Where it is. */
  at: CastPosition | null;
  /** What it used. */
  usage: UsageSummary;
  /** What went wrong. */
  error: CastProblem | null;
  /** Its directory. */
  runDir: string;
};

/** The casts of a project. */
export type CastListReport = {
  /** Always true. */
  ok: boolean;
  /** Where they are. */
  folder: string;
  /** How many there are in all. */
  total: number;
  /** The newest first. */
  casts: Array<CastListItem>;
};

/** A cast and its status: a run that is done may have left it waiting for an answer. */
export type CastOfRun = {
  /** How it stands, proved. */
  status: string;
  /** Its id. */
  id: string;
  /** Its directory. */
  dir: string;
  /** Its loadout. */
  loadout?: string;
};

/** Where a cast is. */
export type CastPosition = {
  /** The socket. */
  socket: string;
  /** What it holds; not known before the visit began. */
  materia: string | null;
  /** The visit and the attempt, from 1. */
  visit: number;
  /** The attempt, from 1. */
  attempt: number;
  /** The item it works on. */
  item: ItemAt | null;
  /** What the person is asked for. */
  waitsFor: WaitingFor | null;
};

/** What went wrong with a cast: it failed, or its directory cannot be read. */
export type CastProblem = {
  /** What kind of problem it is. */
  code: CastProblemCode;
  /** What happened, in one sentence. */
  message: string;
  /** The socket it happened at. */
  socket?: string;
  /** What the person can do. */
  hint?: string;
};

/** The kinds of problems that a listed cast has. */
export type CastProblemCode = CastFailureCode | DirectoryProblem;

/** What came of driving a cast. */
export type CastReport = {
  /** Whether nothing is wrong with it. */
  ok: boolean;
  /** The cast. */
  castId: string;
  /** How it stands. */
  status: CastStatus;
  /** The name it runs under, where another process drives it. */
  run?: string;
  /** Its directory. */
  runDir: string;
  /** Its loadout. */
  loadout: string;
  /** How often each socket was visited. */
  visits: Record<string, number>;
  /** How often each edge was taken. */
  traversals: Record<string, number>;
  /** What the sockets share. */
  state: { [key in string]: JsonValue };
  /** The item it stands at. */
  item: JsonValue | null;
  /** What it cost. */
  usage: CastUsage;
  /** What went wrong. */
  error: CastFailure | null;
};

/** One cast. */
export type CastShowReport = {
  /** Always true. */
  ok: boolean;
  /** Its status. */
  status: ObservedStatus;
  /** The process that drives it. */
  driver: number | null;
  /** The cast. */
  castId: string;
  /** What was asked for. */
  request: string;
  /** Its loadout. */
  loadout: string;
  /** When it began. */
  startedAt: Timestamp | null;
  /** When something last happened. */
  updatedAt: Timestamp | null;
  /** How long ago that is, in milliseconds. */
  ageMs: number | null;
  /** Where it is. */
  at: CastPosition | null;
  /** Its directory. */
  runDir: string;
  /** What it used. */
  usage: CastUsage;
  /** What went wrong. */
  error: CastFailure | null;
  /** The visits, in the order they began. */
  steps: Array<CastStep>;
  /** Every event, where it was asked for. */
  events?: Array<CastEventRecord>;
  /** Every file, where it was asked for. */
  artifacts?: Array<CastArtifact>;
};

/** What the events of a cast add up to, as far as a picture of it needs. */
export type CastStateReport = {
  /** Its status. */
  status: ObservedStatus;
  /** Where it is. */
  at: CastPosition | null;
  /** How often each socket was visited. */
  visits: { [key in string]: number };
  /** How often each edge was taken. */
  traversals: { [key in string]: number };
  /** What it used. */
  usage: CastUsage;
  /** Who said what, the newest last. */
  conversation: Array<[Speaker, string]>;
  /** Work that was sent back. */
  rework: Array<Rework>;
  /** What went wrong. */
  error: CastFailure | null;
  /** Limits that were raised. */
  raised: RaisedLimits;
  /** When it began. */
  startedAt: Timestamp | null;
  /** When something last happened. */
  updatedAt: Timestamp | null;
};

/** Whether a cast goes on. */
export type CastStatus = "running" | "paused" | "complete" | "failed" | "aborted";

/** One visit of a socket. */
export type CastStep = {
  /** Its number, from 1. */
  step: number;
  /** How many attempts there were. */
  attempts: number;
  /** What came of it. */
  outcome: StepOutcome;
  /** What guards saw. */
  satisfied: boolean | null;
  /** When it began. */
  startedAt: Timestamp;
  /** How long it took, where it ended. */
  durationMs: number | null;
  /** What its turns used. */
  usage: AgentUsage;
  /** Its output. */
  artifact: string | null;
  /** The socket. */
  socket: string;
  /** The materia in it. */
  materia: string;
  /** Which visit of the socket it is, from 1. */
  visit: number;
  /** The key of the current item. */
  itemKey?: string;
  /** What people call the current item. */
  itemLabel?: string;
};

/** What a cast cost, as a whole and by its parts. */
export type CastUsage = {
  /** How many turns of agents there were. */
  turns: number;
  /** By socket. */
  bySocket: { [key in string]: UsageSum };
  /** By materia. */
  byMateria: { [key in string]: MateriaUsage };
  /** By item; casts without lists have none. */
  byItem?: { [key in string]: UsageSum };
  /** By model, where the agent says which one it asked. */
  byModel?: { [key in string]: UsageSum };
  /** Tokens. */
  tokens: TokenSum;
  /** Money. */
  cost: CostSum;
};

/** What would be wrong with a draft, and what its file would say. */
export type CheckReport = {
  /** Whether the loadout could be cast, or the materia be used. */
  usable: boolean;
  /** What is wrong or strange about it. */
  issues: Array<Finding>;
  /** The graph of a loadout that compiles, as `materia grid --format json` has it. */
  grid: JsonValue | null;
  /** The text of the file as it is. */
  before: string;
  /** The text that the file would have. */
  after: string;
};

/** A draft to check. */
export type CheckRequest = {
  /** The kind of the definition. */
  section: Section;
  /** Its name. */
  name: string;
  /** What it should say. */
  value: Record<string, unknown>;
  /** The file it would be saved to. */
  target: EditTarget;
};

/** A config file. */
export type ConfigFile = {
  /** Its place among the layers. */
  scope: string;
  /** Where it is. */
  path: string;
  /** Whether it is there. */
  exists: boolean;
};

/** Why nothing was saved, and what another editor wrote meanwhile. */
export type ConflictReport = {
  conflict: SaveConflict;
  /** Always false. */
  ok: boolean;
  /** What went wrong. */
  error: ErrorBody;
};

/** Money, in US dollars. */
export type CostSum = {
  /** All of it. */
  total: number;
};

/** One type of a contract, with whatever its author says about it. */
export type DeclaredMessage = {
  /** The type; a `*` at its end stands for any rest. */
  type: string;
} & ({ [key in string]:
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null });

/** Everything that can be edited. */
export type DefinitionsReport = {
  /** The loadout that a cast uses when none is named. */
  active: string | null;
  /** The loadouts. */
  loadouts: Array<LoadoutDefinition>;
  /** The materia. */
  materia: Array<MateriaDefinition>;
  /** The files, lowest layer first. */
  files: Array<ConfigFile>;
  /** What is wrong outside of loadouts. */
  issues: Array<Finding>;
};

/** How messages reach the process of a run (A5). */
export type DeliveryMethod = "receive" | "stdin" | "fifo";

/** How urgently a message is told. */
export type DeliveryUrgency = "log" | "notify" | "followup";

/** Why nothing is known of a cast. */
export type DirectoryProblem = "unreadable";

/** Whose file is edited. */
export type EditTarget = "user" | "project";

/** What went wrong. */
export type ErrorBody = {
  /** A stable snake_case name for programs. */
  code: string;
  /** One sentence without a full stop. */
  message: string;
  /** What to do next. */
  hint?: string;
  /** Where it stands, when it is about a document. */
  at?: SourcePos;
  /** What led to it, the nearest first. */
  causes?: Array<string>;
  /** Everything that is wrong with the documents concerned. */
  issues?: Array<Finding>;
};

/** An error as programs read it: `{"ok":false,"error":{"code","message","hint"?,"at"?}}`. */
export type ErrorReport = {
  /** Always false. */
  ok: boolean;
  /** What went wrong. */
  error: ErrorBody;
};

/** One thing that is wrong with a document. */
export type Finding = {
  /** Whether the document is refused for it. */
  severity: Severity;
  /** A stable kebab-case name, such as `duplicate-key`. */
  code: string;
  /** One sentence without a full stop. */
  message: string;
  /** The path of the value inside the document, such as `loadouts.X.entry`. */
  path?: string;
  /** The file as the person named it. */
  file?: string;
  /** The line, from 1. */
  line?: number;
  /** The column in characters, from 1. */
  column?: number;
  /** What to write instead. */
  hint?: string;
};

/** The cast that was made. */
export type ForkReport = {
  castId: string;
};

/** Where a cast is forked. */
export type ForkRequest = {
  /** The number of a step. */
  at: string;
  agentScript?: string | null;
  agent?: string | null;
};

/** A line of the integrity manifest. */
export type IntegrityEntry = {
  id: string;
  path: string;
  sha256: string;
  size: number;
  state: RecipeState;
  tool: boolean;
};

/** The runs of a session. */
export type Inventory = {
  /** Always true. */
  ok: boolean;
  /** The session; none for all of them. */
  session: string | null;
  /** Where runs are. */
  root: string;
  /** Its runs, by id; the first of them, where only so many were asked for. */
  runs: Array<RunListItem>;
  /** How many there are. */
  total: number;
  /** How many of them are not over. */
  active: number;
  /** Whether some are not shown. */
  incomplete: boolean;
  /** How many runs belong to others. */
  otherRuns: number;
  /** How many other sessions there are. */
  otherSessions: number;
  /** Runs that cannot be read, and why. */
  broken: { [key in string]: string };
  /** How many more cannot be read, of which it is not known whose they are. */
  unreadable: number;
  /** What one can do next. */
  next: Array<string>;
};

/** One item of a list. */
export type ItemAt = {
  /** Its key. */
  key: string;
  /** What people call it. */
  label: string;
  /** Its number, from 1. */
  number: number;
  /** How many there are. */
  count: number;
};

export type JsonValue =
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null;

/** A message in a queue. */
export type Letter = {
  /** Its id in this queue. */
  id: string;
  /** What kind of message it is. */
  type: MessageType;
  /** Who sent it. */
  from?: Address;
  /** Where it was sent. */
  to: Address;
  /** When it was queued. */
  queued_at: Timestamp;
  /** How often it was claimed. */
  claims: number;
  /** What it is about. */
  summary: string;
  weight: number;
} & ({
  "status": "queued";
} | {
  "status": "claimed";
  /** Who. */
  by: MessageHolder;
  /** Since when. */
  claimed_at: Timestamp;
} | {
  "status": "handled";
  /** When. */
  handled_at: Timestamp;
} | {
  "status": "failed";
  /** When. */
  failed_at: Timestamp;
  /** Why. */
  error: string;
} | {
  "status": "delivered";
  /** When. */
  delivered_at: Timestamp;
  /** By which means. */
  how: string;
} | {
  "status": "stale";
  /** Since when. */
  stale_at: Timestamp;
});

/** Recipes and tools, and what is wrong with them. */
export type LibraryReport = {
  /** The recipes. */
  recipes: RecipeListReport;
  /** Those that are tools. */
  tools: ToolListReport;
  /** What is wrong with them. */
  doctor: RecipeDoctorReport;
};

/** A loadout as an editor shows it. */
export type LoadoutDefinition = {
  /** Its name. */
  name: string;
  /** Its stable id. */
  id: string;
  /** The highest layer that says something about it: `default`, `user`, `project` or `explicit`. */
  source: string;
  /** Whether it ships with the program. */
  shipped: boolean;
  /** Whether it is locked against changes. */
  locked: boolean;
  /** Whether a cast uses it when none is named. */
  active: boolean;
  /** Whether it can be cast. */
  usable: boolean;
  /** What it is for. */
  description: string | null;
  /** What all layers together say. */
  value: Record<string, unknown>;
  /** The version of what each file says by itself, by scope. */
  own: { [key in string]: string };
  /** What is wrong or strange with it. */
  issues: Array<Finding>;
};

/** The contract of a mailbox. */
export type Mailbox = {
  /** What it takes; anything, where nothing is listed. */
  accepts?: Array<DeclaredMessage>;
  /** What it sends; anything, where nothing is listed. */
  emits?: Array<DeclaredMessage>;
  /** How the run's process is handed its messages. */
  deliver?: DeliveryMethod;
};

/** `run:X --view mailbox` and `branch:X/B --view mailbox`: a queue. */
export type MailboxReport = {
  /** Always true. */
  ok: boolean;
  /** Whose it is. */
  address: Address;
  /** What the run takes and sends. */
  mailbox: Mailbox;
  /** How many there are of each. */
  counts: QueueCounts;
  /** The last of them. */
  messages: Array<Letter>;
  /** How many there were. */
  total: number;
  /** Whether older ones are not shown. */
  incomplete: boolean;
};

/** A materia as an editor shows it. */
export type MateriaDefinition = {
  /** Its name. */
  name: string;
  /** The highest layer that says something about it. */
  source: string;
  /** Whether the program ships a materia of this name. */
  shipped: boolean;
  /** Whether it is locked against changes. */
  locked: boolean;
  /** What all layers together say. */
  value: Record<string, unknown>;
  /** The version of what each file says by itself, by scope. */
  own: { [key in string]: string };
  /** What is wrong or strange with it. */
  issues: Array<Finding>;
};

/** What the turns of one materia cost. */
export type MateriaUsage = {
  /** How many there were. */
  turns: number;
  /** Tokens. */
  tokens: TokenSum;
  /** Money. */
  cost: CostSum;
};

/** A process, across pid reuse and reboots (A3). */
export type MessageHolder = {
  /** The number the kernel gave it. */
  pid: number;
  /** When it started, in clock ticks since boot. */
  start_time: number;
  /** Which boot of the machine it belongs to. */
  boot_id: string;
};

/** What failed. */
export type MessageProblem = {
  /** Its name, for programs. */
  code: string;
  /** What happened, for people. */
  message: string;
  /** What one can do about it. */
  hint: string;
};

/** What became of a message. */
export type MessageReport = {
  /** Whether it was accepted, and, by a tool, done; what was not accepted is a failure. */
  ok: boolean;
  /** Its id. */
  id: string;
  /** Where it went. */
  to: Address;
  /** What kind it was. */
  type: MessageType;
  /** Whether its receiver has it. */
  delivered: boolean;
  /** Whether it waits. */
  queued: boolean;
  /** Whether it is durable. */
  persisted: boolean;
  /** Whether others got it as well. */
  forwarded?: boolean;
  /** Who reads it. */
  consumer: string;
  /** What became of it, as one word for programs. */
  reason: string;
  /** Why its receiver does not have it yet. */
  deliveryError?: string;
  /** Whether it ended the run. */
  stopped?: boolean;
  /** How the run stands. */
  status?: RunStatus;
  /** Which start of the run it went to. */
  generation?: string;
  /** Why it is not ok: what it was to do failed. */
  error?: MessageProblem;
  /** What else it led to. */
  result?: JsonValue;
  /** What the run's contract says about it. */
  warnings: Array<string>;
  /** What one can do next. */
  next?: Array<string>;
};

/** A message as somebody wrote it. */
export type MessageRequest = {
  /** Where it should go. */
  to: string;
  /** What kind of message it is. */
  type: string;
  /** Any JSON. */
  body?: unknown;
  /** Who says it. */
  from?: string | null;
  /** One line for people. */
  summary?: string | null;
  /** The id of the message it answers. */
  replyTo?: string | null;
  /** What belongs together. */
  correlationId?: string | null;
  /** Particulars for programs. */
  metadata?: JsonValue | null;
};

/** What kind of message it is, by convention `channel.action`. */
export type MessageType = string;

/** What waits for the user besides casts. */
export type NeedsReport = {
  /** What the project brings, where the person has not agreed to it. */
  trust: TrustReport | null;
  /** Messages whose senders wait for an answer. */
  attention: Array<AttentionMessage>;
};

/** How bad the news is. */
export type NoticeLevel = "info" | "warning" | "error";

/** The status of a cast as observed: what its log says, and whether a process drives it. */
export type ObservedStatus =
  | "running"
  | "interrupted"
  | "paused"
  | "complete"
  | "failed"
  | "aborted"
  | "unreadable";

/** What was asked for is done. */
export type OkReport = {
  /** Always true. */
  ok: boolean;
};

/** `run:X --view messages`: what it said to its coordinator. */
export type OutboxReport = {
  /** Always true. */
  ok: boolean;
  /** The run. */
  run: RunId;
  /** The last of them. */
  messages: Array<PostedMessage>;
  /** How many there were. */
  total: number;
  /** Whether older ones are not shown. */
  incomplete: boolean;
};

/** A piece of what a run wrote. */
export type OutputChunk = {
  /** Where it was written to. */
  stream: OutputStream;
  /** Where it stands in what was written. */
  from: number;
  /** Where what follows it stands. */
  to: number;
  /** What was written. */
  text: string;
};

/** One of the two outputs of a run. */
export type OutputStream = "stdout" | "stderr";

/** A message to a coordinator or session. */
export type PostedMessage = {
  /** Its id. */
  id: string;
  /** When it was posted. */
  at: Timestamp;
  /** How urgently it is told. */
  delivery: DeliveryUrgency;
  /** How bad it is. */
  level: NoticeLevel;
  /** Whether somebody waits for an answer. */
  attention: boolean;
  /** Where it goes. */
  to: Address;
  /** What kind of message it is. */
  type: MessageType;
  /** Any JSON. */
  body?: JsonValue;
  /** Who says it. */
  from?: Address;
  /** One line for people. */
  summary?: string;
  /** The id of the message it answers. */
  reply_to?: string;
  /** What belongs together. */
  correlation_id?: string;
  /** Particulars for programs. */
  metadata?: { [key in string]: JsonValue };
};

/** One request. */
export type Quest = {
  /** Its id. */
  id: string;
  /** What people call it. */
  title: string;
  /** What is asked for. */
  prompt: string;
  /** How it stands. */
  status: QuestStatus;
  /** When it was added. */
  createdAt: Timestamp;
  /** When it last changed. */
  updatedAt: Timestamp;
  /** How often it was started. */
  attempts: number;
  /** The loadout, where it is not the active one. */
  loadoutOverride?: string;
  /** The cast that is running for it. */
  currentCastId?: string;
  /** The last cast that ran for it. */
  lastCastId?: string;
  /** What came of it. */
  lastResult?: QuestOutcome;
  /** What last went wrong. */
  lastError?: QuestError;
};

/** What becomes of a quest that is there. */
export type QuestChangeRequest = {
  "do": "first";
} | {
  "do": "before";
  target: string;
} | {
  "do": "after";
  target: string;
} | {
  "do": "requeue";
} | {
  "do": "remove";
};

/** What went wrong. */
export type QuestError = {
  /** In one sentence. */
  message: string;
  /** When. */
  occurredAt: Timestamp;
  /** The cast. */
  castId?: string;
  /** For programs. */
  code?: string;
};

/** The board, or a part of it. */
export type QuestListReport = {
  /** Always true. */
  ok: boolean;
  /** Where it is. */
  file: string;
  /** Who runs the quests. */
  runner: QuestRunner;
  /** How many quests there are in all. */
  total: number;
  /** The quests, in the order in which they are run. */
  quests: Array<Quest>;
};

/** What came of a quest. */
export type QuestOutcome = {
  /** How it ended. */
  status: QuestStatus;
  /** The cast. */
  castId: string;
  /** When. */
  finishedAt: Timestamp;
  /** Why, where it did not succeed. */
  error?: string;
};

/** One quest, and what was done with it. */
export type QuestReport = {
  /** Always true. */
  ok: boolean;
  /** `added`, `moved`, `requeued`, `removed` or `shown`. */
  did: string;
  /** The quest. */
  quest: Quest;
  /** Its number among those that wait, from 1. */
  place: number | null;
};

/** A quest to add. */
export type QuestRequest = {
  request: string;
  title: string | null;
  loadout: string | null;
};

/** Quests to be run. */
export type QuestRunRequest = {
  /** This one first. */
  quest: string | null;
  /** Only one. */
  once: boolean;
  agentScript: string | null;
};

/** Who runs the quests. */
export type QuestRunner = {
  /** Whether one runs them now. */
  running: boolean;
  /** Which process. */
  pid: number | null;
  /** Whether it goes on when a quest is done. */
  enabled: boolean;
  /** The quest that is running. */
  activeQuestId: string | null;
};

/** How a quest stands. */
export type QuestStatus = "pending" | "running" | "succeeded" | "failed" | "blocked";

/** How many there are of each. */
export type QueueCounts = {
  /** Those that wait. */
  queued: number;
  /** Those that somebody has. */
  claimed: number;
  /** Those that were dealt with. */
  handled: number;
  /** Those that were not. */
  failed: number;
  /** Those that were handed to the process. */
  delivered: number;
  /** Those whose generation is over. */
  stale: number;
  /** How many finished ones are not remembered here any more. */
  forgotten: number;
};

/** Whether a higher limit holds already. */
export type RaiseOutcome = "recorded" | "ordered";

/** A higher limit. */
export type RaisedLimits = {
  /** Tokens. */
  maxTokens?: number;
  /** Money, in US dollars. */
  maxCostUsd?: number;
  /** Turns of agents. */
  maxTurns?: number;
  /** Minutes. */
  maxMinutes?: number;
};

/** Something a recipe promises to write. */
export type RecipeArtifact = {
  /** Where. */
  path: string;
} & ({ [key in string]:
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null });

/** A recipe in few words. */
export type RecipeBrief = {
  /** Its name. */
  id: string;
  /** Where it lies. */
  path: string;
  /** Whether it can be called as a tool. */
  tool: boolean;
  /** How often it was launched. */
  calls?: number;
};

/** The answer to `recipe doctor`. */
export type RecipeDoctorReport = {
  /** Whether nothing is broken. */
  ok: boolean;
  /** The person's root. */
  root: string;
  /** How many there are of each state. */
  counts: { [key in string]: number };
  /** What is used. */
  active: Array<RecipeBrief>;
  /** What is hidden. */
  shadowed: Array<RecipeBrief>;
  /** What is broken. */
  invalid: Array<RecipeBrief>;
  /** What is not to be used. */
  disabled: Array<RecipeBrief>;
  /** What keeps one that works from being used. */
  blocking: Array<string>;
  /** Which recipes touch what. */
  risks: { [key in string]: Array<string> };
  /** The first thing to do. */
  topAction: string | null;
  /** Everything to do, the most pressing first. */
  remediations: Array<Remedy>;
  /** What is wrong with the root. */
  issues: Array<Finding>;
  /** The digest of every recipe. */
  integrityManifest: Array<IntegrityEntry>;
  /** Captured recipes that are no tools. */
  drafts: Array<RecipeDraft>;
};

/** One document of a linked recipe. */
export type RecipeDocument = {
  /** How the recipe calls it; none for itself. */
  alias?: string;
  /** How many imports away it is. */
  depth: number;
  /** The aliases that lead to it, from the recipe on. */
  path?: Array<string>;
  /** Its name. */
  name: string;
  /** Its path, or its place in the library. */
  file: string;
};

/** A captured recipe. */
export type RecipeDraft = {
  /** Its name. */
  id: string;
  /** Where it lies. */
  path: string;
  /** Whether it could be promoted. */
  valid: boolean;
  /** What it is for. */
  description?: string;
  /** What is wrong with it. */
  issues?: Array<Finding>;
  /** The digest of its text. */
  sha256: string;
  /** The size of its text. */
  size: number;
};

/** A recipe and what is known about it. */
export type RecipeEntry = {
  /** Its name. */
  id: string;
  /** Its file, or `packaged:NAME`. */
  path: string;
  /** Where it was found. */
  source: RecipeSource;
  /** How it stands. */
  state: RecipeState;
  /** Whether it can be called as a tool. */
  tool: boolean;
  /** The shelf it belongs to. */
  kind: string;
  /** What it is for. */
  description?: string;
  /** Whether it runs detached as a tool. */
  async: boolean;
  /** Its public arguments. */
  args?: Array<TemplateArg>;
  /** What it imports, directly. */
  imports?: Array<string>;
  /** What it hides: the paths of recipes of the same name. */
  shadows?: Array<string>;
  /** Who hides it. */
  shadowedBy?: string;
  /** What it touches. */
  risks?: Array<string>;
  /** What is wrong or strange. */
  issues?: Array<Finding>;
  /** The digest of its text. */
  sha256: string;
  /** The size of its text. */
  size: number;
};

/** The answer to `recipe list`. */
export type RecipeListReport = {
  /** Always true. */
  ok: boolean;
  /** The person's root. */
  root: string;
  /** All recipes that count, by kind and name. */
  recipes: Array<RecipeEntry>;
  /** What is wrong with the root. */
  issues: Array<Finding>;
};

/** The messages of a recipe; advice for those who send it messages. */
export type RecipeMailbox = {
  /** What it understands. */
  accepts: Array<RecipeMessageType>;
  /** What it sends. */
  emits: Array<RecipeMessageType>;
  /** How messages reach its program (A5). */
  deliver?: string;
};

/** One type of message. */
export type RecipeMessageType = {
  /** `channel.action` */
  type: string;
} & ({ [key in string]:
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null });

/** What a recipe says about itself. */
export type RecipeMetadata = {
  /** What it is for, in one line. */
  description?: string;
  /** Which shelf of a library it belongs to. */
  kind?: string;
  /** It is not to be used. */
  disabled: boolean;
  /** It runs detached where it is called as a tool: `async`. */
  async: boolean;
  /** Where a detached run keeps its state, when not in the usual place. */
  state_dir?: string;
  /** What it promises to write, by name; placeholders are not resolved yet. */
  artifacts?: { [key in string]: RecipeArtifact };
  /** Which messages it understands and sends. */
  mailbox?: RecipeMailbox;
  /** When its run ends by itself. */
  retire_when?: RecipeRetirement;
  /** Whether child agents are told which recipe they belong to. */
  actor_context: boolean;
  /** Environment variables whose values are secret (S3). */
  secrets?: Array<string>;
};

/** The answer to `recipe show`. */
export type RecipeReport = {
  /** Always true. */
  ok: boolean;
  /** Its name. */
  name: string;
  /** Its file, or `packaged:NAME`. */
  path: string;
  /** Where it was found. */
  source: RecipeSource;
  /** What it says about itself. */
  recipe: RecipeMetadata;
  /** Its arguments. */
  args: Array<TemplateArg>;
  /** The documents it consists of. */
  composition: Array<RecipeDocument>;
  /** What it runs, as a picture in text. */
  picture: string;
  /** What it touches. */
  risks: Array<string>;
  /** How often it was launched. */
  usage?: RecipeUsage;
  /** What was noticed. */
  warnings: Array<Finding>;
};

/** When a run ends by itself. */
export type RecipeRetirement = "children_terminal";

/** Where a recipe was found. */
export type RecipeSource = "user" | "skill" | "directory" | "packaged" | "named";

/** How a recipe stands. */
export type RecipeState = "active" | "shadowed" | "invalid" | "disabled";

/** The counters of one recipe. */
export type RecipeUsage = {
  /** All launches since the recipe is what it is. */
  calls: number;
  /** Launches as a tool. */
  tool_calls: number;
  /** Launches as a detached run. */
  spawn_calls: number;
  /** Launches in the foreground. */
  direct_calls: number;
  /** The latest one. */
  last_called: string;
  /** The digest of the recipe that was counted. */
  fingerprint: string;
  /** When the counters began anew because the recipe changed. */
  reset_at?: string;
};

/** One thing to do. */
export type Remedy = {
  /** The recipe. */
  id: string;
  /** What kind of trouble it is. */
  kind: RemedyKind;
  /** Where it lies. */
  path: string;
  /** What the trouble is. */
  reason: string;
  /** What to do. */
  action: string;
  /** What it keeps from being used. */
  blocked_fallback?: string;
  /** What is used instead. */
  active_path?: string;
};

/** What kind of trouble it is, the most pressing first. */
export type RemedyKind =
  | "blocking_invalid"
  | "invalid"
  | "blocking_disabled"
  | "risky_shell_boundary"
  | "disabled"
  | "shadowed";

/** Why a socket has to work again. */
export type Rework = {
  /** The socket that was not satisfied. */
  source: string;
  /** What people call its materia. */
  sourceLabel: string;
  /** The socket that works again. */
  target: string;
  /** The item it is about; empty outside of lists. */
  item: string;
  /** What people call the item. */
  itemLabel?: string;
  /** Why. */
  reason: string;
};

/** Somebody in a room. */
export type RoomMember = {
  /** Who. */
  address: Address;
  /** Since when. */
  joined_at: Timestamp;
  /** When it last said something. */
  last_seen: Timestamp;
  /** What it is. */
  role: string;
  /** Whether it is there: `present`, `left`, or as it says itself. */
  status: string;
} & ({ [key in string]:
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null });

/** Something that was said in a room. */
export type RoomMessage = {
  /** The message's id. */
  id: string;
  /** When it was said. */
  received_at: Timestamp;
  /** The generation of the run in whose room it was said. */
  generation?: string;
  /** Where it goes. */
  to: Address;
  /** What kind of message it is. */
  type: MessageType;
  /** Any JSON. */
  body?: JsonValue;
  /** Who says it. */
  from?: Address;
  /** One line for people. */
  summary?: string;
  /** The id of the message it answers. */
  reply_to?: string;
  /** What belongs together. */
  correlation_id?: string;
  /** Particulars for programs. */
  metadata?: { [key in string]: JsonValue };
};

/** `room:X --view roster`. */
export type RoomRoster = {
  /** Always true. */
  ok: boolean;
  /** The room. */
  room: Address;
  /** Who is or was there: those who are first, then by address. */
  members: Array<RoomMember>;
  /** How many there are. */
  total: number;
  /** Whether some are not shown. */
  incomplete: boolean;
};

/** `room:X --view messages`. */
export type RoomTimeline = {
  /** Always true. */
  ok: boolean;
  /** The room. */
  room: Address;
  /** The last of them. */
  messages: Array<RoomMessage>;
  /** How many there were. */
  total: number;
  /** Whether older ones are not shown. */
  incomplete: boolean;
};

/** The id of a run, a cast or any other directory of state (A8). */
export type RunId = string;

/** One run in the list. */
export type RunListItem = {
  /** The run. */
  run: string;
  /** How it stands. */
  status: RunStatus;
  /** The last generation. */
  generation: string;
  /** The session that owns it. */
  session?: string;
  /** The run inside which it was spawned. */
  parent?: string;
  /** Its recipe. */
  recipe?: string;
  /** Its tool. */
  tool?: string;
  /** When it ends by itself. */
  retireWhen?: RunRetireWhen;
  /** Its exit code. */
  code?: number;
  /** When it began. */
  startedAt?: Timestamp;
  /** When it ended. */
  endedAt?: Timestamp;
};

/** One process. */
export type RunProcess = {
  /** Its number. */
  pid: number;
  /** Who started it, or took it in. */
  parent: number;
  /** How far below, from 0. */
  depth: number;
  /** Its words, or its name. */
  command: string;
};

/** Everything about one run but what it writes, which comes live. */
export type RunReport = {
  /** How it stands. */
  status: RunStatusReport;
  /** What it said to its coordinator. */
  messages: OutboxReport;
  /** What was said in its room. */
  room: RoomTimeline;
  /** Who is in its room. */
  roster: RoomRoster;
  /** What waits for it, and what it took. */
  mailbox: MailboxReport;
  /** Its processes, the supervisor first. */
  processes: Array<RunProcess>;
};

/** When a run ends by itself. */
export type RunRetireWhen = "children_terminal";

/** How a run stands. */
export type RunStatus =
  | "starting"
  | "running"
  | "done"
  | "failed"
  | "cancelled"
  | "killed"
  | "exited";

/** A run's status. */
export type RunStatusReport = {
  /** Always true. */
  ok: boolean;
  /** What one can do next. */
  next: Array<string>;
  /** The run. */
  run: string;
  /** Its address. */
  address: string;
  /** How it stands. */
  status: RunStatus;
  /** Which start this is about. */
  generation: string;
  /** How often it was started. */
  generations: number;
  /** Its directory. */
  stateDir: string;
  /** Its supervisor, while it runs. */
  pid: number | null;
  /** The session that owns it. */
  session: string | null;
  /** The run inside which it was spawned. */
  parent: string | null;
  /** Its recipe. */
  recipe: string | null;
  /** Its tool. */
  tool: string | null;
  /** The cast that it drives. */
  cast?: CastOfRun;
  /** The agent that it is. */
  agent?: ActorStatus;
  /** When it ends by itself. */
  retireWhen?: RunRetireWhen;
  /** Where its commands run. */
  cwd: string;
  /** What it was given. */
  values: { [key in string]: JsonValue };
  /** When it began. */
  startedAt: Timestamp | null;
  /** When it ended. */
  endedAt: Timestamp | null;
  /** Commands that run, that are over, that failed. */
  active: number;
  /** Commands that are over. */
  completed: number;
  /** Commands that failed. */
  failures: number;
  /** Its exit code. */
  code: number | null;
  /** The signal that ended its last command. */
  signal: number | null;
  /** Whether something failed on the way to a success. */
  degraded: boolean;
  /** What went wrong. */
  error: string | null;
  /** How we know, where nobody was there to see it. */
  evidence: string | null;
  /** The runs that were spawned inside it, and how they ended. */
  children: { [key in string]: RunStatus | null };
};

/** What the file says by now, where another editor changed it meanwhile. */
export type SaveConflict = {
  /** The definition. */
  name: string;
  /** What it says now; nothing where it is gone. */
  current: Record<string, unknown> | null;
  /** The version of that. */
  version: string | null;
};

/** One definition as it should be, and the version that the editor began with. */
export type SaveEdit = {
  /** Its kind. */
  section: Section;
  /** Its name. */
  name: string;
  /** What it should say; nothing takes it out of the file. */
  value: Record<string, unknown> | null;
  /** The version of what the file said when the editor read it; nothing where it said nothing. */
  base: string | null;
};

/** What was saved. */
export type SaveReport = {
  /** The file. */
  file: string;
  /** Whether it says anything else now. */
  changed: boolean;
  /** The versions after it, in the order of the edits; nothing for what was taken out. */
  versions: Array<string | null>;
};

/** What is to be saved, all of it or nothing. */
export type SaveRequest = {
  /** The file. */
  target: EditTarget;
  /** The definitions. */
  edits: Array<SaveEdit>;
  /** Whether it is saved although it has errors. */
  evenBroken: boolean;
};

/** Which kind of definition. */
export type Section = "loadouts" | "materia";

/** How bad a finding is. */
export type Severity = "warning" | "error";

/** A place a person can jump to: `file:line:column`, both counted from 1, columns in characters. */
export type SourcePos = {
  /** The file as the person named it. */
  file: string;
  /** The line, from 1. */
  line: number;
  /** The column in characters, from 1. */
  column: number;
};

/** Who speaks in a conversation. */
export type Speaker = "person" | "agent";

/** A cast to be started. */
export type StartRequest = {
  request: string;
  loadout: string | null;
  /** A file with the replies of a scripted agent. */
  agentScript: string | null;
  /** The agent that plays roles which name none. */
  agent: string | null;
};

/** What came of a visit. */
export type StepOutcome = "running" | "done" | "failed" | "waiting" | "interrupted";

/** One public argument. */
export type TemplateArg = {
  /** Its name. */
  name: string;
  /** Its declared type, or what its uses suggest. */
  type: TemplateType;
  /** Nothing else gives it a value. */
  required: boolean;
  /** What it is when it is not passed. */
  default: JsonValue | null;
};

/** What kind of value a name takes. */
export type TemplateType = string;

/** A moment, to the millisecond. */
export type Timestamp = string;

/** Tokens by kind. */
export type TokenSum = {
  /** Tokens read. */
  input: number;
  /** Tokens written. */
  output: number;
  /** Tokens read from a cache. */
  cacheRead: number;
  /** Tokens written to a cache. */
  cacheWrite: number;
  /** All of them. */
  total: number;
};

/** A tool that was changed, as it is found afterwards. */
export type ToolChangeReport = {
  /** Always true; what is refused is a failure. */
  ok: boolean;
  /** The tool's name. */
  name: string;
  /** Its file. */
  path: string;
  /** Whether the file is written and synced. */
  persisted: boolean;
  /** Whether what is in it is a good recipe. */
  valid: boolean;
  /** Whether it can be called now. */
  callable: boolean;
  /** What was done: `registered`, `updated`, `promoted` or `removed`. */
  action: string;
  /** Its arguments. */
  args: Array<string>;
  /** What deserves a look. */
  warnings: Array<string>;
};

/** A recipe that an agent can call. */
export type ToolDefinition = {
  /** What it is called. */
  name: string;
  /** What it is for. */
  description: string;
  /** Whether it answers at once with a run. */
  async: boolean;
  /** The JSON Schema of its arguments. */
  inputSchema: {
    properties?: Record<string, unknown>;
    required?: Array<string>;
  };
  /** Its file. */
  path: string;
};

/** The answer to `tool list`. */
export type ToolListReport = {
  /** Always true. */
  ok: boolean;
  /** The person's root. */
  root: string;
  /** The tools, by name. */
  tools: Array<ToolDefinition>;
};

/** One recipe or tool. */
export type ToolReport = {
  /** What it declares, takes and runs. */
  shown: RecipeReport;
  /** Its document; none when it cannot be parsed. */
  written: JsonValue | null;
};

/** A tool as it should be. */
export type ToolRequest = {
  name: string;
  /** A command line, or JSON when it begins with `{`, `[` or `"`. */
  template: string;
  description: string | null;
  /** `name`, `name:type` or `name:type=default`. */
  args: Array<string>;
  /** Whether it runs detached. */
  detached: boolean;
  /** Whether a tool of this name is changed. */
  update: boolean;
};

/** What came of it. */
export type TrialReport = {
  /** What was started. */
  argv: Array<string>;
  /** The exit code. */
  code: number | null;
  /** The signal that ended it. */
  signal: string | null;
  /** Whether it took too long. */
  timedOut: boolean;
  /** How long it took. */
  durationMs: number;
  /** The document it read. */
  input: string;
  /** The beginning of its stdout. */
  stdout: string;
  /** The beginning of its stderr. */
  stderr: string;
  /** Its result, where it is read as JSON and is. */
  result: JsonValue | null;
  /** Why a cast would not go on with it. */
  problem: string | null;
};

/** A utility to be tried. */
export type TrialRequest = {
  /** Its name. */
  materia: string;
  /** The materia as it is being edited. */
  value: Record<string, unknown> | null;
  /** The file it would be saved to. */
  target: EditTarget;
  /** What stands in for the person's request. */
  request: string;
  /** What stands in for the shared state. */
  state: Record<string, unknown>;
  /** What stands in for the current item. */
  item: unknown;
};

/** One file that is different. */
export type TrustChange = {
  /** The file. */
  file: string;
  /** In which way. */
  how: TrustChangeKind;
};

/** In which way a file is different. */
export type TrustChangeKind = "changed" | "added" | "removed";

/** What a project brings, and how the person stands to it. */
export type TrustReport = {
  /** Always true; not being trusted is no failure of the question. */
  ok: boolean;
  /** The file that brings it; nothing where the project brings nothing. */
  file: string | null;
  /** How the person stands to it. */
  standing: TrustStanding;
  /** What it would run. */
  acts: Array<TrustedAct>;
  /** The files and their hashes. */
  files: { [key in string]: string };
  /** What is different from what the person agreed to. */
  changes: Array<TrustChange>;
  /** What trust is pinned to. */
  digest: string | null;
};

/** Agreement to what was shown. */
export type TrustRequest = {
  /** What the person was shown, by its digest. */
  digest: string;
};

/** How a person stands to what a project brings. */
export type TrustStanding = "nothing" | "trusted" | "changed" | "untrusted";

/** One thing that would run, as a person is shown it. */
export type TrustedAct = {
  /** What has it run. */
  name: string;
  /** What it is: `command`, `template`, `recipe`, `utility` or `agent`. */
  kind: string;
  /** The commands, as argv. */
  commands?: Array<Array<string>>;
  /** What it is told in a few words: the tools of an agent, the name of a recipe. */
  detail?: string;
};

/** Tokens and money. */
export type UsageSum = {
  /** Tokens. */
  tokens: TokenSum;
  /** Money. */
  cost: CostSum;
};

/** What a cast used, in short. */
export type UsageSummary = {
  /** Tokens. */
  tokens: number;
  /** Money, in US dollars. */
  cost: number;
  /** Turns of agents. */
  turns: number;
};

/** What a person is asked for. */
export type WaitingFor = "refinement" | "interrupted";
