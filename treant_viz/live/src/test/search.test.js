import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, opened, pageOf, present, testAt } from "../search/model.js";
import { moral, nodeWords, subtitle, testOf, title } from "../search/words.js";

// the toy's p: rows at -7, -5, 1 and 3; whoever stands at 1 can be at 0 or at 2
const p = () => ({ feature: "p", kind: "number", order: [0, 1, 2], threshold: [-7, -5, 1], one_sided: [], left: [0, 1, 2], unknown: [1, 1, 1], right: [6, 5, 4],
  plain_y_l: [-2, -1.5, -1], plain_y_r: [1, 1.6, 2], plain_loss: [9, 4, 2], plain_loss_under_attack: [19, 10, 5], loss_under_attack: [17, 9, 3.7],
  between: { at: [null, -8, 2], loss: [17, 17, 2], attacked: [17, 17, 17] } });
const job = () => ({ feature: "job", kind: "category", order: [3, 4], threshold: ["clerk", "farmer"], one_sided: [1], left: [3, 0], unknown: [0, 0], right: [4, 7],
  plain_y_l: [1, 1], plain_y_r: [0, 1], plain_loss: [5, 1], plain_loss_under_attack: [5, 1], between: null });
const search = (more) => opened({ leaf_loss: 17, taken: true, reason: "split", standard: 2, robust: 2, tied: [], ends: [0, 19], lines: [p(), job()], ...more });
const about = (found, attacked = true) => ({ search: found, attacked, standard: testAt(found, found.standard), robust: found.robust < 0 ? null : testAt(found, found.robust) });

test("curves jump at what was tried and between", () => {
  const { curve } = search().lines[0];
  assert.deepEqual(curve.at, [-Infinity, -8, -7, -5, 1, 2]);
  assert.deepEqual(curve.loss, [17, 17, 9, 4, 2, 2]);
  assert.deepEqual(curve.attacked, [17, 17, 17, 9, 3.7, 17]);
});

test("a column that is left out is that of the standard stump; the best may be chosen", () => {
  const [line, other] = search().lines;
  assert.deepEqual([line.loss, line.y_l], [line.plain_loss, line.plain_y_l]);
  assert.deepEqual([line.best, other.best], [2, 0]);
});

test("a candidate is found by its place", () => {
  const facts = { searches: { "": search() } }, at = present(facts, { path: "", candidate: 4 });
  assert.deepEqual([at.l, at.i, at.line.feature], [1, 1, "job"]);
  assert.equal(testOf(testAt(facts.searches[""], 4)), "job = farmer");
  assert.equal(nearest([-7, -5, 1], -1.9), 2);
});

test("titles are true of the node", () => {
  assert.equal(title(about(search())), "p ≤ 1 is best with and without the attacker");
  assert.equal(title(about(search({ robust: 1, taken: false }))), "p ≤ 1 is best if nobody attacks, p ≤ −5 under attack, but the node stays a leaf");
  assert.equal(title(about(search({ robust: -1 }))), "No test leaves rows on both sides under attack; if nobody attacks p ≤ 1 is best");
  assert.equal(title(about(search(), false)), "The best of 5 tests is p ≤ 1");
  assert.equal(title(about(search({ tied: [3] }), false)), "2 of 5 tests share the least loss; the first is p ≤ 1");
});

test("what lies below the picture tells what it costs not to plan", () => {
  const words = moral(about(search({ tied: [3] }))).map((part) => (Array.isArray(part) ? part[1] : part)).join("");
  assert.equal(words, "Under attack, what is best if nobody attacks would lose 5 with its own leaves; what is best under attack loses 3.7. 1 other test is as good as it.");
  assert.deepEqual(moral(about(search(), false))[1], ["leaf_loss", 17]);
  assert.match(subtitle(true, "log-loss"), /^The log-loss of every test: thin/);
  assert.doesNotMatch(subtitle(false, "log-loss"), /heavy/);
  assert.equal(nodeWords({ path: "", rows: 7, differ: true }, true), "root · 7 rows · differ");
});

test("features come in pages", () => {
  const many = { lines: Array.from({ length: 11 }, (_, i) => i) };
  assert.deepEqual([pageOf(many, 7).first, pageOf(many, 8).shown, pageOf(many, 3).rest], [0, [8, 9, 10], 3]);
});
