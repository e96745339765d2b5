import assert from "node:assert/strict";
import { test } from "node:test";
import { crossing, nearest, placeOf, present, sides } from "../split/model.js";
import { axisScale, ends, uneven } from "../split/scale.js";
import { title } from "../split/words.js";

// three rows at -5, 1, 3; a rule of cost 1 moves by -1 to 1
const plan = { y_l: [0, 0, 0], y_r: [0, 0, 0], loss: [1, 1, 1], loss_under_attack: [2, null, 2], left_left: [0, 0, 0], left_right: [0, 1, 0], right_left: [0, 0, 0], right_right: [0, 0, 1] };
const cases = [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]];
const still = { cost: 0, low: [1, 4, 6], high: [1, 4, 6], at: [-1, 1, 4], left: [0, 1, 2], unknown: [0, 0, 0], right: [3, 2, 1], standard: plan, robust: plan, cases };
const moved = { cost: 1, low: [0, 3, 5], high: [2, 5, 7], at: [-1, 4, 5], left: [0, 1, 1], unknown: [0, 1, 2], right: [3, 1, 0], standard: plan, robust: plan, cases };
const facts = () => ({
  y: [0, 0, 1],
  features: [{ name: "p", attacked: true }],
  tables: { 0: { kind: "number", points: [-6, -5, -4, 0, 1, 2, 3, 4], values: [1, 4, 6], codes: [0, 1, 2], levels: [still, moved] } },
});

test("the level is the last one that the budget affords, but for rounding", () => {
  const at = (budget) => present(facts(), { feature: "0", threshold: 1, budget, plan: "robust" }).level.cost;
  assert.deepEqual([0, 0.99, 1 - 1e-10, 1, 7].map(at), [0, 0, 1, 1, 1]);
});

test("only bars that cross the line are the attacker's", () => {
  const { table, level, i, shown } = present(facts(), { feature: "0", threshold: 1.5, budget: 1, plan: "standard" });
  assert.deepEqual(sides(table, level, i), [0, 1, 2]);
  assert.deepEqual([shown.left, shown.unknown, shown.right, shown.loss_under_attack], [1, 1, 1, null]);
  assert.deepEqual([0, 1, 2].map((c) => crossing(table, 0, level.at[i], c)), [null, 1, null]);
});

test("dragging stops where something changes", () => {
  const { table, level } = present(facts(), { feature: "0", threshold: 1, budget: 1, plan: "robust" });
  assert.deepEqual([-99, 1.4, 1.6, 99].map((x) => nearest(level, x)), [1, 1, 2, 2]);
  assert.equal(placeOf(table, level, -99), 0);
});

test("titles are true of their pictures", () => {
  const words = (threshold, budget, who = []) => title({ ...present(facts(), { feature: "0", threshold, budget, plan: "robust" }), who });
  assert.equal(words(1, 0), "With this budget nothing moves: the attacker decides for nobody");
  assert.equal(words(1, 1, ["x1"]), "The attacker decides for x1 alone");
  assert.equal(words(2, 1), "The attacker decides for 2 of 3 rows");
  assert.equal(words(-9, 1), "No bar crosses the line: the attacker decides for nobody");
});

test("where values crowd at one end, each gets the same room", () => {
  const values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100000];
  const table = { kind: "number", points: [-1, ...values, 100001], values: values.map((_, k) => k + 1), sizes: values.map(() => 1) };
  assert.ok(uneven(table));
  const x = axisScale(table, "even", [0, 110]);
  assert.deepEqual(ends(x), ends(axisScale(table, "linear", [0, 110])));
  const gaps = values.slice(1).map((v, k) => x(v) - x(values[k]));
  assert.ok(gaps.every((gap) => Math.abs(gap - 10) < 1e-9), String(gaps));
  assert.deepEqual(values.map((v) => Math.round(x.invert(x(v)))), values);
  assert.ok(!uneven({ ...table, points: [-1, ...values.map((_, k) => k), 11] }));
  assert.ok(!uneven({ ...table, kind: "category" }));
});
