// Quests and runs: kept in order, run, ended.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { World, axe, replies } from "./world.mjs";

let world;
before(async () => { world = await World.open({ "replies.json": replies }); });
afterEach(() => world.closePages());
after(() => world.close());

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
  await page.waitForFunction(() => document.querySelectorAll(".quest[draggable] strong")[1]?.textContent === "Third thing");
  await page.locator(".quest[draggable]").nth(2).dragTo(page.locator(".quest[draggable]").nth(0));
  await page.waitForFunction(() => document.querySelectorAll(".quest[draggable] strong")[0]?.textContent === "Second thing");
  assert.deepEqual(await order(), ["Second thing", "First thing", "Third thing"]);
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Replies of a scripted agent").fill("replies.json");
  await page.getByRole("button", { name: "Run one" }).click();
  await page.getByRole("list", { name: "Other quests" }).getByText("succeeded").waitFor();
  assert.deepEqual(await order(), ["First thing", "Third thing"]);
  assert.deepEqual(page.problems, []);
});

test("a run is watched, spoken to and killed", async () => {
  await world.run("spawn", "--template", "sh -c 'echo alive; exec sleep 600'", "--as", "run:sleeper", "--json");
  const page = await world.page("/actors/sleeper");
  await page.getByLabel("stdout").getByText("alive").waitFor();
  await page.getByRole("button", { name: "Messages" }).click();
  await page.getByRole("textbox", { name: /^Message/ }).fill("hello there");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(/delivered|kept until somebody reads it/).waitFor();
  assert.match((await world.run("inspect", "run:sleeper", "--view", "mailbox", "--json")).out, /hello there/);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Kill" }).click();
  await page.locator(".head .badge", { hasText: /killed|cancelled/ }).waitFor();
  await page.getByRole("link", { name: "Recipes and tools" }).click();
  await page.getByRole("heading", { name: "Recipes", exact: true }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.problems, []);
});
