import assert from "node:assert/strict";
import { test } from "node:test";
import { passes, present, worst, worstLoss } from "../attack/model.js";
import { subtitle, title } from "../attack/words.js";
import { found } from "../finder.js";

// the paper's stump p <= 1: x2 (p = 1) crosses for 1 coin, x3 (p = 3) goes back for 2; then one more split, q <= 3
const stump = () => ({
  heading: "before", tests: { path: [""], feature: [0], threshold: [1] }, leaves: { path: ["l", "r"], prediction: [-1.5, 1.6], rows: [1, 1] },
  losses: [[2.25, 2.56], [12.25, 0.16]], costs: [0, 1, 2], loss: 2.41, loss_under_attack: [2.41, 2.72, null], home: [0, 1], own: ["8", "0"],
  leaf: [[0, 1], [0, 1]], cost: [[0, 1], [2, 0]], attack: [[[], [0]], [[1], []]], stops: [[[], []], [[1], []]],
});
const facts = (change = {}) => ({
  loss: "squared error", n: 2, budget: 1, labels: { y: [0, 2], name: ["0", "2"] }, rows: { at: [2, 3], name: ["x2", "x3"], label: [0, 1] },
  features: [{ name: "p", categories: null, values: [1, 3] }], moves: { feature: [0, 0, 0], before: [1, 3, 2], after: [2, 2, 1], cost: [1, 1, 1] },
  chains: [[0], [1, 2]], trees: [stump()], invariance: null, ...change,
});
const at = (state, change) => present(facts(change), { row: 2, budget: 1, leaf: "worst", step: -1, ...state });

test("an attack is there when the budget affords it, but for rounding", () => {
  const reach = (budget) => at({ budget }).near.map((a) => a.path);
  assert.deepEqual([0, 0.99, 1 - 1e-10, 7].map(reach), [["l"], ["l"], ["l", "r"], ["l", "r"]]);
});

test("moves are made one by one, and each is paid", () => {
  const seen = (step) => (({ at, spent, left }) => [at, spent, left])(present(facts(), { row: 3, budget: 3, leaf: "worst", step }));
  assert.deepEqual([0, 1, 2, -1].map(seen), [[1, 0, 3], [1, 1, 2], [0, 2, 1], [0, 2, 1]]);
});

test("of the worst leaves the cheapest is attacked; what is infinite hurts most", () => {
  const a = (leaf, place, loss, open = true) => ({ leaf, place, loss, open });
  assert.deepEqual(worst([a(0, 0, 1), a(1, 2, 5), a(2, 1, 5 + 1e-12), a(3, 0, 9, false)]).map((x) => x.leaf), [2, 1]);
  assert.deepEqual(worst([a(0, 0, 1), a(1, 2, null)]).map((x) => x.leaf), [1]);
  assert.deepEqual([0, 1].map((level) => worstLoss(facts(), stump(), 0, level)), [2.25, 2.56]);
});

test("an edge is bought where the row would go the other way by itself", () => {
  const shown = at({});
  assert.equal(passes(shown.tree, 0, ""), true);
  assert.deepEqual(shown.edges.map((e) => [e.path, e.chain.map((m) => m.after)]), [["r", [2]]]);
  assert.deepEqual(at({ leaf: "l" }).edges, []);
});

test("titles are true of their pictures", () => {
  const words = (state, change) => title(at(state, change));
  assert.equal(words({}), "For 1, the attacker pushes x2 across p ≤ 1: its loss grows from 2.25 to 2.56");
  const hurt = { trees: [{ ...stump(), loss_under_attack: [2.5, 2.72, null] }] };
  assert.equal(words({ budget: 0.5 }, hurt), "With 0.5 to spend, the attacker cannot move x2 to another leaf: its loss stays 2.25");
  assert.equal(words({ budget: 0.5 }), "No row loses more to a budget of 0.5: x2 keeps its loss of 2.25");
  const named = { ...hurt, rows: { at: [2, 3], name: ["row 17", "x3"], label: [0, 1] } };
  assert.equal(words({ budget: 0.5 }, named), "With 0.5 to spend, the attacker cannot move row 17 to another leaf: its loss stays 2.25");
  assert.equal(words({ leaf: "l" }), "In its own leaf x2 loses 2.25; in another leaf in reach it would lose 2.56");
  assert.equal(words({ step: 0 }), "Without an attack, x2 ends in the leaf that predicts −1.5: loss 2.25");
  assert.equal(words({ step: 1 }), "Move 1 of 1: p 1 → 2, cost 1; loss 2.56, 0 left");
  const other = (losses) => ({ trees: [{ ...stump(), losses }] });
  assert.equal(words({}, other([[3, 2], [1, 1]])), "The attacker leaves x2 alone: its own leaf is the worst in reach, loss 3, elsewhere at most 2");
  assert.equal(words({}, other([[2, 2], [1, 1]])), "Moving x2 gains the attacker nothing: its leaf is as bad as any in reach, loss 2");
  assert.equal(words({}, other([[2, null], [1, 1]])), "For 1, the attacker pushes x2 across p ≤ 1: its loss grows from 2 to ∞");
  const two = { trees: [stump(), stump()], invariance: { path: "r", costs: [0, 1, 2], verdict: ["skb", "sss"] } };
  assert.equal(words({ budget: 0 }, two), "The new split is of no concern to the attack on x2: its worst leaf is another one");
  assert.equal(words({ budget: 1 }, two), "Attack invariance holds for x2: one of the two new leaves is its worst");
  assert.equal(words({ budget: 2 }, two), "The new split breaks attack invariance for x2: its worst leaf is now another one");
  assert.equal(words({ budget: 1, tree: 0 }, two), "For 1, the attacker pushes x2 across p ≤ 1: its loss grows from 2.25 to 2.56");
  assert.match(subtitle(at({})), /2 of 2 leaves in reach/);
});

test("rows are found by name and by number", () => {
  assert.deepEqual(["x3", "3", "X2", "1", "none", ""].map((text) => found(facts(), text)), [3, 3, 2, 1, null, null]);
});
