// One long-lived `materia bridge`: JSON-RPC over lines. Owns the process and the matching of answers to requests.
// Knows nothing of Pi.
import { spawn, type ChildProcess } from "node:child_process";

type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void };

export class Bridge {
  private child?: ChildProcess;
  private number = 0;
  private part = "";
  private stderr = "";
  private waiting = new Map<number, Waiting>();
  private onNotification: (method: string, params: any) => void;
  private onEnd: (why: string) => void;

  constructor(onNotification: (method: string, params: any) => void, onEnd: (why: string) => void) {
    this.onNotification = onNotification;
    this.onEnd = onEnd;
  }

  /** Starts the program and shakes hands; what comes back is what the server says about itself. */
  async open(command: string, session: string, cwd: string): Promise<any> {
    const child = spawn(command, ["bridge", "--session", session], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    child.stdout!.setEncoding("utf8");
    child.stdout!.on("data", (text: string) => this.read(text));
    child.stderr!.setEncoding("utf8");
    child.stderr!.on("data", (text: string) => (this.stderr = (this.stderr + text).slice(-2000)));
    child.stdin!.on("error", () => {});
    child.on("error", (error) => this.ended(error.message));
    child.on("exit", () => this.ended(this.stderr.trim() || "materia ended"));
    const begun = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "pi", version: "1" },
    });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return begun;
  }

  /** Asks, and waits for the answer. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<any> {
    if (!this.child) return Promise.reject(new Error("materia is not running; /reload starts it again"));
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        this.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        reject(new Error("cancelled"));
      });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Hangs up; the program ends by itself, and runs go on. */
  close(): void {
    const child = this.child;
    this.child = undefined;
    child?.stdin?.end();
  }

  private send(message: unknown): void {
    this.child?.stdin?.write(JSON.stringify(message) + "\n");
  }

  /** Lines end at \n and nowhere else: other line ends are legal inside of JSON. */
  private read(text: string): void {
    const lines = (this.part + text).split("\n");
    this.part = lines.pop()!;
    for (const line of lines) if (line.trim()) this.take(JSON.parse(line));
  }

  private take(message: any): void {
    if (message.method) return this.onNotification(message.method, message.params ?? {});
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  private ended(why: string): void {
    const expected = !this.child;
    this.child = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(new Error(why));
    this.waiting.clear();
    if (!expected) this.onEnd(why);
  }
}
