// Written by the test `ui::the_clients_types_are_ours`; MATERIA_WRITE_REFERENCE=1 writes it anew.

export type About = { 
/**
 * Our version.
 */
version: string, 
/**
 * The project directory.
 */
project: string, 
/**
 * Its last part.
 */
projectName: string, };

export type Issue = { 
/**
 * `error` or `warning`.
 */
severity: "error" | "warning", 
/**
 * A stable name.
 */
code: string, 
/**
 * One sentence.
 */
message: string, 
/**
 * The path of the value in its document.
 */
path: string | null, 
/**
 * The file.
 */
file: string | null, 
/**
 * The line, from 1.
 */
line: number | null, 
/**
 * The column, from 1.
 */
column: number | null, 
/**
 * What to write instead.
 */
hint: string | null, };

export type Config = { 
/**
 * The loadout that a cast uses when nobody names one.
 */
active: string | null, 
/**
 * The loadouts.
 */
loadouts: Array<Loadout>, 
/**
 * The materia.
 */
materia: Array<Materia>, 
/**
 * The files, lowest layer first.
 */
files: Array<ConfigFile>, 
/**
 * What is wrong outside of loadouts.
 */
issues: Array<Issue>, };

export type Loadout = { name: string, id: string, 
/**
 * `default`, `user`, `project` or `explicit`.
 */
source: string, shipped: boolean, locked: boolean, active: boolean, usable: boolean, description: string | null, 
/**
 * What all layers together say.
 */
value: Record<string, unknown>, 
/**
 * The version of what each file says, by scope.
 */
own: Record<string, string>, issues: Array<Issue>, };

export type Materia = { name: string, source: string, 
/**
 * Whether the program ships a materia of this name.
 */
shipped: boolean, locked: boolean, value: Record<string, unknown>, own: Record<string, string>, issues: Array<Issue>, };

export type ConfigFile = { scope: string, path: string, exists: boolean, };

export type SectionName = "loadouts" | "materia";

export type TargetName = "user" | "project";

export type CheckRequest = { section: SectionName, name: string, value: Record<string, unknown>, target: TargetName, };

export type CheckAnswer = { usable: boolean, issues: Array<Issue>, 
/**
 * The graph of a loadout, as `materia grid --format json` has it.
 */
grid: unknown, 
/**
 * The file as it is.
 */
before: string, 
/**
 * The file as it would be.
 */
after: string, };

export type SaveRequest = { target: TargetName, edits: Array<SaveEdit>, 
/**
 * Whether it is saved although it has errors.
 */
evenBroken: boolean, };

export type SaveEdit = { section: SectionName, name: string, 
/**
 * Nothing takes it out of the file.
 */
value: Record<string, unknown> | null, 
/**
 * The version that the editor began with; nothing where the file did not have it.
 */
base: string | null, };

export type SaveAnswer = { file: string, changed: boolean, versions: Array<string | null>, };

export type ConflictAnswer = { ok: boolean, error: ErrorBody, conflict: Conflict, };

export type ErrorBody = { code: string, message: string, hint: string | null, };

export type Conflict = { name: string, current: Record<string, unknown> | null, version: string | null, };

export type ActiveRequest = { name: string, };

export type ActiveAnswer = { loadout: string, file: string, warnings: Array<Issue>, };

export type TrialRequest = { materia: string, 
/**
 * The materia as it is being edited, and the file it would be saved to.
 */
value: Record<string, unknown> | null, target: TargetName, request: string, state: Record<string, unknown>, item: unknown, };

export type TrialAnswer = { argv: Array<string>, code: number | null, signal: string | null, timedOut: boolean, durationMs: number, input: string, stdout: string, stderr: string, result: unknown, problem: string | null, };

export type StartRequest = { request: string, loadout: string | null, 
/**
 * A file with the replies of a scripted agent.
 */
agentScript: string | null, 
/**
 * The agent that plays roles which name none.
 */
agent: string | null, };

export type GoOnRequest = { 
/**
 * What the person says to a paused socket; nothing lets it finish.
 */
text: string | null, agentScript: string | null, 
/**
 * The agent that plays roles which name none.
 */
agent: string | null, };

export type TrustRequest = { digest: string, };

export type Done = { ok: boolean, };

export type CastView = { cast: unknown, definition: Record<string, unknown>, };

export type Artifact = { path: string, text: string, bytes: number, 
/**
 * Whether there is more.
 */
cut: boolean, };

export type Told = { seq: number, at: string, type: string, data: Record<string, unknown>, };

export type CastState = { 
/**
 * `running`, `interrupted`, `paused`, `complete`, `failed` or `aborted`: proved, not remembered.
 */
status: string, at: { socket: string, materia: string | null, visit: number, attempt: number, item: { key: string, label: string, number: number, count: number } | null, waitsFor: "refinement" | "interrupted" | null } | null, visits: Record<string, number>, traversals: Record<string, number>, usage: { tokens: { input: number, output: number, total: number }, cost: { total: number }, turns: number, bySocket: Record<string, { tokens: { total: number }, cost: { total: number } }> }, conversation: Array<["person" | "agent", string]>, rework: Array<Record<string, unknown>>, error: { code: string, message: string, socket?: string, hint?: string } | null, 
/**
 * Limits that were raised.
 */
raised: Record<string, number>, startedAt: string | null, updatedAt: string | null, };

export type ForkRequest = { 
/**
 * The number of a step.
 */
at: string, agentScript: string | null, agent: string | null, };

export type Forked = { castId: string, };

export type BudgetRequest = { maxTokens: number | null, maxCostUsd: number | null, maxTurns: number | null, maxMinutes: number | null, };

export type QuestRequest = { request: string, title: string | null, loadout: string | null, };

export type QuestChange = { "do": "first", } | { "do": "before", target: string, } | { "do": "after", target: string, } | { "do": "requeue", } | { "do": "remove", };

export type QuestsRun = { 
/**
 * This one first.
 */
quest: string | null, 
/**
 * Only one.
 */
once: boolean, agentScript: string | null, };

export type MessageRequest = { to: string, type: string, body: unknown, 
/**
 * As whom it is said, in a room.
 */
from?: string, 
/**
 * The message that this answers.
 */
replyTo?: string, };

export type RunView = { status: Record<string, unknown>, messages: Record<string, unknown>, room: Record<string, unknown>, roster: Record<string, unknown>, 
/**
 * What waits for the run, and what was taken.
 */
mailbox: Record<string, unknown>, processes: { pid: number, parent: number, depth: number, command: string }[], };

export type Output = { stream: "stdout" | "stderr", 
/**
 * Where it stands in what was written.
 */
from: number, to: number, text: string, };

export type ToolRequest = { name: string, 
/**
 * A command line, or JSON when it begins with `{`, `[` or `"`.
 */
template: string, description: string | null, 
/**
 * `name`, `name:type` or `name:type=default`.
 */
args: Array<string>, 
/**
 * Whether it runs detached.
 */
detached: boolean, 
/**
 * Whether a tool of this name is changed.
 */
update: boolean, };

export type Doing = { 
/**
 * The turn, by its artifact.
 */
path: string, 
/**
 * The position behind it.
 */
to: number, lines: ({ type: "text" | "notice", text: string } | { type: "tool_start", name: string, input: string } | { type: "tool_end", name: string, ok: boolean } | { type: "usage", input: number, output: number, total: number, cost: number } | { type: "cut" })[], };
