// Changing loadouts: the order of edges, loops and their ways out, undo and redo, text and table, saving.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { axe, save, World } from "./world.mjs";

const review = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": {
      materia: "Auto-Eval",
      parse: "json",
      edges: [
        { when: "satisfied", to: "Socket-4" },
        { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
        { when: "always", to: "end" },
      ],
    },
    "Socket-4": { materia: "Narrate" },
  },
};
const looped = {
  entry: "a",
  sockets: {
    a: { materia: "Auto-Plan", edges: [{ when: "always", to: "b" }] },
    b: {
      materia: "Auto-Eval",
      parse: "json",
      advance: { cursor: "workItemIndex", items: "state.workItems", when: "satisfied" },
      edges: [{ when: "always", to: "b" }],
    },
    c: { materia: "Narrate" },
  },
  loops: {
    each: {
      sockets: ["b"],
      consumes: { from: "a", output: "workItems" },
      exit: { from: "b", when: "satisfied", to: "c" },
    },
  },
};

let world;
before(async () => {
  world = await World.open();
  const page = await world.page("/loadouts/Full-Auto");
  await page.evaluate(
    async (all) => {
      for (const [name, value] of Object.entries(all))
        await fetch("/api/config/save", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            target: "user",
            edits: [{ section: "loadouts", name, value, base: null }],
          }),
        });
    },
    { Review: review, Looped: looped, Table: review, Text: review, Kept: review },
  );
  await world.closePages();
});
afterEach(() => world.closePages());
after(() => world.close());

const node = (page, id) => page.locator(`.react-flow__node[data-id="${id}"]`);
const chip = (page, id) => page.locator(`[data-edge="${id}"]`);
const json = async (page) => JSON.parse(await page.getByLabel("The loadout as JSON").inputValue());
const edgesOf = async (page, id) => {
  await page.getByRole("button", { name: "JSON" }).click();
  const doc = await json(page);
  await page.getByRole("button", { name: "Canvas" }).click();
  return doc.sockets[id].edges.map((edge) => `${edge.when}>${edge.to}`);
};
const focused = (page) =>
  page.evaluate(
    () =>
      document.activeElement?.getAttribute("data-edge") ??
      document.activeElement?.getAttribute("aria-label") ??
      document.activeElement?.textContent,
  );

test("edges get another condition and order, by mouse and by keys, and every step goes back and forth", async () => {
  const page = await world.page("/loadouts/Review");
  await page.getByText("Ready to cast").waitFor();
  const first = ["satisfied>Socket-4", "not_satisfied>Socket-2", "always>end"];
  assert.equal(
    await chip(page, "edge:Socket-3:1").locator(".nth").getAttribute("data-nth"),
    "2",
    "the order is to be seen",
  );
  await chip(page, "edge:Socket-3:0").focus();
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(await focused(page), "edge:Socket-3:1", "the focus goes with the edge");
  assert.deepEqual(await edgesOf(page, "Socket-3"), [first[1], first[0], first[2]]);
  await chip(page, "edge:Socket-3:1").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Alt+ArrowUp");
  assert.deepEqual(await edgesOf(page, "Socket-3"), first, "above the first there is nothing");
  // The panel of an edge: the buttons keep the focus, so that the same key goes on.
  await chip(page, "edge:Socket-1:0").focus();
  await page.keyboard.press("Enter");
  await page.locator('[data-edge="edge:Socket-1:0"].satisfied').waitFor();
  await page.keyboard.press("Control+Z");
  await page.locator('[data-edge="edge:Socket-1:0"].always').waitFor();
  // The list of a socket's edges.
  await node(page, "Socket-3").click();
  const panel = page.getByRole("region", { name: "Socket Socket-3" });
  await panel.getByRole("button", { name: "Move edge 1 of Socket-3 down" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Move edge 3 of Socket-3 down");
  const last = ["not_satisfied>Socket-2", "always>end", "satisfied>Socket-4"];
  assert.deepEqual(await edgesOf(page, "Socket-3"), last);
  await page
    .getByText(/error|to look at/)
    .first()
    .waitFor();
  await chip(page, "edge:Socket-3:2").and(page.locator(".bad")).waitFor();
  assert.match(
    await chip(page, "edge:Socket-3:2").getAttribute("aria-label"),
    /number 3 of 3, (error|warning): /,
  );
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("Control+Z");
  assert.deepEqual(await edgesOf(page, "Socket-3"), first);
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("Control+Shift+Z");
  assert.deepEqual(await edgesOf(page, "Socket-3"), last);
  await page.keyboard.press("Control+Y");
  const back = page.getByRole("button", { name: "Undo" });
  for (let step = 0; step < 4; step += 1) await back.click();
  assert.equal(await back.isDisabled(), true, "behind the beginning there is nothing");
  await page.getByRole("button", { name: "Redo" }).click();
  assert.deepEqual(await edgesOf(page, "Socket-3"), [first[1], first[0], first[2]]);
  await chip(page, "edge:Socket-3:2").focus();
  await page.keyboard.press("Delete");
  await chip(page, "edge:Socket-3:2").waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("a loop is changed: its sockets, its list and its ways out, however they were written", async () => {
  const page = await world.page("/loadouts/Looped");
  await page.getByText("Ready to cast").waitFor();
  assert.match(await node(page, "b").innerText(), /Loop consumer/);
  assert.doesNotMatch(await node(page, "c").innerText(), /Loop consumer/);
  const only = chip(page, "loop-exit:each:exit");
  await only.click();
  await page.locator('[data-edge="loop-exit:each:exit"].not_satisfied').waitFor();
  await page
    .getByRole("region", { name: "Loop exit route" })
    .getByLabel("Target")
    .selectOption("end");
  await page.getByRole("button", { name: "Loop each" }).click();
  const loop = page.getByRole("region", { name: "Loop each" });
  await loop.getByLabel("New route to").selectOption("c");
  await loop.getByRole("button", { name: "Add route" }).click();
  await chip(page, "loop-exit:each:exit:b:not_satisfied").waitFor();
  await chip(page, "loop-exit:each:exit:b:always").waitFor();
  await loop.getByRole("checkbox", { name: /^c / }).check();
  assert.match(await node(page, "c").innerText(), /Loop consumer/);
  await loop.getByRole("checkbox", { name: /^c / }).uncheck();
  await page.getByText("Ready to cast").waitFor();
  await save(page);
  const { each } = world.userConfig().loadouts.Looped.loops;
  assert.deepEqual(each, {
    sockets: ["b"],
    consumes: { from: "a", output: "workItems" },
    exits: [
      { id: "exit:b:not_satisfied", from: "b", condition: "not_satisfied", targetSocketId: "end" },
      { id: "exit:b:always", from: "b", condition: "always", targetSocketId: "c" },
    ],
  });
  // A route that leads nowhere is drawn, and wears its error.
  await page.getByRole("button", { name: "JSON" }).click();
  const doc = await json(page);
  doc.loops.each.exits[0].targetSocketId = "gone";
  doc.sockets.a.edges[0].to = "nobody";
  await page.getByLabel("The loadout as JSON").fill(JSON.stringify(doc));
  await page.getByRole("button", { name: "Canvas" }).click();
  await page.locator('[data-edge="loop-exit:each:exit:b:not_satisfied"].bad').waitFor();
  await page.locator('[data-edge="edge:a:0"].bad').waitFor();
  assert.deepEqual((await page.locator(".missing-node").allInnerTexts()).sort(), [
    "no gone",
    "no nobody",
  ]);
  await page.getByText(/\d errors/).click();
  await page
    .getByRole("list", { name: "Problems" })
    .getByRole("button", { name: /exits\[0\]/ })
    .first()
    .click();
  await page.getByRole("region", { name: "Loop exit route" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "More about this loadout" }).click();
  await page.getByRole("button", { name: "Revert changes" }).click();
  await page.locator(".missing-node").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Loop each" }).click();
  await page.getByRole("button", { name: "Break loop" }).click();
  await page.getByRole("button", { name: "Loop each" }).waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("the table does what the picture does: edges, loops, ways out, the beginning", async () => {
  const page = await world.page("/loadouts/Table", { viewport: { width: 380, height: 780 } });
  await page.getByRole("rowheader", { name: /Socket-3/ }).waitFor();
  await page.getByRole("button", { name: "Move edge 2 of Socket-3 up" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "Move edge 1 of Socket-3 up");
  await page.getByLabel("Condition of edge 1 of Socket-3").selectOption("always");
  await page.locator(".edge-list li.bad").first().waitFor();
  for (let step = 0; step < 2; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  for (const id of ["Socket-2", "Socket-3"])
    await page.getByRole("checkbox", { name: `Choose ${id}` }).check();
  await page.getByRole("button", { name: "Make a loop of Socket-2, Socket-3" }).click();
  const loop = page.getByRole("region", { name: "Loop loop" });
  await loop.getByLabel("New route from").selectOption("Socket-3");
  await loop.getByLabel("New route to").selectOption("Socket-4");
  await loop.getByRole("button", { name: "Add route" }).click();
  await loop.getByLabel("Target of route exit:Socket-3:satisfied").selectOption("end");
  assert.equal(await page.getByText("Loop consumer").count(), 2);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  assert.deepEqual(await axe(page), []);
  await loop.getByRole("button", { name: "Break loop" }).click();
  await loop.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Begin here, at Socket-4" }).click();
  await page.getByRole("button", { name: "Remove Socket-2" }).click();
  await page.getByRole("rowheader", { name: /Socket-2/ }).waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("the text offers words, says where it is wrong, and what is not JSON yet is not lost", async () => {
  const page = await world.page("/loadouts/Text");
  await page.getByRole("button", { name: "JSON" }).click();
  const area = page.getByLabel("The loadout as JSON");
  const text = await area.inputValue();
  const at = text.indexOf('"materia": "Build"') + '"materia": "'.length;
  await area.evaluate(
    (element, [from, to]) => {
      element.focus();
      element.setSelectionRange(from, to);
    },
    [at, at + 5],
  );
  await page.keyboard.type("Aut");
  const offers = page.getByRole("listbox", { name: "Words that fit here" });
  await offers.getByRole("option", { name: "Auto-Eval" }).waitFor();
  assert.deepEqual(await offers.getByRole("option").allInnerTexts(), [
    "Auto-Plan",
    "Auto-Architect",
    "Auto-Eval",
  ]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal((await json(page)).sockets["Socket-2"].materia, "Auto-Architect");
  // A word that names nothing: the place of it, and a way there.
  await area.fill(text.replace('"Narrate"', '"Nobody"'));
  const wrong = page.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await wrong.waitFor();
  const line = text.split("\n").findIndex((one) => one.includes("Narrate")) + 1;
  assert.match(await wrong.innerText(), new RegExp(`^line ${line}, column \\d+`));
  await wrong.click();
  assert.match(
    await area.evaluate((element) =>
      element.value.slice(element.selectionStart, element.selectionEnd),
    ),
    /Nobody/,
  );
  // What is no JSON: the place, nothing lost by looking elsewhere, nothing saved by accident.
  const broken = text.replace('"parse": "json",', '"parse": json,');
  await area.fill(broken);
  const line2 = text.split("\n").findIndex((one) => one.includes('"parse"')) + 1;
  await page.getByText(`line ${line2}, column`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save…" }).isDisabled(), true);
  await page.getByRole("button", { name: "Canvas" }).click();
  await page.getByRole("button", { name: "JSON" }).click();
  assert.equal(await area.inputValue(), broken);
  assert.deepEqual(await axe(page), []);
  for (const [bad, said] of [
    ["{", "the text ends"],
    ['{"a": 1,}', "comma"],
    ['{"a" 1}', "colon"],
    ['{"a": "b\n"}', "does not end"],
    ["[]", "begins with"],
    ['{"a": 1} x', "behind the end"],
  ]) {
    await area.fill(bad);
    await page.getByText(said).waitFor();
  }
  await area.fill(text);
  await page.getByText("Nothing is wrong with it.").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a loadout is arranged, saved to the project, made active, locked; what is dropped takes its place", async () => {
  const page = await world.page("/loadouts/Kept");
  const palette = page.getByRole("region", { name: "Palette" });
  await palette.getByRole("heading", { name: "Generators" }).waitFor();
  assert.match(await palette.getByRole("button", { name: "Auto-Plan" }).innerText(), /Generator/);
  const menu = async (name) => {
    await page.getByRole("button", { name: "More about this loadout" }).click();
    await page.getByRole("button", { name, exact: true }).click();
  };
  const spot = async (id) => node(page, id).evaluate((element) => element.style.transform);
  const was = await spot("Socket-4");
  await node(page, "Socket-4").click();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    ([id, before]) =>
      document.querySelector(`.react-flow__node[data-id="${id}"]`).style.transform !== before,
    ["Socket-4", was],
  );
  await page.getByRole("button", { name: "Arrange automatically" }).click();
  await page.waitForFunction(
    ([id, before]) =>
      document.querySelector(`.react-flow__node[data-id="${id}"]`).style.transform === before,
    ["Socket-4", was],
  );
  await page.getByRole("button", { name: "← Palette" }).click();
  await palette
    .getByRole("button", { name: "Maintain", exact: true })
    .dragTo(node(page, "Socket-2"));
  await page.getByRole("region", { name: "Socket Socket-2" }).waitFor();
  assert.equal(await page.locator(".react-flow__node-socket").count(), 4, "no socket was added");
  const told = await save(page, /this project/);
  assert.match(told, /\+ .*"Socket-2": \{ "materia": "Maintain"/);
  assert.equal(
    JSON.parse(world.read(".pi/pi-materia.json")).loadouts.Kept.sockets["Socket-2"].materia,
    "Maintain",
  );
  assert.equal(
    world.userConfig().loadouts.Kept.sockets["Socket-2"].materia,
    "Build",
    "the other file is as it was",
  );
  const list = page
    .getByRole("complementary", { name: "Loadouts" })
    .getByRole("link", { name: /^Kept/ });
  await list.getByText("project").waitFor();
  await menu("Set active");
  await list.getByText("Active").waitFor();
  assert.match(
    (await world.run("loadout", "list", "--json")).out,
    /"active": ?"Kept"|"name": ?"Kept"[^}]*"active": ?true/,
  );
  await menu("Lock");
  await list.getByText("Locked").waitFor();
  await page.getByRole("button", { name: "Arrange automatically" }).waitFor({ state: "detached" });
  await node(page, "Socket-2").click();
  assert.equal(
    await page.getByRole("region", { name: "Socket Socket-2" }).getByLabel("Materia").isDisabled(),
    true,
  );
  await page.reload();
  await list.getByText("Locked").waitFor();
  await menu("Unlock");
  await list.getByText("Locked").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Arrange automatically" }).waitFor();
  await menu("Duplicate");
  await page.getByRole("heading", { name: "Kept Copy" }).waitFor();
  await menu("Rename…");
  await page.getByRole("dialog").getByLabel("Name").fill("Mine");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  await save(page);
  assert.equal(world.userConfig().loadouts.Mine.sockets["Socket-2"].materia, "Maintain");
  await menu("Delete…");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(world.userConfig().loadouts.Mine, undefined);
  assert.deepEqual(page.problems, []);
});
