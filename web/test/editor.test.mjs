// Drawing loadouts: by mouse, by keyboard, by text, and by two people at once.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { save, World } from "./world.mjs";

let world;
before(async () => {
  world = await World.open();
});
afterEach(() => world.closePages());
after(() => world.close());

const expected = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Detect-VCS", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": {
      materia: "Auto-Eval",
      parse: "json",
      edges: [
        { when: "satisfied", to: "end" },
        { when: "not_satisfied", to: "Socket-3", maxTraversals: 3 },
      ],
    },
  },
};

async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 6 });
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
}

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
const node = (page, id) => page.locator(`.react-flow__node[data-id="${id}"]`);

test("a loadout is drawn from nothing by mouse, saved, and is the same after a reload", async () => {
  const page = await world.page("/loadouts");
  await page.getByRole("button", { name: "New" }).click();
  const palette = page.getByRole("region", { name: "Palette" });
  const canvas = page.locator(".react-flow__pane");
  const box = await canvas.boundingBox();
  for (const [at, name] of ["Detect-VCS", "Auto-Plan", "Auto-Eval"].entries()) {
    await palette
      .getByRole("button", { name })
      .first()
      .dragTo(canvas, { targetPosition: { x: box.width / 2, y: 120 + at * 170 } });
    await node(page, `Socket-${at + 1}`).waitFor();
    await page.getByRole("button", { name: "← Palette" }).click();
    await page.waitForTimeout(350);
  }
  for (const [from, to] of [
    [1, 2],
    [2, 3],
  ]) {
    await drag(
      page,
      await middle(node(page, `Socket-${from}`).locator(".react-flow__handle.source")),
      await middle(node(page, `Socket-${to}`).locator(".react-flow__handle.target")),
    );
  }
  await node(page, "Socket-3").click();
  const panel = page.getByRole("region", { name: "Socket Socket-3" });
  await panel.getByLabel("Output of Socket-3 is read as").selectOption("json");
  // A second edge is guarded and goes before the unconditional one.
  for (const to of ["Socket-3", "end"]) {
    await panel.getByLabel("New edge to").selectOption(to);
    await panel.getByRole("button", { name: "Connect" }).click();
  }
  // The chip on an edge changes its condition with each click.
  const chip = page.locator('[data-edge="edge:Socket-3:1"]');
  await chip.click();
  await page.locator('[data-edge="edge:Socket-3:1"].satisfied').waitFor();
  await chip.click();
  await page.locator('[data-edge="edge:Socket-3:1"].not_satisfied').waitFor();
  await page.getByLabel("At most so often per item").fill("3");
  await page.getByText("Ready to cast").waitFor();
  await save(page);
  const saved = world.userConfig().loadouts["New Loadout"];
  const { layout, ...graph } = saved;
  assert.equal(Object.keys(layout.sockets).length, 3, "where things were put is kept");
  assert.deepEqual(sorted(graph), sorted(expected));
  await page.reload();
  await page.getByRole("button", { name: "JSON" }).click();
  assert.deepEqual(JSON.parse(await page.getByLabel("The loadout as JSON").inputValue()), saved);
  assert.deepEqual(page.problems, []);
});

const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .sort()
            .map(([key, one]) => [key, sorted(one)]),
        )
      : value;

test("the same loadout is made by keyboard alone", async () => {
  const page = await world.page("/loadouts");
  await page.getByRole("heading", { name: "Full-Auto" }).waitFor();
  /** Goes on with Tab until something has the focus, as a person without a mouse would. */
  const reach = async (role, name) => {
    const target = await page.getByRole(role, { name, exact: true }).first().elementHandle();
    for (let step = 0; step < 250; step += 1) {
      if (await page.evaluate((element) => element === document.activeElement, target)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${role} “${name}” is not reached by Tab`);
  };
  const choose = async (name, value) => {
    await reach("combobox", name);
    const target = page.getByRole("combobox", { name, exact: true });
    for (let step = 0; step < 60; step += 1) {
      if ((await target.inputValue()) === value) return;
      await page.keyboard.press(step < 30 ? "ArrowDown" : "ArrowUp");
    }
    assert.fail(`${name} has no ${value}`);
  };
  const press = async (name) => {
    await reach("button", name);
    await page.keyboard.press("Enter");
  };
  await press("New");
  await press("Outline");
  for (const [at, materia] of ["Detect-VCS", "Auto-Plan", "Auto-Eval"].entries()) {
    await choose("Materia of the new socket", materia);
    if (at > 0) await choose("Connect it behind", `Socket-${at}`);
    await press("Add socket");
    await page.getByRole("rowheader", { name: `Socket-${at + 1}` }).waitFor();
  }
  for (const [at, to] of ["Socket-3", "end"].entries()) {
    await choose("New edge from Socket-3 to", to);
    await press("Connect Socket-3");
    await page.getByLabel(`Target of edge ${at + 1} of Socket-3`).waitFor();
  }
  await choose("Condition of edge 2 of Socket-3", "not_satisfied");
  await reach("spinbutton", "Most traversals of edge 2 of Socket-3");
  await page.keyboard.type("3");
  const more = page.getByText("More about Socket-3");
  for (
    let step = 0;
    step < 250 && !(await more.evaluate((element) => element === document.activeElement));
    step += 1
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await choose("Output of Socket-3 is read as", "json");
  await page.waitForTimeout(400);
  await page.keyboard.press("Control+S");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("region", { name: "What changes in the file" }).waitFor();
  await reach("button", "Save");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const made = Object.entries(world.userConfig().loadouts).find(
    ([name]) => name === "New Loadout 2",
  )?.[1];
  assert.deepEqual(sorted(made), sorted(expected));
  assert.deepEqual(page.problems, []);
});

test("what ships goes through the editor unchanged", async () => {
  for (const name of ["Full-Auto", "Planning-Consult", "Hojo-Consult", "Release"]) {
    const page = await world.page(`/loadouts/${name}`);
    const before = await page.evaluate(
      async (wanted) =>
        (await (await fetch("/api/config")).json()).loadouts.find((one) => one.name === wanted)
          .value,
      name,
    );
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("heading", { name: `${name} Copy` }).waitFor();
    await save(page);
    const { originDefaultId, ...copy } = world.userConfig().loadouts[`${name} Copy`];
    const { id, ...original } = before;
    assert.equal(originDefaultId, id);
    assert.equal(JSON.stringify(copy), JSON.stringify(original));
    await page.close();
  }
});

test("a loop and its exit routes are made, changed and broken", async () => {
  const page = await world.page("/loadouts/Full-Auto%20Copy");
  await page.getByRole("button", { name: "Loop work" }).click();
  const panel = page.getByRole("region", { name: "Loop work" });
  await panel.getByRole("button", { name: "Break loop" }).click();
  const inner = ["Socket-4", "Socket-5", "Socket-6"];
  await node(page, inner[0]).click();
  for (const id of inner.slice(1)) await node(page, id).click({ modifiers: ["Shift"] });
  await page.getByRole("button", { name: "Make a loop of them" }).click();
  const loop = page.getByRole("region", { name: "Loop loop" });
  await loop.getByLabel("New route to").selectOption("Socket-7");
  await loop.getByRole("button", { name: "Add route" }).click();
  const chip = page.locator('[data-edge="loop-exit:loop:exit:Socket-6:satisfied"]');
  await chip.waitFor();
  assert.match(
    await chip.getAttribute("aria-label"),
    /^upon loop exit: satisfied, from Socket-6 to Socket-7/,
  );
  await chip.click();
  await page
    .locator('[data-edge="loop-exit:loop:exit:Socket-6:satisfied"].not_satisfied')
    .waitFor();
  await page.getByText("Ready to cast").waitFor();
  await save(page);
  const saved = world.userConfig().loadouts["Full-Auto Copy"];
  assert.deepEqual(saved.loops.loop.sockets, inner);
  assert.deepEqual(saved.loops.loop.consumes, { from: "Socket-8", output: "workItems" });
  assert.deepEqual(saved.loops.loop.exits, [
    { id: "exit:Socket-6:always", from: "Socket-6", condition: "always", targetSocketId: "end" },
    {
      id: "exit:Socket-6:satisfied",
      from: "Socket-6",
      condition: "not_satisfied",
      targetSocketId: "Socket-7",
    },
  ]);
  assert.deepEqual(saved.sockets["Socket-6"].advance, {
    cursor: "workItemIndex",
    items: "state.workItems",
    when: "satisfied",
  });
  await page.keyboard.press("Control+Z");
  await page.locator('[data-edge="loop-exit:loop:exit:Socket-6:satisfied"].satisfied').waitFor();
  assert.deepEqual(page.problems, []);
});

test("errors stand on the socket and the edge they belong to", async () => {
  const page = await world.page("/loadouts/Release%20Copy");
  await page.getByRole("button", { name: "JSON" }).click();
  const text = JSON.parse(await page.getByLabel("The loadout as JSON").inputValue());
  text.sockets["Socket-1"].materia = "Nobody";
  text.sockets["Socket-3"].edges.push({ when: "satisfied", to: "Socket-1" });
  await page.getByLabel("The loadout as JSON").fill(JSON.stringify(text));
  await page.getByRole("button", { name: "Canvas" }).click();
  await page.locator('.react-flow__node[data-id="Socket-1"] .socket.bad').waitFor();
  await page.locator('[data-edge="edge:Socket-3:1"].bad').waitFor();
  await page.getByText(/\d errors/).click();
  assert.match(await page.getByRole("list", { name: "Problems" }).innerText(), /Nobody/);
});

test("two tabs that edit the same loadout lose nothing", async () => {
  const one = await world.page("/loadouts/Hojo-Consult%20Copy");
  const other = await world.page("/loadouts/Hojo-Consult%20Copy");
  for (const [page, words] of [
    [one, "from one"],
    [other, "from the other"],
  ]) {
    await page.getByRole("button", { name: "JSON" }).click();
    const text = JSON.parse(await page.getByLabel("The loadout as JSON").inputValue());
    await page
      .getByLabel("The loadout as JSON")
      .fill(JSON.stringify({ ...text, description: words }));
  }
  await save(one);
  await other.getByRole("button", { name: "Save…" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  const dialog = other.getByRole("dialog", { name: /was changed meanwhile/ });
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /from one/);
  assert.equal(world.userConfig().loadouts["Hojo-Consult Copy"].description, "from one");
  await dialog.getByRole("button", { name: "Save mine over it" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(world.userConfig().loadouts["Hojo-Consult Copy"].description, "from the other");
});

test("a hostile name is shown as text", async () => {
  const name = "<img src=x onerror=alert(1)>";
  const page = await world.page("/loadouts/Full-Auto");
  await page.evaluate(
    async (named) =>
      fetch("/api/config/save", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          target: "user",
          edits: [
            {
              section: "loadouts",
              name: named,
              value: {
                entry: "a",
                sockets: { a: { materia: "Detect-VCS" } },
                description: "</p><script>alert(2)</script>",
              },
              base: null,
            },
          ],
        }),
      }),
    name,
  );
  page.on("dialog", () => assert.fail("something ran"));
  await page.goto(`http://127.0.0.1:${world.port}/loadouts/${encodeURIComponent(name)}`);
  await page.getByRole("heading", { name }).waitFor();
  assert.equal(await page.locator("img[src=x]").count(), 0);
});
