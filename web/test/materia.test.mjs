// The materia editor: every field of a role and of a utility, what ships changed and put back, and trying a utility.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { axe, save, World } from "./world.mjs";

let world;
before(async () => {
  world = await World.open({
    "good.sh":
      'cat > seen.json; echo looked >&2; echo \'{"satisfied": true, "context": "all <b>good</b>"}\'',
    "bad.sh": "echo partly; echo 'it went wrong' >&2; exit 3",
    "hang.sh": "echo before; sleep 300 & echo $! > hung.pid; sleep 301",
  });
});
afterEach(() => world.closePages());
after(() => world.close());

/** Whether a process runs: one that ended and was not waited for yet does not. */
const alive = (pid) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
const menu = async (page, name) => {
  await page.getByRole("button", { name: "More about this materia" }).click();
  await page.getByRole("button", { name, exact: true }).click();
};
async function make(page, kind, name) {
  await page
    .getByRole("complementary", { name: "Materia" })
    .getByRole("button", { name: "New" })
    .click();
  await page.getByRole("button", { name: kind, exact: true }).click();
  await menu(page, "Rename…");
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

test("a role is written with every field, and says the same after a reload", async () => {
  const page = await world.page("/materia");
  await make(page, "Agent role", "Reviewer");
  await page.getByRole("textbox", { name: "Label" }).fill("The reviewer");
  await page.getByRole("textbox", { name: "Group" }).fill("Check");
  await page.getByRole("textbox", { name: "Description" }).fill("Looks twice");
  await page.getByRole("radio", { name: "purple" }).check({ force: true });
  await page.getByLabel(/^What the agent is told/).fill("Look at {{request}} <twice>.");
  await page.getByRole("combobox", { name: "Tools" }).selectOption("custom");
  await page.getByRole("checkbox", { name: "bash" }).check();
  await page.getByRole("checkbox", { name: "find" }).uncheck();
  await page.getByText("bash can do anything").waitFor();
  await page.getByLabel(/^Model/).fill("anthropic/claude");
  await page.getByRole("combobox", { name: "Thinking" }).selectOption("high");
  await page.getByRole("textbox", { name: /^Agent/ }).fill("command");
  await page.getByRole("checkbox", { name: /^Asks you/ }).check();
  await page.getByRole("checkbox", { name: /^Generator/ }).check();
  await page.getByRole("combobox", { name: "Output is read as" }).selectOption("json");
  await page.getByRole("combobox", { name: /^After an interruption/ }).selectOption("ask");
  assert.deepEqual(await axe(page), []);
  await save(page);
  const { Reviewer } = world.userConfig().materia;
  assert.deepEqual(Reviewer, {
    type: "agent",
    label: "The reviewer",
    group: "Check",
    description: "Looks twice",
    color: "materia-color-purple",
    prompt: "Look at {{request}} <twice>.",
    tools: { type: "custom", tools: ["read", "grep", "ls", "bash"] },
    model: "anthropic/claude",
    thinking: "high",
    agent: "command",
    multiTurn: true,
    generator: true,
    parse: "json",
    interrupted: "ask",
  });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "The reviewer" }).waitFor();
  assert.equal(await page.getByLabel(/^What the agent is told/).inputValue(), Reviewer.prompt);
  assert.equal(await page.getByRole("combobox", { name: "Thinking" }).inputValue(), "high");
  assert.equal(await page.getByRole("checkbox", { name: /^Asks you/ }).isChecked(), true);
  await page
    .getByRole("complementary", { name: "Materia" })
    .getByRole("link", { name: "The reviewer" })
    .waitFor();
  // What ships can be changed, field by field also taken away, and put back.
  await page.goto(`http://127.0.0.1:${world.port}/materia/Auto-Plan`);
  await page.getByRole("checkbox", { name: /^Generator/ }).uncheck();
  await page.getByRole("textbox", { name: "Description" }).fill("");
  await save(page);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Auto-Plan" }).waitFor();
  assert.equal(
    await page.getByRole("checkbox", { name: /^Generator/ }).isChecked(),
    false,
    "a field that ships stays off",
  );
  assert.equal(await page.getByRole("textbox", { name: "Description" }).inputValue(), "");
  await menu(page, "Back to what ships");
  await page.waitForFunction(
    () => document.querySelector('input[type="checkbox"]:checked') !== null,
  );
  assert.equal(world.userConfig().materia["Auto-Plan"], undefined);
  assert.deepEqual(page.problems, []);
});

test("a utility is written and tried: what it said, what came of it, how it failed, and one that hangs", async () => {
  const page = await world.page("/materia");
  await make(page, "Utility", "Looker");
  await page.getByRole("textbox", { name: "Program" }).fill("sh");
  await page.getByRole("button", { name: "Argument" }).click();
  await page.getByRole("textbox", { name: "Argument 1" }).fill("good.sh");
  await page.getByLabel("Parameters (JSON)").fill('{"depth": }');
  await page.getByText("line 1, column 11").waitFor();
  await page.getByLabel("Parameters (JSON)").fill('{"depth": 2}');
  const tried = page.getByRole("region", { name: "Try it" });
  await tried.getByLabel("Request").fill("look here");
  await tried.getByLabel("State").fill('{"vcs": "git"}');
  await tried.getByLabel("Item").fill('{"title": "one"}');
  const run = tried.getByRole("button", { name: "Run" });
  await run.click();
  await tried.getByText("A cast would go on").waitFor();
  await tried.getByText("exit 0").waitFor();
  assert.match(
    await tried.locator("details", { hasText: "Result" }).innerText(),
    /all <b>good<\/b>/,
  );
  await tried.getByText("stderr").click();
  assert.match(await tried.locator("details", { hasText: "stderr" }).innerText(), /looked/);
  await tried.getByText("What it read").click();
  const seen = JSON.parse(world.read("seen.json"));
  assert.deepEqual([seen.request, seen.state.vcs, seen.params.depth], ["look here", "git", 2]);
  assert.equal((seen.item ?? seen.workItem)?.title, "one", JSON.stringify(seen));
  assert.deepEqual(await axe(page), []);
  await page.getByRole("textbox", { name: "Argument 1" }).fill("bad.sh");
  await page.waitForTimeout(300);
  await run.click();
  await tried.getByText("A cast would fail").waitFor();
  await tried.getByText("exit 3").first().waitFor();
  assert.match(await tried.innerText(), /it went wrong/);
  assert.match(await tried.locator("details", { hasText: "stdout" }).innerText(), /partly/);
  // One that hangs is ended with all that it started, and what it said until then is there.
  await page.getByRole("textbox", { name: "Argument 1" }).fill("hang.sh");
  await page.getByLabel("Takes at most (ms)").fill("900");
  await page.waitForTimeout(300);
  await run.click();
  await tried.getByText(/after 1 s it is ended/).waitFor();
  assert.equal(await tried.getByRole("button", { name: "Running…" }).isDisabled(), true);
  await tried.getByText("timed out").first().waitFor();
  assert.match(await tried.innerText(), /before/);
  assert.equal(alive(world.read("hung.pid").trim()), false, "what it started is gone, too");
  // A program that is not there.
  await page.getByRole("textbox", { name: "Program" }).fill("no-such-program-here");
  await page.waitForTimeout(300);
  await run.click();
  await tried
    .getByText(/no-such-program-here/)
    .last()
    .waitFor();
  await tried.locator(".issue.error").first().waitFor();
  await page.getByRole("textbox", { name: "Program" }).fill("sh");
  await page.getByRole("textbox", { name: "Argument 1" }).fill("good.sh");
  await save(page);
  assert.deepEqual(world.userConfig().materia.Looker, {
    type: "utility",
    command: ["sh", "good.sh"],
    parse: "json",
    params: { depth: 2 },
    timeoutMs: 900,
  });
  // Another way to run, and back: the text goes with it.
  await page.getByRole("combobox", { name: "It runs" }).selectOption("template");
  await page.getByRole("textbox", { name: "Command template" }).fill("sh good.sh");
  await page.waitForTimeout(300);
  await run.click();
  await tried.getByText("A cast would go on").waitFor();
  await menu(page, "Revert changes");
  assert.equal(await page.getByRole("textbox", { name: "Program" }).inputValue(), "sh");
  assert.deepEqual(page.problems, []);
});
