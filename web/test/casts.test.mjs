// Watching casts: every state appears, a paused one is answered, and a restart of the server loses nothing.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { axe, replies, World } from "./world.mjs";

// Building takes long enough for whoever looks on, or wants to end it.
const slow = {
  replies: replies.replies.map((one) => ({
    ...one,
    delayMs: one.match.materia === "Build" ? 2500 : 120,
  })),
};
// Building takes longer than anybody needs to end it; what goes on afterwards finds other replies in the same file.
const stuck = {
  replies: replies.replies.map((one) => ({
    ...one,
    delayMs: one.match.materia === "Build" ? 120_000 : 0,
  })),
};
// Every driver of a cast begins the script anew, so that the most particular reply comes first.
const talk = {
  replies: [
    {
      match: { materia: "Interactive-Plan", contains: "The conversation is over" },
      json: { workItems: [] },
    },
    { match: { materia: "Interactive-Plan", contains: "three" }, text: "Then three steps." },
    {
      match: { materia: "Interactive-Plan" },
      text: "How about **two** steps?\n\n- one\n- two <b>bold?</b>",
    },
  ],
};

const words = "one two three four five six seven eight nine ten eleven twelve";
const spoken = {
  replies: [
    {
      match: { materia: "Interactive-Plan" },
      text: words,
      delayMs: 5000,
      usage: { input: 1200, output: 80, totalTokens: 1280, cost: { total: 0.02 } },
      tools: [
        { name: "read", input: "src/greeting.txt" },
        { name: "bash", input: "make test", ok: false },
      ],
    },
  ],
};

let world;
before(async () => {
  world = await World.open({
    "replies.json": replies,
    "slow.json": slow,
    "talk.json": talk,
    "words.json": spoken,
  });
});
afterEach(() => world.closePages());
after(() => world.close());

async function start(page, request, script, loadout) {
  await page.getByRole("button", { name: "Cast", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What should be done?").fill(request);
  if (loadout) await dialog.getByLabel("Loadout").selectOption(loadout);
  await dialog.getByText("Without a model").click();
  await dialog.getByLabel(/A file with the replies/).fill(script);
  await dialog.getByRole("button", { name: "Cast" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL(/\/casts\/.+/);
  return decodeURIComponent(page.url().split("/").pop());
}

const badge = (page, status) => page.locator(".head .badge", { hasText: status });
const logged = (id) =>
  world
    .read(`.pi/pi-materia/${id}/events.jsonl`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a cast is started and every state of it appears", async () => {
  const page = await world.page("/casts");
  // The page itself writes down what was to be seen: a test that only looks now and then may miss a moment.
  await page.evaluate(() => {
    window.seen = {};
    new MutationObserver(() => {
      if (document.querySelector(".react-flow__node[aria-current='step'] .socket.live.running"))
        window.seen.running = true;
      const item = /\d of \d/.exec(
        document.querySelector(".meters")?.textContent.split("Item")[1] ?? "",
      )?.[0];
      if (item)
        window.seen[item] =
          document
            .querySelector(".react-flow__node .socket.live.running")
            ?.textContent.includes(item) ||
          window.seen[item] ||
          false;
    }).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
    });
  });
  const id = await start(page, "Greet the visitors", "slow.json");
  await badge(page, "complete").waitFor();
  assert.deepEqual(await page.evaluate(() => window.seen), {
    running: true,
    "1 of 2": true,
    "2 of 2": true,
  });
  await page.getByRole("button", { name: "Sent back 1" }).click();
  await page.getByRole("list", { name: "Sent back" }).getByText("lacks an l").waitFor();
  assert.equal(await page.locator(".react-flow__node .socket.live.done").count(), 8);
  await page.getByRole("button", { name: "Steps" }).click();
  const steps = logged(id).filter((one) => one.type === "socket_start").length;
  await page.waitForFunction(
    (count) => document.querySelectorAll(".steps li").length === count,
    steps,
  );
  await page.getByRole("button", { name: "Files" }).click();
  await page.getByText("Socket-7").last().click();
  await page.getByRole("button", { name: "1.output.md" }).click();
  await page.getByRole("dialog").getByText("The project greets its visitors now.").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a paused socket is answered, and what it says is never HTML", async () => {
  const page = await world.page("/casts");
  await start(page, "Plan it with me", "talk.json", "Planning-Consult");
  await badge(page, "paused").waitFor();
  // The title counts what waits; it comes with the list of casts, which is a stream of its own.
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  const conversation = page.getByRole("region", { name: "Conversation" });
  await conversation.locator("strong", { hasText: "two" }).waitFor();
  assert.equal(await conversation.locator("b").count(), 0);
  await conversation.getByLabel("Your answer").fill("make it three");
  await conversation.getByRole("button", { name: "Send" }).click();
  await conversation.getByText("Then three steps.").waitFor();
  const inbox = await world.page("/inbox");
  await inbox.getByText("Interactive-Plan waits for your answer").waitFor();
  await inbox.close();
  await conversation.getByRole("button", { name: "It is good: go on" }).click();
  await badge(page, "complete").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a server that is restarted during a cast: the page goes on by itself and misses no event", async () => {
  const page = await world.page("/casts");
  const id = await start(page, "Survive a restart", "slow.json");
  await page.getByText("1 of 2").first().waitFor();
  await page.evaluate(() => {
    window.sameDocument = true;
  });
  await world.stopServer();
  await page.getByText("connection lost, trying again").waitFor();
  await world.serve();
  await badge(page, "complete").waitFor();
  assert.equal(
    await page.evaluate(() => window.sameDocument),
    true,
    "the page was not loaded again",
  );
  const shown = await page.locator(".timeline li").count();
  const told = new Set([
    "cast_start",
    "socket_start",
    "agent_turn_start",
    "agent_turn_end",
    "utility_input",
    "utility_command",
    "socket_complete",
    "socket_advance",
    "budget_warning",
    "cast_end",
  ]);
  const expected = logged(id).filter(
    (one) => told.has(one.type) || (one.type === "socket_route" && one.data.rework),
  ).length;
  assert.equal(shown, expected);
});

test("an agent's words and tools are shown as they come, once, also over a restart", async () => {
  const page = await world.page("/casts");
  await start(page, "Say it slowly", "words.json", "Planning-Consult");
  const log = page.getByRole("log");
  await log.getByText("src/greeting.txt").waitFor();
  await log.locator(".tool.good", { hasText: "read" }).waitFor();
  await log.getByText("one two").waitFor();
  assert.equal(await log.getByText("twelve").count(), 0, "it is not over yet");
  await badge(page, "running").waitFor();
  await page.getByLabel("This turn").getByText("1.2 k").waitFor();
  await world.stopServer();
  await page.getByText("connection lost, trying again").waitFor();
  await world.serve();
  await log.getByText(words).waitFor();
  await badge(page, "paused").waitFor();
  assert.equal(
    await log.locator(".prose").innerText(),
    words,
    "nothing is missing and nothing is said twice",
  );
  assert.equal(await log.locator(".tool").count(), 2);
  await page.getByRole("button", { name: "Files" }).click();
  await page.evaluate(() =>
    document.querySelectorAll("aside details").forEach((one) => {
      one.open = true;
    }),
  );
  await page.getByRole("button", { name: "1.activity.jsonl" }).click();
  await page.getByRole("dialog").getByText("src/greeting.txt").waitFor();
  assert.deepEqual(page.problems, []);
});

test("nothing moves while a cast is live", async () => {
  const page = await world.page("/casts");
  await start(page, "Keep still", "slow.json");
  await page.getByText("1 of 2").first().waitFor();
  await page.evaluate(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput)
          window.shifts.push([
            entry.value,
            entry.sources.map((source) => source.node?.parentElement?.className ?? "?"),
          ]);
    }).observe({ type: "layout-shift" });
  });
  await badge(page, "complete").waitFor();
  const shifts = await page.evaluate(() => window.shifts);
  const sum = shifts.reduce((all, [value]) => all + value, 0);
  // The timeline follows its end, which moves it once, when it first fills its place; half of what counts as good
  // is enough for that.
  assert.ok(sum < 0.05, `layout shift of ${sum}: ${JSON.stringify(shifts)}`);
});

test("a cast whose driver was killed is resumed, and forked from one of its steps", async () => {
  const page = await world.page("/casts");
  world.write("stuck.json", stuck);
  const id = await start(page, "Killed in the middle", "stuck.json");
  await page.getByText("1 of 2").first().waitFor();
  const { casts } = await page.evaluate(async () => (await fetch("/api/casts")).json());
  process.kill(casts.find((one) => one.castId === id).driver, "SIGKILL");
  await badge(page, "interrupted").waitFor();
  await page.waitForFunction(() => /^\(\d+\) /.test(document.title));
  world.write("stuck.json", replies);
  await page.getByRole("button", { name: "Resume" }).click();
  await badge(page, "complete").waitFor();
  await page.getByRole("button", { name: "Steps" }).click();
  await page.getByRole("button", { name: "Fork behind step 4" }).click();
  await page.waitForURL(
    (url) => !url.pathname.endsWith(encodeURIComponent(id)) && url.pathname.startsWith("/casts/"),
  );
  await badge(page, /complete|failed/).waitFor();
  await page.getByLabel("Find a cast").fill("killed in the");
  await page.waitForFunction(() => document.querySelectorAll("aside .list li").length === 2);
  assert.deepEqual(page.problems, []);
});

test("a cast is aborted and recast", async () => {
  const page = await world.page("/casts");
  world.write("stuck.json", stuck);
  await start(page, "Stop in the middle", "stuck.json");
  await page.getByText("1 of 2").first().waitFor();
  await page.getByRole("button", { name: "Abort" }).click();
  await badge(page, "aborted").waitFor();
  world.write("stuck.json", replies);
  await page.getByRole("button", { name: "Recast" }).click();
  await badge(page, /complete|failed/).waitFor();
});

// A step that needs a second attempt, and a utility that nobody may run twice unasked.
const trying = {
  budget: { maxTokens: 20000, maxCostUsd: 1, maxTurns: 40, warnAtPercent: 50 },
  materia: {
    Careful: {
      type: "utility",
      command: ["sh", "careful.sh"],
      parse: "json",
      interrupted: "ask",
      timeoutMs: 60000,
    },
  },
  loadouts: {
    Twice: {
      entry: "a",
      sockets: {
        a: { materia: "Auto-Eval", parse: "json", edges: [{ when: "always", to: "b" }] },
        b: { materia: "Narrate" },
      },
    },
    Once: { entry: "a", sockets: { a: { materia: "Careful" } } },
  },
};
const usage = { input: 9000, output: 1000, totalTokens: 10000, cost: { total: 0.25 } };

test("attempts, tokens, cost, time and the budget are on the page while it runs; what failed is revived", async () => {
  world.write(".pi/pi-materia.json", trying);
  world.write("twice.json", {
    replies: [
      { match: { socket: "a" }, text: "no JSON at all", delayMs: 300, usage },
      { match: { socket: "a" }, json: { satisfied: true }, delayMs: 60_000 },
    ],
  });
  const page = await world.page("/casts");
  await start(page, "Needs a second try", "twice.json", "Twice");
  await page.locator('.react-flow__node[data-id="a"] .badge', { hasText: "attempt 2" }).waitFor();
  await page.locator('.react-flow__node[aria-current="step"][data-id="a"]').waitFor();
  const meters = page.locator(".meters");
  await page.waitForFunction(() =>
    /Tokens\s*1\d\.?\d* k of 20 k/.test(document.querySelector(".meters").innerText),
  );
  assert.match(await meters.innerText(), /\$0\.25 of \$1/);
  const before = await meters.locator("div", { hasText: "Elapsed" }).innerText();
  await page.waitForFunction(
    (was) => ![...document.querySelectorAll(".meters div")].some((one) => one.innerText === was),
    before,
  );
  assert.equal(
    await page.getByRole("meter", { name: "Tokens used" }).evaluate((one) => one.value >= 0.5),
    true,
  );
  await page.getByLabel("Events").getByText("tries again").waitFor();
  await page
    .getByLabel("Events")
    .getByText(/% of tokens/)
    .waitFor();
  await page.getByRole("button", { name: "Abort" }).click();
  await badge(page, "aborted").waitFor();
  world.write("twice.json", {
    replies: [
      { match: { socket: "a" }, json: { satisfied: true } },
      { match: { socket: "b" }, error: "crash", times: 9 },
    ],
  });
  await page.getByRole("button", { name: "Recast" }).click();
  await badge(page, "failed").waitFor();
  await page.locator('.react-flow__node[data-id="b"] .socket.failed').waitFor();
  await page.locator(".pinned .issue.error").waitFor();
  assert.equal(
    await page.getByRole("button", { name: "Timeline" }).isVisible(),
    true,
    "the tabs stay where they are",
  );
  assert.deepEqual(await axe(page), []);
  world.write("twice.json", { replies: [{ match: { socket: "b" }, text: "It is told." }] });
  await page.getByRole("button", { name: "Revive" }).click();
  await badge(page, "complete").waitFor();
  await page.getByLabel("Events").getByText("revived").waitFor();
  // One socket alone, and what it left behind.
  await page.locator('.react-flow__node[data-id="b"]').click();
  await page.getByText("only b").waitFor();
  await page.getByRole("button", { name: "Files" }).click();
  await page
    .getByRole("button", { name: /output\.md$/ })
    .first()
    .click();
  await page.getByRole("dialog").getByText("It is told.").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a step that nobody may run twice unasked waits for the person after a crash", async () => {
  world.write(".pi/pi-materia.json", trying);
  world.write(
    "careful.sh",
    "cat >/dev/null; [ -e again ] || { touch again; sleep 60; }; echo '{\"satisfied\": true}'",
  );
  const page = await world.page("/casts");
  const id = await start(page, "Do it once", "replies.json", "Once");
  await page.waitForFunction(() => document.querySelector(".react-flow__node .socket.running"));
  await page.getByLabel("Events").getByText("runs").waitFor();
  for (;;) {
    try {
      world.read("again");
      break;
    } catch {
      await page.waitForTimeout(50);
    }
  }
  const { casts } = await page.evaluate(async () => (await fetch("/api/casts")).json());
  process.kill(casts.find((one) => one.castId === id).driver, "SIGKILL");
  await badge(page, "interrupted").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await badge(page, "paused").waitFor();
  await page.locator(".react-flow__node .badge", { hasText: "in doubt" }).waitFor();
  await page.getByRole("link", { name: /Needs you/ }).click();
  const need = page
    .getByRole("region", { name: "What needs you" })
    .locator("li", { hasText: "Do it once" });
  await need.getByText("a was interrupted: shall it run again?").waitFor();
  assert.deepEqual(await axe(page), []);
  await need.getByRole("link", { name: /Look/ }).click();
  await page.getByRole("button", { name: "Run it again" }).click();
  await badge(page, "complete").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a budget that is used up is raised, and the cast goes on", async () => {
  world.write(".pi/pi-materia.json", { budget: { maxTokens: 5000 } });
  const page = await world.page("/casts");
  await start(page, "Spend little", "replies.json");
  await badge(page, "failed").waitFor();
  await page.locator("meter").first().waitFor();
  await page.getByRole("link", { name: /Needs you/ }).click();
  await page
    .getByText(/budget|tokens/i)
    .first()
    .waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Budget…" }).click();
  await page.getByRole("dialog").getByLabel("Tokens").fill("1000000");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await page.getByRole("button", { name: "Recast" }).click();
  await badge(page, "complete").waitFor();
  assert.deepEqual(page.problems, []);
});
