// Large things are all there and can be used; how smooth they are is measured and told, never asserted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { measure } from "./frames.mjs";

test("500 sockets and 10,000 events", async (t) => {
  const measured = await measure();
  assert.ok(measured.sockets === 500 && measured.events >= 10_000, `${measured.events} events`);
  assert.deepEqual(measured.problems, []);
  t.diagnostic(
    "frame times, x an empty page (median, 95 %): " +
      `${measured.sockets} sockets ${measured.graph.join(", ")}; ` +
      `${measured.events} events ${measured.log.join(", ")}`,
  );
});
