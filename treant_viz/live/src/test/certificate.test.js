import assert from "node:assert/strict";
import { test } from "node:test";
import { fateOf, present, valueAt } from "../certificate/model.js";
import { between, subtitle, title, verdict, word } from "../certificate/words.js";

// four rows: one falls at 20, one between 20 and 40, one never, one is wrong by itself
const facts = (change = {}) => ({
  n: 4, budget: 60, tolerance: 0, labelled: true, inexact: 0, classes: ["bad", "good"], levels: [0, 20, 40, 60],
  groups: [{ name: "all rows", n: 4, stake: 3, least: { at: [0, 20], value: [3, 1] }, most: { at: [0, 20, 40], value: [3, 2, 1] } }, { name: "label bad", n: 2, stake: 1, least: { at: [0], value: [1] }, most: { at: [0], value: [1] } }],
  features: [{ name: "p", paid: { at: [0, 20, 40], value: [0, 20, 60] }, uses: { at: [0, 20, 40], value: [0, 1, 2] } }],
  rows: { at: [7, 2, 5, 1], name: ["row 7", "b", "row 5", "row 1"], group: [0, 1, 0, 1], stake: "1110", safe_below: [20, 20, null, 20], changes_at: [20, 40, null, 20], second: "0110", moves: [[0], [0, 1], [], [0]], scores: [[0.25, 0.75], [0.5001, 0.6, 0.4], [0.9], [0.1, 0.6]] },
  moves: { feature: [0, 0], before: [1, "x"], after: [2, "y"], cost: [20, 20] }, ...change,
});
const at = (row, budget, change) => present(facts(change), { row, budget });

test("a step function has its value from its place on, sums of costs with a slack", () => {
  const step = { at: [0, 0.3], value: [5, 4] };
  assert.deepEqual([0, 0.29, 0.1 + 0.2, 0.3, 9].map((b) => valueAt(step, b)), [5, 5, 4, 4, 4]);
});

test("what a budget does to a row", () => {
  assert.deepEqual([0, 20, 40].map((b) => fateOf(facts(), 0, b)), ["safe", "falls", "falls"]);
  assert.deepEqual([0, 20, 40].map((b) => fateOf(facts(), 1, b)), ["safe", "unknown", "falls"]);
  assert.deepEqual([2, 3].map((r) => fateOf(facts(), r, 60)), ["safe", "wrong"]);
});

test("titles are true of what is safe, known or not", () => {
  assert.equal(title(at(7, 0)), "No attack for 0 changes any of the 3 right predictions");
  assert.equal(title(at(7, 20)), "For 20, the attacker changes 1 to 2 of the 3 right predictions: 1 to 2 are safe");
  assert.equal(title(at(7, 40)), "For 40, the attacker changes 2 of the 3 right predictions: 1 is safe");
  assert.equal(title(at(7, 40, { labelled: false, classes: [], tolerance: 0.5 })), "For 40, the attacker moves 2 of 3 predictions by more than 0.5: 1 is safe");
  assert.equal(title(at(7, 0, { labelled: false })), "No attack for 0 changes any of 3 predictions");
  const none = facts();
  none.groups[0] = { name: "all rows", n: 4, stake: 0, least: { at: [0], value: [0] }, most: { at: [0], value: [0] } };
  assert.equal(title(present(none, { row: 7, budget: 20 })), "The model gets none of 4 rows right: there is nothing to attack");
  assert.deepEqual([[2, 2], [0, 3], [1, 3]].map(between), ["2", "at most 3", "1 to 3"]);
});

test("the subtitle says that searches were stopped where they were", () => {
  assert.doesNotMatch(subtitle(at(7, 0)), /stopped/);
  assert.match(subtitle(at(7, 0, { inexact: 1 })), /stopped early: the band/);
  assert.match(subtitle(at(7, 0, { labelled: false })), /keep their prediction/);
});

test("the bill of a row", () => {
  const b = at(2, 20);
  assert.deepEqual(b.moves, [{ name: "p", before: 1, after: 2, cost: 20 }, { name: "p", before: "x", after: "y", cost: 20 }]);
  assert.deepEqual([word(b, false), word(b, true)], ["good, score 0.5001", "bad, score 0.4"]);
  assert.equal(word(at(7, 0, { classes: [] }), true), "0.75");
  assert.deepEqual(at(7, 20).payers, [{ name: "p", paid: 20, uses: 1 }]);
  assert.deepEqual([at(7, 0), at(7, 20), at(2, 20), at(1, 20), at(5, 60)].map(verdict), [
    "0 is not enough", "20 is enough", "not known: the search was stopped early", "wrong without an attack", "no attack for 60 changes it"]);
  assert.equal(verdict(at(5, 60, { budget: null, classes: [], tolerance: 0.5 })), "no attack moves it by more than 0.5");
});
