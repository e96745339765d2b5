import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleLinear, ticks } from "../scale.js";

test("positions and values go into each other, also beyond the ends", () => {
  const x = scaleLinear([10, 20], [100, 0]);
  assert.deepEqual([10, 12.5, 20, 30].map(x), [100, 75, 0, -100]);
  assert.deepEqual([100, 75, 0, -100].map(x.invert), [10, 12.5, 20, 30]);
  assert.deepEqual(scaleLinear([0, 100]).range([0, 1]).ticks(5), [0, 20, 40, 60, 80, 100]);
});

test("pieces have slopes of their own", () => {
  const x = scaleLinear([0, 1, 100], [0, 10, 20]);
  assert.deepEqual([0.5, 1, 50.5].map(x), [5, 10, 15]);
  assert.deepEqual([5, 10, 15].map(x.invert), [0.5, 1, 50.5]);
  assert.deepEqual(x.domain([0, 2]).domain(), [0, 2]);
});

test("a domain without room has its middle", () => assert.equal(scaleLinear([3, 3], [0, 8])(3), 4));

test("ticks are round numbers, without the dust of sums", () => {
  assert.deepEqual(ticks(0, 0.7, 7), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  assert.deepEqual(ticks(3, -3, 3), [2, 0, -2]);
  assert.deepEqual(ticks(12, 480, 5), [100, 200, 300, 400]);
  assert.deepEqual(ticks(7, 7, 4), [7]);
});
