import assert from "node:assert/strict";
import { test } from "node:test";
import { gathered } from "../surface/landscape.js";
import { keyOf, nearestStart, nextStart, present, stepped } from "../surface/model.js";
import { apart, bestPair, lesson, subtitle, title, verdict } from "../surface/words.js";

// two parts are allowed; from (-1, 2) SLSQP ends in the wrong one, from (1, 2) in the right one
const runs = () => ({
  start_l: [-1, 1, 1], start_r: [2, 2, -2], start_loss: [10, 2, 50], y_l: [-1.5, 1.5, 1.5], y_r: [2, 2, 2], loss: [14.5, 2.5, 2.5], difference: [12, 0, 0],
  stuck: [1, 0, 0], status: [0, 0, 1], walk: [[0, 500, 100, 500], [700, 500, 800, 500, 800, 500], [700, 0, 800, 500]], words: ["0: Optimization terminated successfully", "8: Positive directional derivative: why"],
});
const table = (change = {}) => ({ frame: [-4, 4], creases: [], allowed: [[[null, -1.5], [1.5, null]], [[null, null]]], optimum: [1.5, 2, 2.5], segment: null, plain: [1, 2, 2], runs: runs(), ...change });
const facts = (change) => ({
  features: ["p", "q"], range: [-4, 4, 0.1], nodes: { path: ["", "r"], rows: [7, 5], constraints: [0, 1], best: [0, 0] },
  tests: { r: { feature: [1], sign: ["≤"], threshold: [3] } }, tables: { "r:0:1": table(change) },
});
const at = (start_l, start_r, change) => {
  const now = { path: "r", test: 0, constrained: true, start_l, start_r };
  return [present(facts(change), now), now];
};

test("a surface without constraints is the same, bound or not", () => {
  const f = facts(), name = (path, constrained) => keyOf(f, { path, test: 0, constrained });
  assert.deepEqual([name("r", true), name("r", false), name("", true), name("", false)], ["r:0:1", "r:0:0", ":0:0", ":0:0"]);
  assert.equal(present(f, { path: "", test: 0, constrained: true }), null);
});

test("titles say where the run ended, and what it thinks of itself", () => {
  assert.equal(title(...at(-1, 2)), "From (−1, 2) SLSQP reports success at a loss of 14.5; the optimum is 2.5");
  assert.equal(title(...at(1, 2)), "From (1, 2) SLSQP finds the optimum (1.5, 2), a loss of 2.5");
  assert.equal(title(...at(1, -2)), "From (1, −2) SLSQP finds the optimum (1.5, 2), a loss of 2.5, but reports a failure");
  assert.equal(title(...at(0, 0)), "From (0, 0) SLSQP is at work");
  assert.equal(title(...at(1, 2, { optimum: null })), "At q ≤ 3 no pair of leaves satisfies all constraints");
  const gives_up = runs();
  gives_up.status[0] = 1;
  assert.equal(title(...at(-1, 2, { runs: gives_up })), "From (−1, 2) SLSQP gives up at a loss of 14.5; the optimum is 2.5");
});

test("where the optimum is a segment the title names no single pair", () => {
  const segment = [[1.5, 2, 2.5], [1.5, 3.2857, 2.5]], [shown, now] = at(1, 2, { segment });
  assert.equal(title(shown, now), "From (1, 2) SLSQP ends in one of many best pairs, with a loss of 2.5");
  assert.deepEqual(bestPair(shown.table), ["1.5", "2 to 3.29"]);
});

test("two losses are never written alike where one is a miss", () => {
  assert.deepEqual(apart(812.0004, 811.9996), ["812.0004", "811.9996"]);
  assert.deepEqual(apart(14.5, 2.5), ["14.5", "2.5"]);
});

test("a start that is stuck is explained by a gap only if the gap is in the way", () => {
  assert.match(lesson(at(-1, 2)[0]), /cuts the bowl in two.*the start decides/);
  assert.match(lesson(at(1, 2)[0]), /right side of the gap/);
  const short = runs();
  short.y_l[0] = 1.6;
  assert.match(lesson(at(-1, 2, { runs: short })[0]), /crease/);
  const free = { allowed: [[[null, null]], [[null, null]]] };
  assert.equal(lesson(at(1, 2, free)[0]), "A bowl with creases: 2 of 3 starts lead to its bottom.");
  assert.equal(lesson(at(1, 2, { ...free, runs: { ...runs(), stuck: [0, 0, 0] } })[0]), "One bowl: all 3 starts lead to its bottom.");
});

test("subtitles speak only of what is shown", () => {
  assert.match(subtitle(at(1, 2)[0]), /hatched.*×/);
  const plain = at(1, 2, { allowed: [[[null, null]], [[null, null]]], creases: [null], runs: { ...runs(), stuck: [0, 0, 0] } })[0];
  assert.match(subtitle(plain), /dashed: /);
  assert.doesNotMatch(subtitle(plain), /hatched|×/);
});

test("the solver's verdict is its own, colons and all", () => {
  assert.equal(verdict(at(1, 2)[0].run), "SLSQP makes 2 steps and reports a success (status 0: Optimization terminated successfully).");
  assert.equal(verdict(at(1, -2)[0].run), "SLSQP makes 1 step and reports a failure (status 8: Positive directional derivative: why).");
});

test("a start goes to the nearest that is known, or along an arrow to the next", () => {
  const t = table();
  assert.deepEqual(nearestStart(t, 0.8, -0.1), [1, -2]);
  assert.deepEqual(nextStart(t, 1, 2, 0, -1), [1, -2]);
  assert.deepEqual(nextStart(t, 1, 2, -1, 0), [-1, 2]);
  assert.deepEqual(nextStart(t, 1, 2, 1, 0), [1, 2]);
});

test("a number is never shown with the rounding of a computer's arithmetic", () => {
  assert.equal(String(stepped([-4, 4, 0.1], -0.8 + 0.1)), "-0.7");
  assert.equal(String(stepped([0, 1, 0.01], 0.07 * 3)), "0.21");
  assert.ok(Object.is(stepped([-4, 4, 0.1], -0.01), 0));
  assert.equal(stepped([-4, 4, 0.1], 99), 4);
  assert.equal(stepped([-4000, 4000, 100], 1234), 1200);
});

test("points of a walk that are close share a number, the start keeps its own", () => {
  assert.deepEqual(gathered([[0, 0], [1, 0], [2, 0], [50, 0], [51, 0]], 10).map((g) => [g.from, g.to]), [[0, 0], [1, 2], [3, 4]]);
});
