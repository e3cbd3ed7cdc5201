// Everybody can use it: no violations on any page in both themes, nothing loaded from elsewhere, small enough, and it
// fits a phone.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { axe, replies, World } from "./world.mjs";

const built = join(dirname(fileURLToPath(import.meta.url)), "../../crates/materia/assets/web");
let world;
let cast;
before(async () => {
  world = await World.open({
    "replies.json": replies,
    "talk.json": {
      replies: [{ match: { materia: "Interactive-Plan" }, text: "How about **two** steps?" }],
    },
  });
  const done = JSON.parse(
    (await world.run("cast", "Greet the visitors", "--agent-script", "replies.json", "--json")).out,
  );
  cast = done.castId;
  await world.run(
    "spawn",
    "--template",
    "sh -c 'echo working; exec sleep 600'",
    "--as",
    "run:worker",
    "--json",
  );
});
afterEach(() => world.closePages());
after(async () => {
  await world.run("message", "run:worker", "control.kill", "--json");
  await world.run("wait", "run:worker");
  await world.close();
});

/** Every page: where it is, what shows that it is there, and its views. */
const PAGES = () => [
  ["/casts", "Pick a cast"],
  [`/casts/${cast}`, "complete", "Steps", "Files", "Sent back 1"],
  ["/loadouts/Full-Auto", "Ready to cast", "Outline", "JSON"],
  ["/materia/Build", "What the agent is told"],
  ["/materia/Detect-VCS", "Try it"],
  ["/inbox", "Nothing waits for you"],
  ["/quests", "An empty board"],
  ["/actors", "Pick a run"],
  ["/actors/worker", "working", "Messages", "Room", "Processes", "About"],
  ["/actors/@library", "Register a tool"],
];

for (const scheme of ["light", "dark"]) {
  test(`no page has a violation, ${scheme}`, async () => {
    const found = [];
    const page = await world.page("/casts", { scheme });
    for (const [path, text, ...views] of PAGES()) {
      await page.goto(`http://127.0.0.1:${world.port}${path}`);
      await page.getByText(text).first().waitFor();
      await page.waitForTimeout(150);
      for (const one of await axe(page)) found.push(`${path}: ${one}`);
      for (const view of views) {
        await page.getByRole("button", { name: view, exact: true }).click();
        for (const one of await axe(page)) found.push(`${path} ${view}: ${one}`);
      }
    }
    assert.deepEqual([...found, ...page.problems], []);
  });
}

test("dialogs have no violation either", async () => {
  const page = await world.page("/loadouts/Full-Auto");
  await page.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("button", { name: "Save…" }).click();
  await page.getByRole("region", { name: "What changes in the file" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await page.locator('.react-flow__node[data-id="Socket-5"]').click();
  await page.getByRole("region", { name: "Socket Socket-5" }).waitFor();
  assert.deepEqual(await axe(page), []);
});

test("it fits a phone of 380 pixels", async () => {
  const page = await world.page("/casts", { viewport: { width: 380, height: 780 } });
  // What is meant to be moved sideways, lists and tabs, may be wider than the phone; nothing else.
  const wide = () =>
    page.evaluate(() =>
      [
        document.documentElement,
        ...document.querySelectorAll(
          ".main, .page, .cast-body, .side.right, dialog > .body, .card",
        ),
      ]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map(
          (one) =>
            `${one.tagName}.${one.className} is ${one.scrollWidth - one.clientWidth} pixels too wide`,
        ),
    );
  const found = [];
  for (const [path, , ...views] of PAGES()) {
    await page.goto(`http://127.0.0.1:${world.port}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(150);
    for (const one of await wide()) found.push(`${path}: ${one}`);
    for (const view of views) {
      await page.getByRole("button", { name: view, exact: true }).click();
      for (const one of await wide()) found.push(`${path} ${view}: ${one}`);
    }
    const chosen = await page.evaluate(() => {
      const one = document
        .querySelector('.side .list [aria-current="true"]')
        ?.getBoundingClientRect();
      return one === undefined || (one.left >= -1 && one.right <= innerWidth + 1);
    });
    if (!chosen) found.push(`${path}: what is chosen is not to be seen`);
  }
  await page.goto(`http://127.0.0.1:${world.port}/casts`);
  await page.getByRole("button", { name: "Cast", exact: true }).click();
  for (const one of await wide()) found.push(`dialog: ${one}`);
  assert.equal(
    await page.evaluate(() => document.activeElement.tagName),
    "TEXTAREA",
    "a dialog begins where one writes",
  );
  assert.deepEqual(found, []);
});

test("it is small and everything comes from here", async () => {
  const bytes = readdirSync(built).reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(built, name))).length,
    0,
  );
  assert.ok(bytes < 300_000, `${bytes} bytes gzipped`);
  const page = await world.page("about:blank".slice(0, 0) || "/casts");
  const foreign = [];
  page.on("request", (request) => {
    if (new URL(request.url()).host !== `127.0.0.1:${world.port}`) foreign.push(request.url());
  });
  await page.goto(`http://127.0.0.1:${world.port}/loadouts/Release`);
  await page.getByText("Ready to cast").waitFor();
  assert.deepEqual(foreign, []);
});

test("what a project brings waits in the inbox until the person agrees", async () => {
  const careful = await World.open(
    {
      ".pi/pi-materia.json": {
        materia: { Mine: { type: "utility", command: ["sh", "mine.sh"] } },
        loadouts: { Mine: { entry: "a", sockets: { a: { materia: "Mine" } } } },
      },
      "mine.sh": "echo hi",
    },
    { trusting: false },
  );
  try {
    const page = await careful.page("/inbox");
    await page.getByText("nobody has agreed to yet").waitFor();
    await page.waitForFunction(() => document.title.startsWith("(1) "));
    await page.getByText("mine.sh").first().waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: /trust it/ }).click();
    await page.getByText("Nothing waits for you").waitFor();
    careful.write("mine.sh", "echo something else");
    await careful.run("loadout", "list");
    careful.write(
      ".pi/pi-materia.json",
      careful.read(".pi/pi-materia.json").replace("mine.sh", "./mine.sh"),
    );
    await page.getByText("has changed: do you still trust it?").waitFor();
    assert.deepEqual(page.problems, []);
  } finally {
    await careful.close();
  }
});

test("it works without any network but this machine", async () => {
  const page = await world.page("/casts");
  await page.route(
    (url) => url.hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  for (const place of ["/loadouts/Full-Auto", "/materia/Build", "/quests", "/actors"]) {
    await page.goto(`http://127.0.0.1:${world.port}${place}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  assert.deepEqual(page.problems, []);
});
