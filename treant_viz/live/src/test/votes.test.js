import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, playedOn, present } from "../votes/model.js";
import { moveIn } from "../attack/words.js";
import { subtitle, title } from "../votes/words.js";

// three trees on row 4: nothing for 0, one coin turns tree 2, three coins turn tree 1 as well and tree 2 back again
const detail = (change = {}) => ({
  row: 4, limits: [0, 1], score_limits: [0, 1], own: [0, 1, 0],
  states: { score: [0.2, 0.4, 0.6], mean: [0.2, 0.4, 0.6], loss: [0.1, 0.3, null], second: [0, 0, 1], trees: [[], [2], [1]], values: [[], [2], [2]] },
  attacks: { cost: [0, 1, 3], exact: [true, true, true], moves: [[], [0], [0, 1]], states: [[0], [0, 1], [0, 1, 2]] }, ...change,
});
const facts = (change = {}) => ({
  loss: "log-loss", n: 9, budget: 3, trees: 3, averaged: true, sides: { threshold: 0.5, names: ["no", "yes"] }, second: "001",
  labels: { y: [0, 1], name: ["no", "yes"] }, rows: { at: [2, 4], name: ["a", "b"], label: [0, 0], before: [0, 0.2], after: [0, 0.6] },
  features: ["p"], moves: { feature: [0, 0], before: [1, 2], after: [2, 4], cost: [1, 2] }, values: [0.1, 0.4, 0.9], details: [detail()], ...change,
});
const at = (state, change) => present(facts(change), { row: 4, budget: 3, move: -1, ...state });

test("a budget buys the dearest attack that it affords, but for rounding", () => {
  assert.deepEqual([0, 0.99, 1 - 1e-10, 2.9, 3, 99].map((budget) => at({ budget }).level), [0, 0, 1, 1, 2, 2]);
  assert.equal(playedOn(facts(), 2), undefined);
});

test("trees say what the state has, and turn when they change sides", () => {
  const seen = (move) => (({ now, turned, moved, ones, spent, left }) => [now, turned, moved, ones, spent, left])(at({ move }));
  assert.deepEqual(seen(0), [[0.1, 0.4, 0.1], [], [], [0, 1, 1], 0, 3]);
  assert.deepEqual(seen(1), [[0.1, 0.4, 0.9], [2], [2], [0, 1, 1], 1, 2]);
  assert.deepEqual(seen(2), [[0.1, 0.9, 0.1], [1], [1], [0, 1, 1], 3, 0]);
  assert.deepEqual(at({}).turns, [[], [2], [1, 2]]);
  assert.deepEqual(at({}).turned, seen(2)[1]);
});

test("lanes are in the order of what trees say by themselves, then of what the dearest attack makes of it", () => {
  assert.deepEqual(at({ budget: 0 }).order, [0, 2, 1]);
  const other = { ...detail().states, trees: [[], [2], [0]] };
  assert.deepEqual(at({ budget: 0 }, { details: [detail({ states: other })] }).order, [2, 0, 1]);
});

test("words on a line give way to each other and to the ends", () => {
  assert.deepEqual(apart([10, 12], [20, 20], [0, 100]), [10, 30]);
  assert.deepEqual(apart([95, 50], [20, 20], [0, 100]), [90, 50]);
  assert.deepEqual(apart([95, 96], [20, 20], [0, 100]), [70, 90]);
});

test("titles are true of their pictures", () => {
  const words = (state, change) => title(at(state, change)), states = detail().states;
  const second = (list, more = {}) => ({ details: [detail({ states: { ...states, second: list } })], ...more });
  assert.equal(words({}), "1 of 3 trees changes sides, and with it the prediction: score 0.2 → 0.6");
  assert.equal(words({ budget: 1 }), "1 of 3 trees changes sides, but the prediction stays no: score 0.2 → 0.4");
  assert.equal(words({ budget: 0 }), "No attack for 0 hurts b: the score stays 0.2");
  assert.equal(words({ move: 0 }), "Without an attack, b has the score 0.2: 0 of 3 trees say yes");
  assert.equal(words({ move: 2 }), "Move 2 of 2: p 2 → 4, cost 2, 2 trees change sides, score 0.4 → 0.6");
  assert.equal(words({}, second([1, 1, 1])), "1 of 3 trees changes sides; the prediction was wrong already: score 0.2 → 0.6");
  assert.equal(words({}, { second: "000" }), "No tree changes sides, and yet the prediction does: score 0.2 → 0.6");
  assert.equal(words({}, second([0, 0, 0], { second: "000" })), "No tree changes sides, but the prediction stays no: score 0.2 → 0.6");
  assert.equal(words({}, { second: "011" }), "No tree changes sides, and yet the prediction does: score 0.2 → 0.6");
  const wide = { ...states, trees: [[], [2], [1, 2]], values: [[], [2], [2, 2]] };
  assert.equal(words({}, { details: [detail({ states: wide })] }), "2 of 3 trees change sides, and with them the prediction: score 0.2 → 0.6");
  const unsure = detail({ attacks: { ...detail().attacks, exact: [false, true, true] } });
  assert.equal(words({ budget: 0 }, { details: [unsure] }), "No attack for 0 was found that hurts b: the score stays 0.2");
  assert.match(subtitle(at({ budget: 0 }, { details: [unsure] })), /stopped early/);
});

test("a move that turns nothing says so, and a name gives way to its numbers", () => {
  const still = { ...detail().states, trees: [[], [], []], values: [[], [], []] };
  assert.equal(title(at({ move: 1 }, { details: [detail({ states: still })] })), "Move 1 of 2: p 1 → 2, cost 1, no tree changes sides, score 0.2 → 0.4");
  assert.equal(moveIn({ name: "capital_gain", before: 1055, after: 3055 }, 20), "cap…in 1,055 → 3,055");
  assert.equal(moveIn({ name: "job", before: 1055, after: 3055 }, 8), "job 1,055 → 3,055");
});

test("a regression has no sides: its trees move", () => {
  const change = { sides: null, second: "" };
  assert.equal(title(at({}, change)), "The attack moves 1 of 3 trees: prediction 0.2 → 0.6");
  assert.equal(title(at({ move: 0 }, change)), "Without an attack, b has the prediction 0.2");
  assert.equal(title(at({ move: 1 }, change)), "Move 1 of 2: p 1 → 2, cost 1, prediction 0.2 → 0.4");
  assert.deepEqual(at({}, change).turned, []);
  assert.doesNotMatch(subtitle(at({}, change)), /diamond/);
});
