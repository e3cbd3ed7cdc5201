// Turns of casts that play in Pi's own session: one at a time, while nothing else goes on, each with the tools, the model
// and the thinking of its role, which are put back afterwards. Such a turn sees only the conversation it belongs to.
import { randomUUID } from "node:crypto";

const TYPE = "materia-turn";
/** How long an older Pi may take to begin a retry by itself. */
const SETTLING = 300;

type Turn = { number: number; key: string; line: any; begun: boolean; restore: () => Promise<void> };

export class Turns {
  private pi: any;
  private send: (turn: number, lines: unknown[]) => void;
  private queue: Turn[] = [];
  private current?: Turn;
  /** Called when there is something to play. */
  onArrival: () => void = () => {};

  constructor(pi: any, send: (turn: number, lines: unknown[]) => void) {
    this.pi = pi;
    this.send = send;
    pi.on("context", async (event: any) => this.context(event));
    pi.on("message_update", async (event: any, ctx: any) => {
      const piece = event.assistantMessageEvent;
      if (piece?.type === "text_delta" && this.plays(ctx)) this.tell({ type: "message_update", assistantMessageEvent: { type: piece.type, delta: piece.delta } });
    });
    pi.on("message_end", async (event: any, ctx: any) => {
      const { role, content, usage, model, stopReason, errorMessage } = event.message;
      if (role === "assistant" && this.plays(ctx)) this.tell({ type: "message_end", message: { role, content: texts(content), usage, model, stopReason, errorMessage } });
    });
    for (const type of ["tool_execution_start", "tool_execution_end"]) {
      pi.on(type, async (event: any, ctx: any) => {
        if (this.plays(ctx)) this.tell({ type, toolName: event.toolName, args: event.args, isError: event.isError });
      });
    }
    pi.on("agent_settled", async (event: any, ctx: any) => this.settled(ctx, event.aborted === true));
    pi.on("agent_end", async (event: any, ctx: any) => {
      const aborted = event.messages?.at(-1)?.stopReason === "aborted";
      if (this.isBusy) later(SETTLING, () => ctx.isIdle() && void this.settled(ctx, aborted));
    });
  }

  /** Whether something is to be played, or is. */
  get isBusy(): boolean {
    return this.current !== undefined || this.queue.length > 0;
  }

  /** What a driver wants. */
  take(params: any, ctx: any) {
    const { turn: number, line } = params;
    if (params.gone) return this.drop(number, ctx);
    if (line?.type === "prompt") {
      this.queue.push({ number, key: randomUUID(), line, begun: false, restore: async () => {} });
      this.onArrival();
      return void this.next(ctx);
    }
    if (line?.type === "abort") {
      const waits = this.queue.findIndex((turn) => turn.number === number);
      if (waits >= 0) this.send(number, [{ type: "message_end", message: { role: "assistant", content: [], stopReason: "aborted" } }, { type: "agent_settled" }]);
      return this.drop(number, ctx);
    }
    if (line?.type === "steer" && this.current?.number === number) this.pi.sendUserMessage(String(line.message), { deliverAs: "steer" });
  }

  /** Plays the next one where nothing else goes on. */
  async next(ctx: any) {
    // Without a screen Pi asks for them before it settles.
    if (!ctx || ctx.mode === "print" || ctx.mode === "json") return;
    if (this.current || this.queue.length === 0 || !ctx.isIdle()) return;
    const message = await this.begin(ctx);
    if (message) this.pi.sendMessage(message, { deliverAs: "followUp", triggerTurn: true });
  }

  /** Makes the next one the current one; what Pi is told. */
  async begin(ctx: any): Promise<any> {
    const turn = this.queue.shift();
    if (!turn) return undefined;
    this.current = turn;
    const { line } = turn;
    const refusal = await this.scope(turn, ctx);
    if (refusal) {
      this.send(turn.number, [{ type: "unavailable", error: refusal, hint: "name another model in the role, or another agent" }]);
      await this.over(ctx);
      return undefined;
    }
    const content = line.system ? `${line.system}\n\n${line.message}` : line.message;
    return { customType: TYPE, content, display: true, details: { turn: turn.key, from: line.from ?? undefined } };
  }

  /** Whatever went on is over; the turn with it, where it had begun. */
  async settled(ctx: any, aborted: boolean) {
    const turn = this.current;
    if (!turn || !this.plays(ctx)) return void this.next(ctx);
    // A person who stops the conversation does not want it to begin again at once.
    if (aborted) this.tell({ type: "unavailable", error: "the person stopped the turn", hint: "go on with `/materia recast ID --agent session`" });
    else this.tell({ type: "agent_settled", session: turn.line.keeps ? turn.key : undefined });
    await this.over(ctx);
  }

  private async over(ctx: any) {
    const turn = this.current;
    await turn?.restore();
    this.current = undefined;
    later(0, () => void this.next(ctx));
  }

  private drop(number: number, ctx: any) {
    this.queue = this.queue.filter((turn) => turn.number !== number);
    if (this.current?.number === number) ctx?.abort();
  }

  /** Sets what the role may use; why it cannot be. */
  private async scope(turn: Turn, ctx: any): Promise<string | undefined> {
    const { pi } = this;
    const { tools, model, thinking } = turn.line;
    const before = { tools: pi.getActiveTools().map((tool: any) => tool.name ?? tool), model: ctx.model, thinking: pi.getThinkingLevel?.() };
    turn.restore = async () => {
      pi.setActiveTools(before.tools);
      if (model && before.model) await pi.setModel(before.model);
      if (thinking && before.thinking) pi.setThinkingLevel(before.thinking);
    };
    if (tools) pi.setActiveTools(tools);
    if (model) {
      const [provider, id] = model.includes("/") ? model.split(/\/(.*)/s) : [ctx.model?.provider, model];
      const found = ctx.modelRegistry?.find?.(provider, id);
      if (!found || !(await pi.setModel(found))) return `Pi cannot use the model ${model}`;
    }
    if (thinking) pi.setThinkingLevel?.(thinking);
    return undefined;
  }

  /** Whether what happens now belongs to the current turn: its prompt is a part of the session. */
  private plays(ctx: any): boolean {
    const turn = this.current;
    if (!turn) return false;
    turn.begun ||= (ctx?.sessionManager?.getEntries?.() ?? []).some((entry: any) => entry.details?.turn === turn.key);
    return turn.begun;
  }

  /** A turn sees its own conversation: itself, and those that it goes on from. */
  private context(event: any) {
    const turn = this.current;
    if (!turn || !event.messages.some((message: any) => message.details?.turn === turn.key)) return undefined;
    const known = new Map<string, string | undefined>();
    for (const message of event.messages) if (message.customType === TYPE) known.set(message.details?.turn, message.details?.from);
    const chain = new Set<string>();
    for (let key: string | undefined = turn.key; key && !chain.has(key); key = known.get(key)) chain.add(key);
    let own = false;
    const messages = event.messages.filter((message: any) => {
      if (message.customType === TYPE) own = chain.has(message.details?.turn);
      // What a person says meanwhile is meant for the turn; another custom message is not.
      else if (message.role === "custom") own = false;
      return own;
    });
    return { messages };
  }

  private tell(line: unknown) {
    if (this.current) this.send(this.current.number, [line]);
  }
}

/** Does something later, unless the session is gone by then. */
function later(milliseconds: number, work: () => void) {
  setTimeout(() => {
    try {
      work();
    } catch {
      // Whatever it was for ended with its session.
    }
  }, milliseconds).unref?.();
}

function texts(content: any): any[] {
  return Array.isArray(content) ? content.filter((block) => block.type === "text") : [{ type: "text", text: String(content ?? "") }];
}
