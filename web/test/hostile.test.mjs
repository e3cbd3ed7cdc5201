// Names and contents that want to run: everywhere they are shown as the text that they are, and nothing runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, World } from "./world.mjs";

const script = "<script>window.ran = 'script'</script>";
const image = "<img src=x onerror=\"window.ran = 'image'\">";
const name = `${image} & "quoted" ${script}`;
const markdown = [
  `# ${image}`,
  script,
  `[click](javascript:window.ran='link') [data](data:text/html,${script}) ` +
    `<a href="javascript:window.ran='a'" onclick="window.ran='b'">here</a>`,
  `| a | b |\n|---|---|\n| ${image} | \`${script}\` |`,
  `- [x] ${image}\n  - ${script}`,
  `\`\`\`html\n${script}\n\`\`\`\n`,
].join("\n\n");
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran='svg'">${script}</svg>`;
const evil = [
  `read input; dir=$(printf '%s' "$input" | sed 's/.*"runDir":"\\([^"]*\\)".*/\\1/')`,
  `cp evil.md evil.html evil.svg evil.json "$dir/"; cat evil.html >&2`,
  `echo '{"satisfied": true, "context": "done"}'`,
].join("; ");

let world;
let cast;
before(async () => {
  world = await World.open({
    "evil.sh": evil,
    "evil.md": markdown,
    "evil.html": `<!doctype html>${script}${image}`,
    "evil.svg": svg,
    "evil.json": JSON.stringify({ [script]: image }),
    "replies.json": {
      replies: [
        { text: markdown, times: 9, delayMs: 400, tools: [{ name: script, input: image }] },
      ],
    },
    ".pi/pi-materia.json": {
      materia: {
        Evil: {
          type: "utility",
          label: image,
          description: script,
          command: ["sh", "evil.sh"],
          parse: "json",
        },
        [`Role${script}`]: { type: "agent", label: script, prompt: image, tools: "none" },
      },
      loadouts: {
        [name]: {
          entry: "a",
          description: `</p>${script}`,
          sockets: {
            a: { materia: "Evil", edges: [{ to: "b" }] },
            b: { materia: `Role${script}` },
          },
        },
      },
    },
  });
  cast = JSON.parse(
    (await world.run("cast", name, "--loadout", name, "--agent-script", "replies.json", "--json"))
      .out,
  );
  await world.run("quest", "add", name, "--json");
  world.write(
    "talk.sh",
    [
      `printf '%s\\n' '${script}${image}'`,
      `${world.program} message coordinator question.ask '${script}' --summary '${script}' ` +
        `--metadata '{"requires_response":true}' >/dev/null`,
      "sleep 600",
    ].join("; "),
  );
  await world.run("spawn", "--template", "sh talk.sh", "--as", "run:loud", "--json");
  await world.run(
    "message",
    "room:loud",
    "actor.join",
    JSON.stringify({ display: image, role: script }),
    "--from",
    "branch:loud/helper",
    "--json",
  );
  await world.run(
    "message",
    "room:loud",
    "chat.message",
    script,
    "--summary",
    image,
    "--from",
    "branch:loud/helper",
    "--json",
  );
  await world.run(
    "tool",
    "register",
    "evil",
    "--description",
    `${image}${script}`,
    "--template",
    "echo hi",
    "--json",
  );
});
after(async () => {
  await world.run("message", "run:loud", "control.kill", "--json");
  await world.run("wait", "run:loud");
  await world.close();
});

test("what wants to run is text on every page, in every artifact, and at its own address", async () => {
  const page = await world.page("/casts");
  page.on("dialog", () => assert.fail("something ran"));
  const found = [];
  const look = async (where) => {
    found.push(
      ...(await page.evaluate(
        (at) => [
          ...(window.ran === undefined ? [] : [`${at}: ${window.ran} ran`]),
          ...[
            ...document.querySelectorAll(
              "#root :is(img:not([src='/icon.svg']), script, iframe, object, embed, [onerror], [onclick], [onload], " +
                "a[href^='javascript'], a[href^='data'])",
            ),
          ].map((one) => `${at}: ${one.outerHTML.slice(0, 80)}`),
        ],
        where,
      )),
    );
  };
  const visit = async (path, text, ...views) => {
    await page.goto(`http://127.0.0.1:${world.port}${path}`);
    await page.getByText(text).locator("visible=true").first().waitFor();
    await look(path);
    for (const view of views) {
      await page.getByRole("button", { name: view, exact: true }).click();
      await page.waitForTimeout(60);
      await look(`${path} ${view}`);
    }
  };
  assert.equal(cast.status, "complete", JSON.stringify(cast));
  await visit(`/casts/${cast.castId}`, "complete", "Steps", "Files");
  await page.evaluate(() =>
    document.querySelectorAll("aside details").forEach((one) => {
      one.open = true;
    }),
  );
  for (const file of [
    "evil.md",
    "evil.html",
    "evil.svg",
    "evil.json",
    "1.output.md",
    "1.activity.jsonl",
    "1.stderr.txt",
  ]) {
    await page.getByRole("button", { name: file, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("window.ran").first().waitFor();
    await look(file);
    if (file === "evil.md") {
      assert.equal(await dialog.getByRole("table").count(), 1, "the rest of it is Markdown");
      assert.equal(await dialog.locator("pre").innerText(), script);
      assert.deepEqual(await axe(page), []);
      await dialog.getByRole("button", { name: "As it is" }).click();
      assert.equal(await dialog.locator("pre").innerText(), `${markdown.trimEnd()}\n`);
    }
    await dialog.getByRole("button", { name: "Close" }).first().click();
  }
  await visit(`/loadouts/${encodeURIComponent(name)}`, "Ready to cast", "Outline", "JSON");
  await visit("/materia/Evil", "Try it");
  await visit(`/materia/${encodeURIComponent(`Role${script}`)}`, "What the agent is told");
  await visit("/quests", "window.ran");
  await visit("/inbox", "window.ran");
  await visit("/actors/loud", "window.ran", "Messages", "Room", "Processes", "About");
  await visit("/actors/@library", "window.ran");
  assert.deepEqual(found, []);
  assert.match(await page.title(), /materia$/);
  // Opened by itself, a file of a cast is data: never a page of this server.
  for (const file of ["evil.html", "evil.svg"]) {
    const answer = await page.goto(
      `http://127.0.0.1:${world.port}/api/casts/${cast.castId}/artifact?path=${file}`,
    );
    assert.match(answer.headers()["content-type"], /^application\/json/);
    assert.equal(answer.headers()["x-content-type-options"], "nosniff");
    assert.equal(await page.evaluate(() => window.ran), undefined);
  }
  assert.deepEqual(page.problems, []);
});
