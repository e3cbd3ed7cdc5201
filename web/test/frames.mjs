// How smooth large things are: the time between frames while the wheel turns, as a ratio to an empty page.
// `cargo run --release -p materia-bench page` prints it, and `frames.test.mjs` looks whether everything is there.
import { pathToFileURL } from "node:url";
import { World } from "./world.mjs";

const sockets = {};
for (let at = 1; at <= 500; at += 1)
  sockets[`Socket-${at}`] = {
    materia: "Detect-VCS",
    ...(at < 500 ? { edges: [{ when: "always", to: `Socket-${at + 1}` }] } : {}),
  };
const workItems = Array.from({ length: 1700 }, (_, at) => ({ title: `item ${at}`, context: "c" }));
const flow = {
  activeLoadout: "Many",
  materia: {
    List: { type: "utility", generator: true, parse: "json", command: ["cat", "items.json"] },
    Work: { type: "utility", parse: "json", command: ["echo", '{"satisfied": true}'] },
  },
  loadouts: {
    Many: {
      entry: "a",
      sockets: {
        a: { materia: "List", edges: [{ to: "b" }] },
        b: { materia: "Work", edges: [{ to: "b" }] },
      },
      loops: {
        l: {
          sockets: ["b"],
          consumes: { from: "a", output: "workItems" },
          exit: { from: "b", when: "satisfied", to: "end" },
        },
      },
    },
  },
};

/** The middle and the 95th percentile of frame times while the wheel turns. */
async function frames(page) {
  await page.mouse.move(760, 300);
  await page.evaluate(() => {
    window.times = [];
    let last = performance.now();
    const tick = (now) => {
      window.times.push(now - last);
      last = now;
      if (window.times.length < 90) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  for (let step = 0; step < 30; step += 1) {
    await page.mouse.wheel(0, step % 2 ? 40 : -30);
    await page.waitForTimeout(20);
  }
  await page.waitForFunction(() => window.times.length >= 90);
  const times = (await page.evaluate(() => window.times)).slice(5).sort((a, b) => a - b);
  return [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.95)]];
}

/** Opens an empty page, 500 sockets and more than 10,000 events, and measures each. */
export async function measure() {
  const world = await World.open({ "flow.json": flow, "items.json": { workItems } });
  try {
    const empty = await world.page("/quests");
    await empty.getByText("An empty board").waitFor();
    const floor = await frames(empty);
    await empty.evaluate(
      async (value) =>
        fetch("/api/config/save", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            target: "user",
            edits: [{ section: "loadouts", name: "Large", value, base: null }],
          }),
        }),
      { entry: "Socket-1", sockets },
    );
    await world.closePages();
    const large = await world.page("/loadouts/Large");
    await large.getByText("Ready to cast").waitFor();
    const graph = await frames(large);
    const cast = JSON.parse(
      (await world.run("cast", "many", "--config", "flow.json", "--json")).out,
    );
    const logged = world
      .read(`.pi/pi-materia/${cast.castId}/events.jsonl`)
      .trim()
      .split("\n").length;
    await world.closePages();
    const live = await world.page(`/casts/${cast.castId}`);
    await live.locator(".head .badge", { hasText: "complete" }).waitFor();
    const earlier = live.getByRole("button", { name: /\d+ earlier/ });
    await earlier.waitFor();
    await live.waitForFunction(
      (least) =>
        Number(
          /\d+/.exec(
            [...document.querySelectorAll("button")].find((one) =>
              / earlier$/.test(one.textContent ?? ""),
            )?.textContent ?? "0",
          ),
        ) > least,
      4000,
    );
    const told = await frames(live);
    const ratio = (one) => one.map((value, at) => Number((value / floor[at]).toFixed(2)));
    return {
      floorMs: floor.map((value) => Number(value.toFixed(1))),
      sockets: Object.keys(sockets).length,
      graph: ratio(graph),
      events: logged,
      log: ratio(told),
      problems: [...large.problems, ...live.problems],
    };
  } finally {
    await world.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { floorMs, sockets: count, graph, events, log } = await measure();
  console.log(`frame times on the page: an empty page ${floorMs.join(" / ")} ms (median / 95 %)`);
  console.log("| what | x median | x 95 % |\n|---|---|---|");
  console.log(
    `| a loadout of ${count} sockets | ${graph.join(" | ")} |\n| a cast with ${events} events | ${log.join(" | ")} |`,
  );
}
