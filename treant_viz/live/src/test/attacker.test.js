import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { budgetFault, faultsOf, numberIn } from "../attacker/check.js";
import { cardOf, coinLevels, domain, firstCard, gridOf, inFile, nextCost, ruleOf, shownStages, snapped, stops, within } from "../attacker/model.js";
import { change, ruleWords, title, where } from "../attacker/words.js";

const CASES = JSON.parse(readFileSync(new URL("../../../../tests/rule_cases.json", import.meta.url)));
const EMPTY = { feature: "p", kind: "number", cost: "1", low: "", high: "", least: "-1", most: "1", pre: null, becomes: null, rule: null };
const FEATURES = [{ key: "p", name: "p", short: "p", kind: "number", low: -7, high: 3 }, { key: "c", name: "c", short: "c", kind: "category", categories: [{ key: "a", short: "a", rows: 1 }, { key: "b", short: "b", rows: 4 }] }];

test("what is wrong is said in Python's words, all at once", () => {
  for (const { name, card, faults, rule } of CASES.cards) {
    const given = { ...EMPTY, ...card };
    assert.deepEqual(faultsOf(given), faults, name);
    assert.deepEqual(ruleOf(given), rule ?? null, name);
  }
  for (const [text, budget] of CASES.budgets) {
    assert.equal(budgetFault(text), budget === null ? `budget: expected a number of at least 0, or inf, got '${text.trim()}'` : null);
    if (budget !== null) assert.equal(numberIn(text), budget === "inf" ? Infinity : budget);
  }
});

test("a rule becomes a card and the same rule again", () => {
  for (const { card, rule } of CASES.cards.filter((c) => c.rule)) {
    const features = card.kind === "category" ? [{ key: "p", kind: "category", categories: [] }] : FEATURES;
    assert.deepEqual(ruleOf(cardOf(rule, features)), rule);
  }
});

test("a new rule is right from the start", () => {
  assert.deepEqual(firstCard(FEATURES[0], "2", 10).rule, { feature: "p", cost: 2, pre: ["-inf", "inf"], delta: [-0.5, 0.5] });
  assert.deepEqual(firstCard(FEATURES[1], "1", 0).rule, { feature: "c", cost: 1, pre: null, becomes: "b" });
});

test("the hand moves on a grid, and beyond its end there is no bound", () => {
  assert.deepEqual([10, 1, 2000, 0.03].map(gridOf), [0.05, 0.005, 10, 0.0002]);
  assert.equal(snapped(0.1234, 0.05), 0.1);
  assert.deepEqual(stops([0, 0.3], 0.1), [0, 0.1, 0.2, 0.3]);
  assert.equal(stops([0, 1], 0.5, -1)[0], -Infinity);
  assert.equal(stops([0, 1], 0.5, 1).at(-1), Infinity);
});

test("the line holds the data, the ends of rules, and a step of each", () => {
  const [a, b] = domain(FEATURES[0], [{ rule: { pre: [-20, "inf"], delta: [0, 9] } }], 1);
  assert.ok(a < -20 && a > -23 && b > 10 && b < 13);
});

test("a coin more or less changes the first digit", () => {
  assert.deepEqual([1, 9, 10, 20, 100, 0.5].map((c) => nextCost(c, 1)), [2, 10, 20, 30, 200, 0.6]);
  assert.deepEqual([2, 10, 20, 100, 1, 0.1].map((c) => nextCost(c, -1)), [1, 9, 10, 90, 0.9, 0.09]);
  assert.equal(nextCost(NaN, 1), 1);
});

test("coins are multiples of the cheapest rule, and the budget is always one", () => {
  assert.deepEqual(coinLevels([{ cost: 1 }], 1), [0, 1, 2, 3, 4]);
  assert.deepEqual(coinLevels([{ cost: 20 }, { cost: 30 }], 120), [0, 20, 40, 60, 80, 100, 120]);
  assert.deepEqual(coinLevels([{ cost: 2 }], 5), [0, 2, 4, 5, 6, 8]);
  assert.deepEqual(coinLevels([], 3), [0, 3]);
  assert.ok(coinLevels([{ cost: 1 }], 1e9).length < 20);
  assert.deepEqual(coinLevels([{ cost: 1 }], Infinity), [0, 1, 2, 3, 4]);
});

const REACH = { stages: [[0, [[1, 1]]], [1, [[0, 2]]], [2, [["-inf", 3], [5, 6]]]], whole: false, followed: 2 };

test("what a budget pays for", () => {
  assert.deepEqual(within(REACH, 1).stages.map((s) => s.cost), [0, 1]);
  assert.equal(within(REACH, 2).whole, true);
  assert.equal(within(REACH, 9).whole, false);
  assert.deepEqual(within(REACH, 0.999999999999).stages.length, 2); // three times a third is one
  assert.deepEqual(within(REACH, 2).stages[2].pieces[0], [-Infinity, 3]);
  assert.deepEqual(shownStages([0, 1, 2, 3, 4, 5, 6, 7]), [1, 2, 3, 4, 7]);
});

test("rules in words", () => {
  assert.equal(change([-1, 1]), "raise or lower by up to 1");
  assert.equal(change([2, 2]), "raise by 2");
  assert.deepEqual([["-inf", "inf"], [0, 11], [2, "inf"], ["-inf", 3]].map(where), ["anywhere", "from 0 to 11", "from 2 on", "up to 3"]);
  assert.equal(ruleWords({ pre: ["a", "b", "c"], becomes: "d" }), "a, b and 1 more → d");
  assert.equal(ruleWords({ pre: [0, 11], delta: [0, 0.5] }), "from 0 to 11, raise by up to 0.5");
  assert.equal(ruleWords(null), "not yet a rule");
});

test("the title says what is true, in each case", () => {
  const say = (more) => title({ who: "x2", feature: "p", rules: 1, at: 1, budget: 1, found: within(REACH, 1), ...more });
  assert.equal(say({}), "For 1, the attacker can move p = 1 to values from 0 to 2");
  assert.equal(say({ found: within(REACH, 2) }), "For 2, the attacker can move p = 1 to values from −∞ to 6, though not everything between");
  assert.equal(say({ found: within(REACH, 9) }), "For 2, the attacker can move p = 1 to values from −∞ to 6, though not everything between, and more for more");
  assert.equal(say({ found: within(REACH, 0), budget: 0 }), "With 0 to spend, the attacker cannot change p of x2: it stays 1");
  assert.equal(say({ rules: 0 }), "No rule changes p: the attacker can do nothing to it");
  assert.equal(say({ found: null }), "The rules have changed: what they make of p takes Python to say");
  const swap = { stages: [{ cost: 0, pieces: ["a"] }, { cost: 3, pieces: ["a", "b"] }], whole: true };
  assert.equal(say({ at: "a", found: swap }), "For 3, the attacker can change p of x2 from a to b");
});

test("a file with several faults is refused once, with all of them", () => {
  const doc = (rules, budget = 1) => JSON.stringify({ format: "treant_viz.attacker", version: 1, budget, rules });
  const good = { feature: "p", cost: 1, pre: ["-inf", "inf"], delta: [-1, 1] };
  assert.deepEqual(inFile(doc([good]), FEATURES).cards[0].rule, good);
  assert.throws(() => inFile(doc([{ ...good, cost: -1 }, { ...good, feature: "z" }, { feature: "c", cost: 1, delta: [0, 1] }], "x"), FEATURES),
    /4 faults: "budget".*; rule 0: cost: .*; rule 1: feature .*z.* is not in this page; rule 2: c holds categories/);
  assert.throws(() => inFile(doc([{ ...good, once: true }]), FEATURES), /rule 0: rules that may be used once/);
  assert.throws(() => inFile('{"format": "x"}', FEATURES), /treant_viz.attacker/);
});
