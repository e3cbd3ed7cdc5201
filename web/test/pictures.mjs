// Makes the pictures of every page for the documents.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { World, replies } from "./world.mjs";

const out = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
mkdirSync(out, { recursive: true });
const slow = { replies: replies.replies.map((one, at) => ({ ...one, delayMs: at < 4 ? 0 : 60_000 })) };
const talk = { replies: [{ match: { materia: "Interactive-Plan" }, text: "I would do it in **two steps**:\n\n1. Add `greeting.txt`\n2. Name it in the README\n\nShall I go on?" }] };
const world = await World.open({ "replies.json": replies, "slow.json": slow, "talk.json": talk });
try {
  const run = (...words) => world.run(...words);
  await run("cast", "Greet the visitors of this project by name", "--agent-script", "replies.json", "--json");
  await run("cast", "Plan the next release with me", "--loadout", "Planning-Consult", "--agent-script", "talk.json", "--json");
  for (const request of ["Move the parser into its own crate", "Write the guide for new contributors", "Find out why start-up got slower"]) await run("quest", "add", request, "--json");
  await run("spawn", "--template", "echo 412 files checked", "--as", "run:check", "--json");
  const live = JSON.parse((await run("cast", "Add a dark theme to the report", "--agent-script", "slow.json", "--detach", "--json")).out);
  const shots = [
    ["loadouts", "/loadouts/Full-Auto", "Ready to cast", "light"],
    ["materia", "/materia/Auto-Eval", "What the agent is told", "light"],
    ["cast", `/casts/${live.castId}`, "1 of 2", "dark"],
    ["quests", "/quests", "Write the guide", "light"],
    ["actors", "/actors/check", "412 files", "light"],
    ["inbox", "/inbox", "waits for your answer", "light"],
  ];
  for (const [name, path, text, scheme] of shots) {
    const page = await world.page(path, { scheme, viewport: { width: 1360, height: 860 } });
    await page.getByText(text).first().waitFor();
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(out, `${name}.png`) });
    await page.context().close();
  }
  await run("abort", live.castId, "--json");
} finally {
  await world.close();
}
