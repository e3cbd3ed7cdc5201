// How smooth large things are: the time between frames while something moves, as a ratio to an empty page.
import { World } from "./world.mjs";

const sockets = {};
for (let at = 1; at <= 500; at += 1) sockets[`Socket-${at}`] = { materia: "Detect-VCS", ...(at < 500 ? { edges: [{ when: "always", to: `Socket-${at + 1}` }] } : {}) };
const workItems = Array.from({ length: 1700 }, (_, at) => ({ title: `item ${at}`, context: "c" }));
const flow = {
  activeLoadout: "Many",
  materia: { List: { type: "utility", generator: true, parse: "json", command: ["echo", JSON.stringify({ workItems })] }, Work: { type: "utility", parse: "json", command: ["echo", "{\"satisfied\": true}"] } },
  loadouts: { Many: { entry: "a", sockets: { a: { materia: "List", edges: [{ to: "b" }] }, b: { materia: "Work", edges: [{ to: "b" }] } }, loops: { l: { sockets: ["b"], consumes: { from: "a", output: "workItems" }, exit: { from: "b", when: "satisfied", to: "end" } } } } },
};
const world = await World.open({ "flow.json": flow });

/** The middle and the 95th percentile of frame times while the wheel turns. */
async function frames(page) {
  await page.mouse.move(760, 480);
  await page.evaluate(() => { window.times = []; let last = performance.now(); const tick = (now) => { window.times.push(now - last); last = now; if (window.times.length < 120) requestAnimationFrame(tick); }; requestAnimationFrame(tick); });
  for (let step = 0; step < 40; step += 1) { await page.mouse.wheel(0, step % 2 ? 40 : -30); await page.waitForTimeout(20); }
  await page.waitForFunction(() => window.times.length >= 120);
  const times = (await page.evaluate(() => window.times)).slice(5).sort((a, b) => a - b);
  return [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.95)]];
}

try {
  const empty = await world.page("/quests");
  await empty.waitForTimeout(500);
  const floor = await frames(empty);
  await empty.evaluate(async (value) => fetch("/api/config/save", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ target: "user", edits: [{ section: "loadouts", name: "Large", value, base: null }] }) }), { entry: "Socket-1", sockets });
  const large = await world.page("/loadouts/Large");
  await large.getByText("Ready to cast").waitFor();
  const graph = await frames(large);
  const cast = JSON.parse((await world.run("cast", "many", "--config", "flow.json", "--json")).out);
  const count = world.read(`.pi/pi-materia/${cast.castId}/events.jsonl`).split("\n").length;
  await world.closePages();
  const live = await world.page(`/casts/${cast.castId}`);
  await live.locator(".head .badge", { hasText: "complete" }).waitFor();
  await live.waitForTimeout(1500);
  const told = await frames(live);
  const ratio = (one) => one.map((value, at) => (value / floor[at]).toFixed(2));
  console.log(JSON.stringify({ floorMs: floor.map((value) => Number(value.toFixed(1))), sockets500: ratio(graph), events: count, eventsRatio: ratio(told) }));
} finally {
  await world.close();
}
