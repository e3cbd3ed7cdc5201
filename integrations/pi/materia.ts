// materia inside Pi: its tools and the person's recipe tools, `/materia`, a status line, and follow-ups.
//
// The agent is woken when a run ends or asks for something; it never has to look. What it was told is in Pi's own session,
// so that nothing is told twice, and the program keeps what was not heard, so that nothing is lost.
import { Bridge } from "./bridge.ts";
import { Turns } from "./turns.ts";

const COMMAND = process.env.MATERIA_BIN || "materia";
/** A woken agent has no need to block, and a person plans. */
const NOT_OFFERED = new Set(["wait", "plan"]);
/** Verbs that drive a cast to its next rest. They may take long, so nobody waits for them. */
const LONG = new Set(["continue", "resume", "recast", "revive", "quest"]);
const VERBS = ["cast", "grid", "loadout", "casts", "status", "continue", "abort", "recast", "revive", "quest", "link", "ui"];

export default function materia(pi: any) {
  let bridge: Bridge | undefined;
  let starting: Promise<Bridge> | undefined;
  let context: any;
  let instructions = "";
  const registered = new Set<string>();
  const told = new Set<string>();
  /** Starts of runs that nobody heard the end of, and those whose end came before the answer to their start. */
  const active = new Set<string>();
  const over = new Set<string>();
  const queued: any[] = [];
  let arrived: (() => void) | undefined;
  const turns = new Turns(pi, (turn, lines) => void bridge?.request("materia/turn", { turn, lines }).catch(() => {}));
  turns.onArrival = () => arrived?.();

  pi.on("session_start", async (_event: unknown, ctx: any) => {
    context = ctx;
    told.clear();
    for (const id of ids(ctx)) told.add(id);
    await live().catch((error: Error) =>
      notify(`materia is not there: ${error.message}. Install it, or set MATERIA_BIN.`, "warning"),
    );
    await refresh();
  });

  /** The bridge, started where there is none: also again, when it was killed. */
  function live(): Promise<Bridge> {
    starting ??= start().catch((error) => {
      starting = undefined;
      throw error;
    });
    return starting;
  }

  async function start(): Promise<Bridge> {
    const mine = new Bridge(notified, (why) => {
      if (bridge !== mine) return;
      bridge = starting = undefined;
      arrived?.();
      notify(`materia ended: ${why}. It is started again when it is needed.`, "warning");
    });
    const begun = await mine.open(COMMAND, session(context), context.cwd ?? process.cwd());
    bridge = mine;
    instructions = begun.instructions ?? "";
    await offer();
    await mine.request("materia/listen", {});
    // Another Pi of the same session may play already.
    await mine.request("materia/play", {}).catch(() => {});
    return mine;
  }

  pi.on("session_shutdown", async () => {
    const mine = bridge;
    bridge = starting = undefined;
    // Runs that were asked to end with the session do; all others go on.
    const end = { to: `session:${session(context)}`, type: "control.end" };
    await mine?.request("tools/call", { name: "message", arguments: end }).catch(() => {});
    mine?.close();
  });

  // Whatever moved, a follow-up may have become a part of the session.
  for (const event of ["message_end", "turn_start", "turn_end", "agent_end"]) {
    pi.on(event, async (_event: unknown, ctx: any) => {
      context = ctx;
      heardNow(ctx);
    });
  }

  // Without a screen Pi ends with the run; what was started is waited for first (Pi 1.x).
  pi.on("agent_before_settle", async (event: any, ctx: any) => {
    if (!headless(ctx)) return;
    await turns.settled(ctx, event.outcome === "aborted");
    while (queued.length === 0) {
      const turn = await turns.begin(ctx);
      if (turn) return { entries: [...event.entries, { type: "custom_message", ...turn }], continue: true };
      if ((active.size === 0 && !turns.isBusy) || !bridge) return;
      await new Promise<void>((resolve) => (arrived = resolve));
    }
    const entries = queued.splice(0).map((news) => ({ type: "custom_message", ...message(news) }));
    return { entries: [...event.entries, ...entries], continue: true };
  });

  pi.registerCommand("materia", {
    description: `materia: ${VERBS.join(", ")}`,
    getArgumentCompletions: (prefix: string) =>
      VERBS.filter((verb) => verb.startsWith(prefix)).map((verb) => ({ value: verb, label: verb })),
    handler: async (line: string, ctx: any) => {
      context = ctx;
      const words = command(line);
      const done = live().then((mine) => mine.request("materia/command", { words })).then(
        (answer: any) => notify(String(answer.text), answer.ok ? "info" : "error"),
        (error: Error) => notify(error.message, "error"),
      );
      if (!LONG.has(words[0])) await done;
      await refresh();
    },
  });

  /** Offers the tools that there are now. */
  async function offer() {
    const { tools } = await bridge!.request("tools/list", {});
    const now = new Set<string>(tools.map((tool: any) => tool.name));
    for (const tool of tools) if (!NOT_OFFERED.has(tool.name)) register(tool);
    const gone = [...registered].filter((name) => !now.has(name));
    if (gone.length === 0) return;
    gone.forEach((name) => registered.delete(name));
    pi.setActiveTools(pi.getActiveTools().map((tool: any) => tool.name ?? tool).filter((name: string) => !gone.includes(name)));
  }

  function register(tool: any) {
    const own = tool.outputSchema !== undefined;
    const fresh = !registered.has(tool.name);
    registered.add(tool.name);
    pi.registerTool({
      name: tool.name,
      label: tool.name,
      description: tool.description ?? tool.name,
      promptSnippet: tool.description,
      ...(tool.name === "spawn" ? { promptGuidelines: [instructions] } : {}),
      parameters: tool.inputSchema,
      async execute(_id: string, params: unknown, signal?: AbortSignal) {
        const result = await (await live()).request("tools/call", { name: tool.name, arguments: params }, signal);
        const text = result.content?.[0]?.text ?? "";
        if (result.isError) throw new Error(text);
        const report = result.structuredContent;
        const start = report?.status === "running" && tool.name !== "inspect" ? (report.generation ?? report.run) : undefined;
        if (start && !over.delete(start)) active.add(start);
        // A tool that was just registered is offered before the model goes on.
        if (tool.name === "register_tool") await offer();
        await refresh();
        return { content: [{ type: "text", text }], details: report };
      },
    });
    if (fresh && !own) {
      const names = pi.getActiveTools().map((one: any) => one.name ?? one);
      if (!names.includes(tool.name)) pi.setActiveTools([...names, tool.name]);
    }
  }

  function notified(method: string, params: any) {
    if (method === "notifications/materia/turn") return turns.take(params, context);
    if (method === "notifications/tools/list_changed") void offer().catch(() => {});
    if (method !== "notifications/materia/news") return;
    if (params.event === "deaf") return notify(`materia: ${params.text}`, "warning");
    const { news } = params;
    if (news.event === "terminal") {
      // The report of a cast names only its run, whose id is its own.
      const known = [news.generation, news.run].filter((start) => active.delete(start)).length > 0;
      if (!known) [news.generation, news.run].forEach((start) => over.add(start));
    }
    void refresh();
    if (told.has(params.id)) return heard(params.id);
    if (params.delivery !== "followup") {
      notify(params.text, news.level === "error" ? "error" : "info");
      return heard(params.id);
    }
    if (headless(context)) {
      queued.push(params);
      arrived?.();
      return;
    }
    pi.sendMessage(message(params), { deliverAs: "followUp", triggerTurn: true });
    // Some versions say nothing when a message of ours becomes a part of the session.
    setTimeout(() => heardNow(context), 0);
  }

  function message(params: any) {
    return { customType: "materia", content: params.text, display: true, details: { id: params.id, run: params.news.run } };
  }

  function ids(ctx: any): string[] {
    const entries = ctx?.sessionManager?.getEntries?.() ?? [];
    return entries
      .filter((entry: any) => entry.type === "custom_message" && entry.customType === "materia")
      .map((entry: any) => entry.details?.id)
      .filter(Boolean);
  }

  /** Tells the program what became a part of the session. */
  function heardNow(ctx: any) {
    for (const id of ids(ctx)) {
      if (told.has(id)) continue;
      told.add(id);
      heard(id);
    }
  }

  function heard(id: string) {
    void bridge?.request("materia/heard", { id }).catch(() => {});
  }

  /** What runs now, in the status line. */
  async function refresh() {
    if (!bridge || !context?.hasUI) return;
    const asked = { name: "inspect", arguments: { target: "coordinator", status: "active" } };
    const result = await bridge.request("tools/call", asked).catch(() => undefined);
    const runs: any[] = result?.structuredContent?.runs ?? [];
    const lines = runs.slice(0, 5).map((run) => `▶ ${run.run} ${run.status}`);
    if (runs.length > lines.length) lines.push(`… ${runs.length - lines.length} more`);
    context.ui.setStatus("materia", runs.length ? `▶ ${runs.length} live` : undefined);
    context.ui.setWidget("materia", runs.length ? lines : undefined);
  }

  function notify(text: string, level: "info" | "warning" | "error") {
    if (context?.hasUI) context.ui.notify(text, level);
  }
}

function headless(ctx: any): boolean {
  return ctx?.mode === "print" || ctx?.mode === "json";
}

/** Pi's session, as a plain word. */
function session(ctx: any): string {
  const id = String(ctx.sessionManager?.getSessionId?.() ?? process.pid);
  return `pi-${id.replace(/[^A-Za-z0-9_.-]/g, "-")}`.slice(0, 100);
}

/** The words of a slash command. A request and an answer are taken as they were typed. */
function command(line: string): string[] {
  const [verb = "status", ...rest] = split(line.trim());
  if (verb === "ui") return ["spawn", "--template", `${COMMAND} ui --no-open`, "--as", "run:materia-ui"];
  if (verb !== "cast") return [verb, ...rest];
  const options: string[] = [];
  while (rest[0] === "--loadout" || rest[0] === "--agent") options.push(...rest.splice(0, 2));
  return ["cast", "--detach", ...options, "--", rest.join(" ")];
}

/** Words, with quotes. */
function split(line: string): string[] {
  const words = line.match(/"([^"]*)"|'([^']*)'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2"));
}
