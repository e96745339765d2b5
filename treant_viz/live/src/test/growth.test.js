import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, opened, placed, present, says, sorted, strangers, there, window_of } from "../growth/model.js";
import { spoken, subtitle, title } from "../growth/words.js";

// the root asks, then its left child, which has two leaves; row 1 of the right leaf was pushed to the left
const split = (feature) => ({ feature, sign: "≤", threshold: 1, left: 2, unknown: 1, right: 1, loss: 1, loss_under_attack: 2 });
const flow = (sure, unknown, pushed) => ({ sure, unknown, pushed, costs: pushed ? [1] : [], who: "" });
const facts = () => ({
  attacked: true, binary: false, sent_to: [2, 2, 3, 4], at_home: [2, 4, 3, 4],
  nodes: {
    path: ["", "l", "ll", "lr", "r"], born: [0, 0, 1, 1, 0], step: [0, 1, 2, 3, 4], rows: [4, 3, 2, 1, 1],
    waiting: [0, 1, 2, 3, 4], leaf: [0, 1, 2, 3, 4.5], waiting_loss: [9, 4, 1, 1, 0], leaf_loss: [9, 4, 1, 1, 0], feasible: [null, null, [[0, 2]], null, null],
    flow: [null, flow(2, 1, 1), flow(1, 1, 0), flow(1, 0, 0), flow(1, 0, 0)], split: [split("p"), split("q"), null, null, null],
  },
  steps: { node: [0, 1, 2, 3, 4], reason: ["split", "split", "too deep", "too deep", "no gain"], loss: [3, 2, 2, 2, 2], loss_under_attack: [9, 4, 2, 2, 2, 2.5], true: null },
  candidates: [null, null, null, null, null],
});

test("nodes are there from their parent's step on, and ask from their own", () => {
  const tree = opened(facts()), l = tree.at("l"), ll = tree.at("ll");
  assert.deepEqual([there(l, 0), asks(l, 0), asks(l, 1), there(ll, 0), there(ll, 1)], [true, false, true, false, true]);
  assert.deepEqual([says(tree.at("r"), 3), says(tree.at("r"), 4)], [4, 4.5]);
});

test("titles say what the loss does", () => {
  const f = facts(), tree = opened(f), at = (i) => title(present(f, tree, i), true);
  assert.equal(at(0), "The root asks p ≤ 1: the loss under attack falls from 9 to 4");
  assert.equal(at(2), "The node left, then left stays a leaf (too deep): the loss under attack stays 2");
  assert.equal(at(4), "The right child stays a leaf (no gain): the loss under attack rises from 2 to 2.5");
  assert.equal(title(present(f, tree, 0), false), "The root asks p ≤ 1: the loss falls from 9 to 4");
});

test("subtitles speak only of what is shown", () => {
  const f = facts(), tree = opened(f);
  assert.match(subtitle(f, tree, 0), /coin.*dashed/);
  assert.doesNotMatch(subtitle(f, tree, 0), /green|dark/);
  assert.match(subtitle(f, tree, 1), /green/);
  assert.doesNotMatch(subtitle(f, tree, 4), /dashed/);
  assert.equal(spoken(tree.at("r"), 4, 4.5), "The right child: a leaf of 1 row, says 4.5");
});

test("a window opens the way to the step first, and no more leaves than there is room for", () => {
  const tree = opened(facts());
  assert.deepEqual([...window_of(tree, "", tree.at("ll"), 9).open], [0, 1]);
  const part = window_of(tree, "", tree.at("ll"), 2);
  assert.deepEqual([[...part.open], part.leaves], [[0], 2]);
  assert.equal(window_of(tree, "l", tree.at("ll"), 9).top.path, "l");
  const spots = placed(window_of(tree, "", tree.at(""), 9));
  assert.deepEqual([2, 3, 4].map((i) => spots.get(i).x), [0.5, 1.5, 2.5]);
  assert.equal(spots.get(0).x, 1.75);
});

test("strangers are counted at the home that is drawn", () => {
  const f = facts(), tree = opened(f);
  assert.deepEqual([...strangers(f, tree, tree.at("l"), () => true)], [[4, 1]]);
  assert.deepEqual([...strangers(f, tree, tree.at("r"), () => true)], []);
});

test("candidates are sorted by any column, names after numbers, what is none last", () => {
  const c = { loss: [3, "none", 1, null], threshold: [2, "b", 1, "a"] };
  assert.deepEqual(sorted(c, "loss", true), [2, 0, 3, 1]);
  assert.deepEqual(sorted(c, "loss", false), [3, 0, 2, 1]);
  assert.deepEqual(sorted(c, "threshold", true), [2, 0, 3, 1]);
});
