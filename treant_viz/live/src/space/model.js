// What a plane of two features shows at a budget: looked up in the facts, nothing worked out anew.

import { SLACK, lastAtMost } from "../facts.js";

export const planeOf = (facts, { x, y }) => facts.planes[`${x},${y}`];

/** The plane and the level of a budget; each row that sees it so, with its own way and its worst one. */
export function present(facts, now) {
  const plane = planeOf(facts, now), level = plane.levels[lastAtMost(plane.levels.map((l) => l.cost), now.budget * SLACK)];
  const way = (w) => ({ region: plane.ways.region[w], cost: plane.ways.cost[w], x: plane.ways.x[w], y: plane.ways.y[w], loss: plane.ways.loss[w] });
  const rows = plane.rows.at.map((at, i) => {
    const own = way(plane.own[i]), worst = way(level.worst[i]);
    return { i, at, x: plane.rows.x[i], y: plane.rows.y[i], label: facts.rows.y[at], own, worst, hurt: worst.loss > own.loss + 1e-9 };
  });
  const chosen = rows.find((row) => facts.rows.at[row.at] === now.row) ?? null;
  return { facts, plane, level, rows, chosen, budget: now.budget, costs: plane.levels.map((l) => l.cost), name: [plane.x, plane.y].map((f) => facts.features[f].name) };
}

/** Boxes that the budget makes of a row: a span in one feature and what the rest of the budget buys in the other. */
export function boxesOf({ plane, budget }, row) {
  const [across, up] = ["x", "y"].map((k, d) => plane.reach[d].levels[plane.reach[d].value.indexOf(row[k])]);
  const boxes = across.flatMap(([cost, spans]) => {
    const rest = up.filter(([c]) => cost + c <= budget * SLACK);
    return rest.length ? spans.flatMap((a) => rest[rest.length - 1][1].map((b) => [a, b])) : [];
  });
  const within = (a, b) => a.every((span, k) => b[k][0] <= span[0] && span[1] <= b[k][1]);
  return boxes.filter((a, i) => !boxes.some((b, j) => i !== j && within(a, b) && (j < i || !within(b, a))));
}

/** Rows that are drawn with what they can become: all if they are few; else some that lose most, none beside another. */
export function told(shown, few, apart) {
  const { rows, plane } = shown, points = new Map(rows.map((row) => [`${row.x} ${row.y} ${row.label}`, row]));
  if (points.size <= few) return [...points.values()];
  const out = [];
  for (const i of plane.order) {
    const row = rows[i];
    if (out.length < few / 2 && row.hurt && out.every((other) => Math.abs(apart(other) - apart(row)) >= 1)) out.push(row);
  }
  return out;
}
