import assert from "node:assert/strict";
import { test } from "node:test";
import { mark } from "../curves/marks.js";
import { band, opened, points, present, settled, spread, valueAt } from "../curves/model.js";
import { subtitle, title } from "../curves/words.js";

// two models trained for 10 or 20 and one that was not, on two data sets of other budgets
const line = (dataset, model, train, value, low = null) => {
  const k = value.findIndex((v) => v !== null), last = value[value.length - 1], known = value.filter((v) => v !== null);
  const ends = low === null ? value.map(() => null) : value.map((v) => v - low);
  return { reading: 0, dataset, model, train, budgets: dataset ? [0, 5] : [0, 10, 20], value: [value], low: [ends], high: [ends.map((e, i) => (e === null ? null : value[i] + low))],
    span: [Math.max(...known) - Math.min(...known)], fall: [value[k] - last] };
};
const facts = () => opened({
  x: "test budget", readings: ["as run"], datasets: ["big", "small"], measures: [{ key: "auc", name: "AUC" }], trained: [null, null],
  models: ["ours", "theirs", "plain"].map((name) => ({ name, look: ["#000000", "o", null, 2] })),
  lines: [line(0, 0, 10, [0.8, 0.8, 0.78], 0.01), line(0, 0, 20, [0.8, 0.8, 0.8], 0.01), line(0, 1, 10, [0.9, 0.7, 0.5]), line(0, 1, 20, [0.9, 0.8, 0.6]),
    line(0, 2, 0, [0.9, 0.2, 0.4]), line(1, 0, 5, [0.7, 0.7]), line(1, 2, 0, [0.7, 0.69])],
  paper: [[0, 1, 20, 20, 0, 0.61], [0, 1, 10, 10, 0, 0.7]], scales: [[0.2, 0.9]],
  prices: [{ reading: 0, dataset: 0, model: 0, little: [0.02], much: [0] }, { reading: 0, dataset: 0, model: 1, little: [0.1], much: [0.2] }],
});
const state = (change = {}) => ({ reading: "as run", dataset: "big", measure: "auc", train: 20, budget: 20, methods: ["ours", "theirs", "plain"], focus: null, bands: true, view: "curves", ...change });
const said = (change) => title(present(facts(), state(change)));

test("titles say how far the model in focus moves, or else the steadiest", () => {
  assert.equal(said({}), "ours does not move at all as the test budget grows, while plain falls by 0.5");
  assert.equal(said({ train: 10 }), "ours hardly moves as the test budget grows, while plain falls by 0.5");
  assert.equal(said({ train: 10, methods: ["ours", "theirs"] }), "ours hardly moves as the test budget grows, while theirs falls by 0.4");
  assert.equal(said({ methods: ["ours"] }), "ours does not move at all as the test budget grows");
  assert.equal(said({ focus: "theirs" }), "theirs falls by 0.3 as the test budget grows");
  assert.equal(said({ focus: "plain" }), "plain moves by 0.7 as the test budget grows"); // it falls by less than it moves
  assert.equal(said({ focus: "theirs", methods: ["ours"] }), "ours does not move at all as the test budget grows");
  assert.equal(said({ dataset: "small", train: 5, focus: "plain" }), "plain hardly moves as the test budget grows");
});

test("titles of a map say what a wrong guess costs", () => {
  assert.equal(said({ view: "heat map", focus: "ours" }), "ours: to expect too little costs up to 0.02 of AUC, too much nothing");
  assert.equal(said({ view: "heat map", focus: "theirs" }), "theirs: to expect too much costs up to 0.2 of AUC, too little at most 0.1");
  assert.equal(said({ view: "heat map", focus: "plain" }), "plain: trained for one budget, AUC from 0.9 to 0.2");
  const free = facts();
  free.prices[0].little = [-0.01];
  assert.equal(title(present(free, state({ view: "heat map", focus: "ours" }))), "ours: to expect the wrong budget costs no AUC anywhere");
});

test("subtitles speak only of what is drawn", () => {
  const of = (change) => subtitle(present(facts(), state(change)));
  assert.equal(of({}), "Drag either line: trained for, attacked with; band: interval of ours; hollow: as the paper prints it.");
  assert.doesNotMatch(of({ bands: false }), /band/);
  assert.doesNotMatch(of({ focus: "theirs" }), /band/); // none is known
  assert.doesNotMatch(of({ methods: ["ours"] }), /hollow/);
});

test("a model that knows no attacker has one line, others that of the budget they were trained for", () => {
  const shown = present(facts(), state({ train: 10 }));
  assert.deepEqual(shown.lines.map((l) => l.line.train), [10, 10, 0]);
  assert.deepEqual(shown.paper, [[0, 1, 10, 10, 0, 0.7]]);
  assert.deepEqual([valueAt(shown.lines[1].line, 10, 0), valueAt(shown.lines[1].line, 11, 0)], [0.7, null]);
});

test("another data set has other budgets", () => {
  assert.deepEqual(settled(facts(), state({ dataset: "small" })), state({ dataset: "small", train: 5, budget: 5 }));
  assert.deepEqual(settled(facts(), state({ train: 10, budget: 0 })), state({ train: 10, budget: 0 }));
});

test("gaps are left out of lines and bands", () => {
  const l = { budgets: [0, 1, 2], value: [[0.5, null, 0.4]], low: [[0.4, null, null]], high: [[0.6, null, 0.5]] };
  assert.deepEqual([points(l, 0), band(l, 0)], [[[0, 0.5], [2, 0.4]], [[0, 0.4, 0.6]]]);
});

test("names keep their order and their distance, inside the picture", () => {
  assert.deepEqual(spread([0.5, 0.5, 0.9], 0.1, 0, 1).map((v) => Math.round(1e9 * v) / 1e9), [0.45, 0.55, 0.9]);
  const places = spread([5, 4, 4.5, 0, 0.2], 1, 0, 5), order = [3, 4, 1, 2, 0].map((i) => places[i]);
  order.slice(1).forEach((v, i) => assert.ok(v - order[i] >= 0.999));
  assert.ok(order[0] >= 0);
});

test("every mark of the table of methods has a shape of its own", () => {
  const shapes = [..."os^DvPXh<>"].map((shape) => mark(shape, 5));
  assert.equal(new Set(shapes).size, 10);
  assert.ok(shapes.every((d) => /^M[-\d.,A L]+Z$/.test(d)));
});
