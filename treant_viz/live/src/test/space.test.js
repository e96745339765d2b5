import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf, present, told } from "../space/model.js";
import { heard, slice, subtitle, title } from "../space/words.js";

/** Two rows of a stump p <= 1 (predicted -1 and 2); p moves by 1 for 1 coin, q by 3 for 2. */
const FACTS = {
  picture: "space", budget: 1, span: [-1, 2],
  features: [{ name: "p", attacked: true }, { name: "q", attacked: true }, { name: "r", attacked: false }],
  rows: { at: [0, 1, 2], name: ["x0", "x1", "x2"], y: [-1, 0, 2] },
  planes: {
    "0,1": {
      x: 0, y: 1, categories: [null, null], fixed: [[2, 5]],
      regions: { prediction: [-1, 2], x: [[null, 1], [1, null]], y: [[null, null], [null, null]] },
      rows: { at: [1, 2], x: [1, 3], y: [0, 0] },
      reach: [
        { value: [1, 3], levels: [[[0, [[1, 1]]], [1, [[0, 2]]], [2, [[-1, 3]]], [3, [[-2, 4]]]], [[0, [[3, 3]]], [1, [[2, 4]]], [2, [[1, 5]]], [3, [[0, 6]]]]] },
        { value: [0], levels: [[[0, [[0, 0]]], [2, [[0, 3]]]]] },
      ],
      ways: { row: [0, 0, 1, 1], region: [0, 1, 0, 1], cost: [0, 1, 2, 0], x: [1, 2, 1, 3], y: [0, 0, 0, 0], loss: [1, 4, 9, 0] },
      own: [0, 3], order: [1, 0], loss: 1,
      levels: [
        { cost: 0, worst: [0, 3], at_risk: 0, hit: 0, loss: 1 },
        { cost: 1, worst: [1, 3], at_risk: 1, hit: 1, loss: 4 },
        { cost: 2, worst: [1, 2], at_risk: 2, hit: 2, loss: 13 },
        { cost: 3, worst: [1, 2], at_risk: 2, hit: 2, loss: 13 },
      ],
    },
  },
};
const at = (budget, row = null, facts = FACTS) => present(facts, { x: 0, y: 1, budget, row });

test("a budget buys boxes, one for each way to divide it, and none within another", () => {
  assert.deepEqual(boxesOf(at(0), at(0).rows[0]), [[[1, 1], [0, 0]]]);
  assert.deepEqual(boxesOf(at(1), at(1).rows[0]), [[[0, 2], [0, 0]]]);
  assert.deepEqual(boxesOf(at(3), at(3).rows[0]), [[[0, 2], [0, 3]], [[-2, 4], [0, 0]]]);
});

test("rows know where they are, what their worst move is, and whether it hurts", () => {
  const [a, b] = at(1).rows;
  assert.deepEqual([a.hurt, a.worst.x, a.worst.cost, b.hurt], [true, 2, 1, false]);
  assert.equal(at(2, 2).chosen.at, 2);
  assert.equal(at(2, 0).chosen, null);
});

test("all rows are told of if they are few, else those that lose most, none beside another", () => {
  assert.equal(told(at(2), 10, () => 0).length, 2);
  assert.deepEqual(told(at(2), 1, (row) => row.x).map((row) => row.at), [2]);
});

test("titles are true", () => {
  assert.equal(title(at(0)), "No row can be pushed across a border here: none of 2 rows is at risk");
  assert.equal(title(at(1)), "1 of 2 rows can be pushed to a worse prediction: squared error 1 → 4");
  assert.equal(title({ ...at(2), level: { at_risk: 2, hit: 0 } }), "2 of 2 rows can be pushed across a border, but no push there costs anything");
  assert.equal(title({ ...at(2), rows: [] }), "No row sees the tree as it looks in this plane of p and q");
});

test("words name the budget, what stands still, who is not shown, and a row", () => {
  assert.ok(subtitle(at(1)).startsWith("The attacker may spend 1."));
  assert.equal(slice(at(1)), "A slice: r = 5 stands still. 1 row, for which the tree looks different here, is not shown.");
  assert.equal(heard(at(1, 1)), "x1, label 0, predicted −1, under attack 2");
  assert.equal(heard(at(1)), "no row");
});
