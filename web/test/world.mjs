// A small sealed world for the browser tests: its own home and project, the real program, and Debian's browser.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
export const program = process.env.MATERIA ?? join(here, "../../target/debug/materia");

export class World {
  constructor(trusting = true) {
    this.program = program;
    this.trusting = trusting;
    this.root = mkdtempSync(join(tmpdir(), "materia-web-"));
    this.home = join(this.root, "home");
    this.project = join(this.root, "project");
    mkdirSync(this.home);
    mkdirSync(this.project);
    this.contexts = [];
  }

  static async open(files = {}, { trusting = true } = {}) {
    const world = new World(trusting);
    for (const [name, text] of Object.entries(files)) world.write(name, text);
    world.port = await freePort();
    await world.serve();
    world.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
    world.context = await world.browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
    });
    const page = await world.context.newPage();
    await page.goto(world.url);
    await page.waitForURL((url) => url.search === "");
    await page.close();
    return world;
  }

  write(name, text) {
    const path = join(this.project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text, null, 2));
  }

  read(name) {
    return readFileSync(join(this.project, name), "utf8");
  }

  userConfig() {
    const path = join(this.home, ".config/pi/pi-materia/materia.json");
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  }

  env() {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      LC_ALL: "C.UTF-8",
      TMPDIR: this.root,
      ...(this.trusting ? { MATERIA_TRUST: "1" } : {}),
    };
  }

  /** Starts the server at the world's own port, and gives the address for a browser. */
  serve() {
    this.server = spawn(program, ["ui", "--port", String(this.port), "--no-open", "--json"], {
      cwd: this.project,
      env: this.env(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Promise((resolve, reject) => {
      let said = "";
      this.server.stderr.on("data", (bytes) => {
        said += bytes;
      });
      this.server.once("error", reject);
      this.server.once("exit", (code) =>
        reject(new Error(`the server ended with ${code}: ${said}`)),
      );
      this.server.stdout.once("data", (bytes) => {
        this.url = JSON.parse(String(bytes)).url;
        resolve();
      });
    });
  }

  stopServer() {
    return new Promise((resolve) => {
      this.server.removeAllListeners("exit");
      this.server.once("exit", resolve);
      this.server.kill("SIGTERM");
    });
  }

  /** Runs the program itself. */
  run(...words) {
    return new Promise((resolve) => {
      const child = spawn(program, words, {
        cwd: this.project,
        env: this.env(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      let out = "";
      let err = "";
      child.stdout.on("data", (bytes) => {
        out += bytes;
      });
      child.stderr.on("data", (bytes) => {
        err += bytes;
      });
      child.once("exit", (code) => resolve({ code, out, err }));
    });
  }

  async page(path = "/", options = {}) {
    const context =
      options.scheme || options.viewport
        ? await this.browser.newContext({
            viewport: options.viewport ?? { width: 1440, height: 900 },
            colorScheme: options.scheme ?? "light",
            storageState: await this.context.storageState(),
          })
        : this.context;
    if (context !== this.context) this.contexts.push(context);
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(`pageerror: ${error.message}`));
    page.on("console", (message) => {
      if (
        message.type() === "error" &&
        !/status of 4\d\d|ERR_CONNECTION|ERR_INCOMPLETE|net::ERR/.test(message.text())
      )
        page.problems.push(`console: ${message.text()}`);
    });
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${this.port}${path}`);
    return page;
  }

  /** Closes every page: a browser has only so many connections to one server. */
  async closePages() {
    for (const context of this.browser.contexts())
      await Promise.all(context.pages().map((page) => page.close()));
  }

  async close() {
    await this.browser?.close();
    await this.stopServer();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What is wrong with a page for people who cannot see it, or not well. */
export async function axe(page) {
  const result = await page.evaluate(
    `${axeSource}; axe.run(document, { resultTypes: ["violations"] })`,
  );
  return result.violations.map(
    (one) =>
      `${one.id}: ${one.nodes
        .slice(0, 4)
        .map(
          (node) =>
            `${node.target.join(" ")} (${(node.any[0]?.message ?? node.all[0]?.message ?? "").slice(0, 140)})`,
        )
        .join("; ")}`,
  );
}

/** Saves what was changed, after a look at what that comes to, and gives what is said about it. */
export async function save(page, to) {
  await page.getByRole("button", { name: "Save…" }).click();
  const dialog = page.getByRole("dialog");
  if (to) await dialog.getByRole("radio", { name: to }).check();
  await dialog.getByRole("region", { name: "What changes in the file" }).waitFor();
  const told = await dialog.getByRole("region", { name: "What changes in the file" }).innerText();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  return told;
}

export const replies = JSON.parse(
  readFileSync(join(here, "../../crates/materia-engine/assets/demo.json"), "utf8"),
);
