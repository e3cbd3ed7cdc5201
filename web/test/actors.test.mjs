// Quests, runs, tools and what needs the person: all of it live, nothing asked for twice.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { axe, replies, World } from "./world.mjs";

let world;
before(async () => {
  world = await World.open({
    "replies.json": replies,
    "work.sh":
      "echo alive; while ! [ -e go ]; do sleep 0.05; done; echo the second line; echo oh >&2; sleep 600 & sleep 601",
  });
});
afterEach(() => world.closePages());
after(() => world.close());

const calls = (page) => {
  const seen = [];
  page.on("request", (request) => seen.push(new URL(request.url()).pathname));
  return seen;
};

test("quests are added, reordered by keyboard and by drag, and run", async () => {
  const page = await world.page("/quests");
  for (const request of ["First thing", "Second thing", "Third thing"]) {
    await page.getByLabel("Add a quest").fill(request);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("list", { name: "Waiting quests" }).getByText(request).waitFor();
  }
  const order = () => page.locator(".quest[draggable] strong").allInnerTexts();
  await page.getByRole("button", { name: "Move Third thing up" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () => document.querySelectorAll(".quest[draggable] strong")[1]?.textContent === "Third thing",
  );
  // The focus goes with it, so that the same key moves it on, and above the first there is nothing.
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  assert.equal(await focused(), "Move Third thing up");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () => document.querySelectorAll(".quest[draggable] strong")[0]?.textContent === "Third thing",
  );
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Move Third thing up");
  // Dragged down it comes behind what it is dropped on, so that it can be the last one.
  await page.locator(".quest[draggable]").nth(0).dragTo(page.locator(".quest[draggable]").nth(2));
  await page.waitForFunction(
    () => document.querySelectorAll(".quest[draggable] strong")[2]?.textContent === "Third thing",
  );
  assert.deepEqual(await order(), ["First thing", "Second thing", "Third thing"]);
  await page.locator(".quest[draggable]").nth(1).dragTo(page.locator(".quest[draggable]").nth(0));
  await page.waitForFunction(
    () => document.querySelectorAll(".quest[draggable] strong")[0]?.textContent === "Second thing",
  );
  assert.deepEqual(await order(), ["Second thing", "First thing", "Third thing"]);
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Replies of a scripted agent").fill("replies.json");
  await page.getByRole("button", { name: "Run one" }).click();
  await page.getByRole("list", { name: "Other quests" }).getByText("succeeded").waitFor();
  assert.deepEqual(await order(), ["First thing", "Third thing"]);
  assert.deepEqual(page.problems, []);
});

test("a board that others change is shown as it is, without asking; one that failed is queued again", async () => {
  world.write("none.json", { replies: [] });
  const page = await world.page("/quests");
  await page.getByText("First thing").waitFor();
  const asked = calls(page);
  await world.run("quest", "add", "From a terminal", "--json");
  await page.getByRole("list", { name: "Waiting quests" }).getByText("From a terminal").waitFor();
  assert.deepEqual(asked, [], "nothing is polled");
  await page.getByLabel("Replies of a scripted agent").fill("none.json");
  await page.getByRole("button", { name: "Run First thing" }).click();
  await page.getByRole("list", { name: "Other quests" }).getByText("failed").waitFor();
  await page.getByRole("button", { name: "Requeue" }).click();
  await page.getByRole("list", { name: "Waiting quests" }).getByText("First thing").waitFor();
  assert.deepEqual(page.problems, []);
});

test("the runner is stopped behind the quest that is running", async () => {
  world.write("slow.json", {
    replies: replies.replies.map((one) => ({ ...one, delayMs: 400, times: 4 })),
  });
  const page = await world.page("/quests");
  await page.getByLabel("Replies of a scripted agent").fill("slow.json");
  await page.getByRole("button", { name: "Run all" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run all" }).waitFor();
  assert.ok((await page.locator(".quest[draggable]").count()) >= 1, "the others still wait");
});

test("a run is followed, looked into, spoken to and killed", async () => {
  await world.run("spawn", "--template", "sh work.sh", "--as", "run:worker", "--json");
  const page = await world.page("/actors/worker");
  await page.getByLabel("stdout").getByText("alive").waitFor();
  const asked = calls(page);
  world.write("go", "");
  await page.getByLabel("stdout").getByText("the second line").waitFor();
  await page.getByLabel("stderr").getByText("oh").waitFor();
  assert.deepEqual(asked, [], "nothing is polled");
  await page.getByRole("button", { name: "Processes" }).click();
  const tree = page.getByRole("list", { name: "Processes" });
  await tree.getByText("sleep 601").waitFor();
  assert.match(await tree.locator("li").first().innerText(), /supervisor/);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Messages" }).click();
  await page.getByRole("textbox", { name: /^Message/ }).fill("hello there");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("list", { name: "Mailbox" }).getByText("hello there").waitFor();
  assert.match(
    (await world.run("inspect", "run:worker", "--view", "mailbox", "--json")).out,
    /hello there/,
  );
  await page.getByRole("button", { name: "Room", exact: true }).click();
  await page.getByRole("textbox", { name: /^Message/ }).fill("who is here?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("list", { name: "Messages" }).getByText("who is here?").waitFor();
  await world.run(
    "message",
    "room:worker",
    "actor.join",
    "{}",
    "--from",
    "branch:worker/helper",
    "--json",
  );
  await page.getByRole("list", { name: "Roster" }).getByText("helper").waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "About" }).click();
  await page.getByText("Kept in").waitFor();
  await page.getByRole("button", { name: "Kill", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill it" }).click();
  await page.locator(".head .badge", { hasText: /killed|cancelled/ }).waitFor();
  await page
    .getByRole("complementary", { name: "Runs" })
    .getByText(/killed|cancelled/)
    .waitFor();
  assert.deepEqual(page.problems, []);
});

test("what a run asks turns up where the person looks, and in the title", async () => {
  world.write(
    "ask.sh",
    [
      `${world.program} message coordinator question.ask "Shall I?" --summary "Shall I delete it?" ` +
        `--metadata '{"requires_response":true}'`,
      `${world.program} receive`,
      "sleep 600",
    ].join("; "),
  );
  const page = await world.page("/inbox");
  await page.getByText("Nothing waits for you").waitFor();
  await world.run("spawn", "--template", "sh ask.sh", "--as", "run:asker", "--json");
  await page.getByText("Shall I delete it?").waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Answer to asker").fill("yes, do");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.goto(`http://127.0.0.1:${world.port}/actors/asker`);
  await page.getByLabel("stdout").getByText("yes, do").waitFor();
  await world.run("message", "run:asker", "control.kill", "--json");
  await page.locator(".head .badge", { hasText: /killed|cancelled/ }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("a tool is registered from a form, refused with a reason, changed, called and removed", async () => {
  const page = await world.page("/actors/@library");
  await page.getByRole("button", { name: "Register a tool" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Name/).fill("greet");
  await dialog.getByLabel(/^What it is for/).fill("Greets somebody");
  await dialog.getByLabel(/^Command/).fill("echo 'hello {who}");
  await dialog.getByRole("button", { name: "Register" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel(/^Name/).fill("greet");
  await dialog.getByLabel(/^Command/).fill("echo hello {who}");
  await dialog.getByLabel(/^Arguments/).fill("who:string=you");
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Register" }).click();
  await page.getByRole("button", { name: "Change greet" }).click();
  assert.match((await world.run("tool", "call", "greet", "--json")).out, /hello you/);
  await dialog.getByLabel(/^Command/).fill("echo good day {who}");
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.match((await world.run("tool", "call", "greet", "who=all", "--json")).out, /good day all/);
  await page.getByRole("button", { name: "Remove greet" }).click();
  await page.getByRole("button", { name: "Remove greet" }).waitFor({ state: "detached" });
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.problems, []);
});
