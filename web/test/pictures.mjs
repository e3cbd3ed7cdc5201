// Makes the pictures of every page for the documents.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { replies, World } from "./world.mjs";

const out = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
mkdirSync(out, { recursive: true });
const tools = [
  { name: "read", input: "src/report/theme.rs" },
  { name: "edit", input: "src/report/theme.rs: 14 lines" },
  { name: "bash", input: "cargo test report" },
];
const slow = {
  replies: replies.replies.map((one, at) => ({
    ...one,
    ...(at < 4 ? {} : { delayMs: 60_000 }),
    ...(at === 4
      ? {
          delayMs: 30_000,
          tools,
          text: [
            "The report follows the system now. `theme.rs` knows **both palettes**, and `report.css` asks for them:",
            "- dark is the new one\n- light is as it was",
            "The tests of the report pass.",
          ].join("\n\n"),
        }
      : {}),
  })),
};
const talk = {
  replies: [
    {
      match: { materia: "Interactive-Plan" },
      text: "I would do it in **two steps**:\n\n1. Add `greeting.txt`\n2. Name it in the README\n\nShall I go on?",
    },
  ],
};
const world = await World.open({ "replies.json": replies, "slow.json": slow, "talk.json": talk });
try {
  const run = (...words) => world.run(...words);
  await run(
    "cast",
    "Greet the visitors of this project by name",
    "--agent-script",
    "replies.json",
    "--json",
  );
  await run(
    "cast",
    "Plan the next release with me",
    "--loadout",
    "Planning-Consult",
    "--agent-script",
    "talk.json",
    "--json",
  );
  for (const request of [
    "Move the parser into its own crate",
    "Write the guide for new contributors",
    "Find out why start-up got slower",
  ])
    await run("quest", "add", request, "--json");
  world.write(
    "check.sh",
    [
      'for i in $(seq 400 412); do echo "$i files checked"; done',
      'echo "warning: 3 files cannot be read" >&2',
      `${world.program} message coordinator question.ask "Shall I delete the old cache as well?" ` +
        `--summary "Shall I delete the old cache as well?" --metadata '{"requires_response":true}' >/dev/null`,
      "sleep 600",
    ].join("; "),
  );
  await run("spawn", "--template", "sh check.sh", "--as", "run:check", "--json");
  await run(
    "tool",
    "register",
    "find-in-code",
    "--description",
    "Finds text in the project",
    "--template",
    "rg --json {pattern} {path=.}",
    "--json",
  );
  const live = JSON.parse(
    (
      await run(
        "cast",
        "Add a dark theme to the report",
        "--agent-script",
        "slow.json",
        "--detach",
        "--json",
      )
    ).out,
  );
  const shots = [
    // First what does not wait.
    ["cast", `/casts/${live.castId}`, "1 of 2", "dark"],
    ["loadouts", "/loadouts/Full-Auto", "Ready to cast", "light"],
    ["materia", "/materia/Auto-Eval", "What the agent is told", "light"],
    ["quests", "/quests", "Write the guide", "light"],
    ["actors", "/actors/check", "412 files", "light"],
    ["tools", "/actors/@library", "find-in-code", "light"],
    ["inbox", "/inbox", "waits for your answer", "light"],
  ];
  for (const [name, path, text, scheme] of shots) {
    const page = await world.page(path, { scheme, viewport: { width: 1360, height: 860 } });
    await page.getByText(text).first().waitFor();
    await page.waitForTimeout(name === "cast" ? 14_000 : 700);
    await page.screenshot({ path: join(out, `${name}.png`) });
    await page.context().close();
  }
  await run("abort", live.castId, "--json");
  await run("message", "run:check", "control.kill", "--json");
  await run("wait", "run:check");
} finally {
  await world.close();
}
