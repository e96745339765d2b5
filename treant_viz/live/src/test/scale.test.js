import assert from "node:assert/strict";
import { test } from "node:test";

test("a linear scale goes there and back, also beyond its ends, upside down, and bent", async (t) => {
  const { scaleLinear } = await import("../scale.js").catch(() => ({}));
  if (!scaleLinear) return t.skip("d3-array is not installed");
  const down = scaleLinear([0, 10], [100, 0]), bent = scaleLinear([0, 1, 11], [0, 50, 100]);
  assert.deepEqual([down(0), down(5), down(15), down.invert(25)], [100, 50, -50, 7.5]);
  assert.deepEqual([bent(0.5), bent(1), bent(6), bent(21), bent.invert(75), bent.invert(-50)], [25, 50, 75, 150, 6, -1]);
  assert.equal(scaleLinear([2, 2], [0, 10])(2), 5);
  assert.deepEqual(scaleLinear().domain([0, 1]).range([0, 9]).domain(), [0, 1]);
  assert.deepEqual(bent.ticks(2), [0, 5, 10]);
});
