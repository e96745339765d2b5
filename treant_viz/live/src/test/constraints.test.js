import assert from "node:assert/strict";
import { test } from "node:test";
import { bound, density, heldBy, leafAt, learn, lossAt, lossesOf, next, ofRow, pointAt, predictionAt, present, settle, stateOf, treeOf, within } from "../constraints/model.js";
import { allowedIn, apart, condition, leafName, purpose, subtitle, title, whose } from "../constraints/words.js";

// p ≤ 1 at the root, q ≤ 3 on its right; x2 holds l and rl, x5 (made twice) holds rl
const gap = [[-3, -1.5], [1.5, 3]], free = [[-3, 3]];
const split = (feature, threshold) => ({ feature, sign: "≤", threshold, left: 1, unknown: 1, right: 1 });
const facts = () => ({
  loss: "squared error", ends: [-3, 3], rows: 7, complete: false,
  nodes: {
    path: ["", "l", "r", "rl", "rr"], split: [split("p", 1), null, split("q", 3), null, null], rows: [7, 2, 5, 2, 3],
    leaf: [0, -1.5, 1.6, 1.5, 2], waiting: [0, -1.5, 1.6, 1.5, 2], leaf_loss: [9, 0.5, 3.2, 2.5, 0], waiting_loss: [9, 0.5, 3.2, 2.5, 0], mean: [0, -1.5, 1.6, 1, 2],
    born: [0, 0, 0, 1, 1], step: [0, 1, 2, 3, 4], feasible: [null, null, null, null, null],
  },
  held: [[], [[0, "≤", 2.25, 0, [[-1.5, 1.5]]]], [[0, "≥", 2.25, 1, gap]], [[0, "≥", 2.25, 1, gap], [1, "≤", 9, 0, free], [2, "≤", 9, 0, free]], []],
  curves: [[], [4, 2, 0.5], [8, 4, 6], [20, 6, 4], [1, null, 0]],
  made: { row: [2, 5, 5], name: ["x2", "x5", "x5"], y: [0, 2, 2], said: ["(ŷ−0)²", "(ŷ−2)²", "(ŷ−2)²"], origin: ["", "", "r"] },
  trials: { "|r|rl": [9, 4, 5], "0|r|rl": [9, 4, null] },
  states: [
    { off: [], leaves: { l: [[[-1.5, 1.5]], -1.5, 0.5, -1.5], r: [gap, 1.6, 3.2, 1.6], rl: [gap, 1.5, 2.5, 1], rr: [free, 2, 0, 2], "whole rr": [free, 2.5, 0.75, 2] }, trees: { "": [3.7, 3.7], r: [3, 3], whole: [2.5, 2.5] } },
    { off: [0], leaves: { l: [free, -1.5, 0.5, -1.5], r: [free, 1.6, 3.2, 1.6], rl: [free, 1, 2, 1] }, trees: { "": [3.7, 3.7], r: [2.5, 3.75] } },
  ],
});
const at = (f, now, tried = null) => {
  const tree = treeOf(f, now.path), all = { off: [], row: null, ...now };
  settle(f, tree, all, tried);
  return present(f, tree, all, tried);
};

test("the tree of a split has the splits on the way to it, and what waits behind them", () => {
  const f = facts(), shape = (path) => treeOf(f, path).nodes.map((n) => [n.path, Boolean(n.split), n.step]);
  assert.deepEqual(shape(""), [["", true, 0], ["l", false, 0], ["r", false, 1]]);
  assert.deepEqual(shape("r"), shape(null));
  assert.equal(shape("r").length, 5);
});

test("a state says what it touches, all else is as without it; others are unknown until learned", () => {
  const f = facts();
  assert.equal(leafAt(f, "r", "rl", [0]).prediction, 1);
  assert.equal(leafAt(f, "r", "rr", [0]).prediction, 2);
  assert.equal(leafAt(f, null, "rr", []).prediction, 2.5); // the grown tree decided anew
  assert.deepEqual(lossesOf(f, null, [0]), { counted: 2.5, attacked: 2.5 });
  assert.equal(stateOf(f, [2, 1]), undefined);
  learn(f, [{ off: [1, 2], leaves: {}, trees: {} }]);
  assert.deepEqual(stateOf(f, [2, 1]).off, [1, 2]);
  assert.deepEqual(ofRow(f, 5), [1, 2]);
});

test("what the hand tries changes the leaf, the sum of the leaves, and what the attacker can cause", () => {
  const f = facts(), shown = at(f, { path: "r", leaf: "rl" }, { i: 2, p: 3, loss: 4 });
  assert.deepEqual([shown.node.leaf, shown.node.leaf_loss], [3, 4]);
  assert.deepEqual([shown.losses, shown.before], [{ counted: 0.5 + 4 + 0, attacked: 5 }, { counted: 3, attacked: 3 }]);
  assert.equal(at(f, { path: "", leaf: "l" }, { i: 2, p: 3, loss: 4 }).losses.attacked, undefined); // has to be asked for
  assert.deepEqual(at(f, { path: "r", leaf: "rl", off: [0] }, { i: 2, p: 3, loss: null }).losses, { counted: null, attacked: null });
  assert.equal(at(f, { path: "r", leaf: "rl" }).node.leaf, 1.5);
});

test("leaves of a tree take what is so in the state", () => {
  const f = facts(), tree = treeOf(f, "r");
  settle(f, tree, { path: "r", off: [0] });
  assert.deepEqual([tree.at("rl").leaf, tree.at("rl").leaf_loss, tree.at("rl").feasible, tree.at("rr").feasible], [1, 2, free, null]);
});

test("what binds comes next; without any, what holds", () => {
  const f = facts();
  stateOf(f, []);
  assert.deepEqual([bound(f), next(f, "l"), next(f, "rl")], [["rl"], "rl", null]);
  f.states[0].leaves.rl[3] = 1.5;
  assert.deepEqual([bound(f), next(f, "rl"), next(f, "rr")], [[], "l", "l"]);
});

test("the band counts who allows what", () => {
  assert.deepEqual(density(heldBy(facts(), "rl"), [-3, 3]), [[-3, -1.5, 3], [-1.5, 1.5, 2], [1.5, 3, 3]]);
  assert.deepEqual([within(gap, 1.5), within(gap, 1.4)], [true, false]);
});

test("the curve is read between its points", () => {
  const ends = [-3, 3];
  assert.deepEqual([lossAt([20, 6, 4], ends, 0), lossAt([20, 6, 4], ends, 1.5), pointAt([20, 6, 4], ends, 1.4), predictionAt([20, 6, 4], ends, 2)], [6, 5, 1, 3]);
  assert.equal(lossAt([null, 6, 4], ends, -2), 6);
});

test("titles are true of each state", () => {
  const f = facts(), said = (now, tried) => title(at(f, now, tried), f.made);
  assert.equal(said({ path: "r", leaf: "rl" }), "1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed");
  assert.equal(said({ path: "r", leaf: "l" }), "1 constraint on the leaf p ≤ 1, none in its way: −1.5 is allowed");
  assert.equal(said({ path: "r", leaf: "rr" }), "No constraint reaches the leaf p > 1, q > 3: it may say what it likes, 2");
  assert.equal(said({ path: "r", leaf: "rl", off: [0] }), "Without the constraint of x2 the leaf p > 1, q ≤ 3 slides from 1.5 to 1, and the attacker causes 3.75, not 3");
  assert.equal(said({ path: "", leaf: "l", off: [0] }), "Without the constraint of x2 the leaf p ≤ 1 stays at −1.5, and the attacker still causes 3.7");
  assert.equal(said({ path: "r", leaf: "rl" }, { p: 0, loss: 6 }), "0 is forbidden in the leaf p > 1, q ≤ 3: 1 constraint stands in the way");
  assert.equal(said({ path: "r", leaf: "rl" }, { p: 3, loss: 4 }), "3 is allowed in the leaf p > 1, q ≤ 3, and would cost 4; 1.5 costs 2.5");
  f.states[0].leaves.rl = [gap, -1.5, 14.5, 1];
  assert.equal(said({ path: "r", leaf: "rl" }), "1 is forbidden in the leaf p > 1, q ≤ 3: it says −1.5");
  f.states[0].leaves.rl = [gap, 2, 4, 1.7];
  assert.equal(said({ path: "r", leaf: "rl" }), "3 constraints on the leaf p > 1, q ≤ 3, none in its way: 1.7 is allowed, the split chose 2");
  f.states[0].leaves.rl = [[], null, null, 1];
  assert.equal(said({ path: "r", leaf: "rl" }), "Nothing may be said in the leaf p > 1, q ≤ 3: its constraints contradict each other");
  f.states[1].trees.r = [2.5, "unknown"];
  assert.equal(said({ path: "r", leaf: "rl", off: [0] }), "Without the constraint of x2 the leaf p > 1, q ≤ 3 can say 1");
  f.made = { row: [], name: [], y: [], said: [], origin: [] };
  f.held = f.held.map(() => []);
  assert.equal(said({ path: "r", leaf: "rr" }), "No constraint is in the way: the attacker has no choice anywhere in this tree");
});

test("who is off is said in few words", () => {
  const made = { row: [2, 5, 5, 7, 8], name: ["x2", "x5", "x5", "x7", "x8"] };
  assert.equal(whose([1, 2], made), "the constraints of x5");
  assert.equal(whose([0, 1], made), "the constraints of x2 and x5");
  assert.equal(whose([0, 1, 3], made), "the constraints of x2 and 2 more rows");
  assert.equal(whose([0, 1, 2, 3, 4], made), "any constraint");
});

test("subtitles speak of what is there, and point elsewhere where nothing is", () => {
  const f = facts();
  assert.match(subtitle(at(f, { path: "r", leaf: "rl" }), null), /hollow.*\.$/);
  assert.doesNotMatch(subtitle(at(f, { path: "r", leaf: "rl", off: [0] }), null), /hollow|dashed/);
  assert.match(subtitle(at(f, { path: "", leaf: "l" }), null), /dashed/);
  assert.match(subtitle(at(f, { path: "r", leaf: "rr" }), "the leaf p > 1, q ≤ 3"), /See the leaf p > 1, q ≤ 3\.$/);
});

test("words for leaves, purposes and intervals", () => {
  const tree = treeOf(facts(), "r"), [lower, upper] = [{ name: "x2", sense: "≥", origin: "" }, { name: "x2", sense: "≤", origin: "r" }];
  assert.deepEqual([condition(tree.at("rr")), leafName(tree.at("l")), leafName({ parent: null })], ["q > 3", "the leaf p ≤ 1", "the only leaf"]);
  assert.match(purpose(lower), /^at the root the attacker sends x2 this way/);
  assert.match(purpose(upper), /^at the right child the attacker sends x2 the other way/);
  assert.equal(allowedIn(gap, [-3, 3]), "at most −1.5 or at least 1.5");
  assert.equal(allowedIn([[0.5, 0.5], [1, 2]], [-3, 3]), "exactly 0.5 or 1 to 2");
  assert.deepEqual([allowedIn(free, [-3, 3]), allowedIn([], [-3, 3])], ["anything", "nothing"]);
  assert.deepEqual(apart(541.43, 541.44), ["541.43", "541.44"]);
});
