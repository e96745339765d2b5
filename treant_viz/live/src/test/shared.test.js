import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { lastAtMost } from "../facts.js";
import { distinct, nodeName, number } from "../format.js";
import { placeFor } from "../keyboard.js";
import { ribbon, stacked } from "../ribbons.js";
import { stepPath } from "../steps.js";
import { parts } from "../text.js";

test("numbers are written as Python writes them", () => {
  const cases = JSON.parse(readFileSync(new URL("../../../../tests/number_cases.json", import.meta.url)));
  for (const [x, digits, text] of cases) assert.equal(number(x, digits), text, `${x} with ${digits} digits`);
  assert.equal(number(null), "∞");
  assert.equal(number(-Infinity), "−∞");
});

test("nodes are called by the way to them, as in Python", () => {
  assert.deepEqual(["", "r", "lrl"].map(nodeName), ["the root", "the right child", "the node left, right, then left"]);
});

test("a step curve jumps where it jumps, and is flat in between", () => {
  assert.equal(stepPath([0, 10, 30], [5, 8, 2], 50), "M0,5H10V8H30V2H50");
});

test("a ribbon is as wide at its end as at its start", () => {
  const d = ribbon(0, 10, 100, 50, 7);
  assert.match(d, /^M0,10C50,10 50,50 100,50V57C50,57 50,17 0,17Z$/);
});

test("empty groups take no gap", () => {
  assert.deepEqual(stacked([2, 0, 3], 10, 5), [10, 17, 17]);
});

test("a place is the last one that is not above", () => {
  const at = [-Infinity, 1, 3];
  assert.deepEqual([0, 1, 2, 3, 9].map((x) => lastAtMost(at, x)), [0, 1, 1, 2, 2]);
  assert.equal(lastAtMost([1], 0), -1);
});

test("keys: one on or back, ten, and the ends; lists are read downwards", () => {
  assert.deepEqual(["ArrowRight", "ArrowLeft", "Home", "End", "PageUp", "x"].map((k) => placeFor(k, 2, 5)), [3, 1, 0, 4, 4, null]);
  assert.equal(placeFor("ArrowDown", 2, 5, { down: true }), 3);
  assert.equal(placeFor("Home", 0, 0), null);
});

test("markup becomes sub- and superscripts", () => {
  assert.deepEqual(parts("*L*^A is").map((p) => [p.text, p.shift, p.italic]), [["L", 0, true], ["A", -1, false], [" is", 0, false]]);
  assert.deepEqual(parts("*D*_{in} <b>").map((p) => p.text), ["D", "in", " <b>"]);
});

test("names that would look alike are told apart", () => {
  const given = ["Married-civ-spouse", "Married-AF-spouse", "Divorced", "Married-spouse-absent"];
  const made = distinct(given, 10);
  assert.equal(new Set(made).size, 4);
  assert.ok(made.every((name) => name.length <= 12), String(made));
  assert.equal(made[2], "Divorced");
  assert.ok(made[0].includes("civ") && made[1].includes("AF"));
  const long = Array.from({ length: 5 }, (_, k) => `${"x".repeat(60)}${k}${"y".repeat(60)}`);
  assert.equal(new Set(distinct(long, 9)).size, 5);
});
