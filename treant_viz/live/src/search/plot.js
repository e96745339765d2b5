// One feature: both losses as steps (numbers) or dots (categories), the choices and ties marked. Small or large.

import { scaleLinear } from "../scale.js";
import { round, stepPath } from "../steps.js";
import { axisScale, uneven } from "../split/scale.js";
import { put } from "../svg.js";

/** Where thresholds stand: even, with the same room for each of some values, or category by category. */
export function across(line, x0, x1) {
  if (line.kind === "category") {
    const n = line.threshold.length;
    return scaleLinear([-0.5, n - 0.5], [x0, x1]);
  }
  const points = line.curve.at.filter(Number.isFinite), values = line.threshold.map((t) => points.indexOf(t));
  const table = { kind: "number", points, values, sizes: values.map(() => 1) };
  return axisScale(table, uneven(table) ? "even" : "linear", [x0, x1]);
}

/** Where a candidate stands on the axis: categories by their rank, the best first. */
export const placeOf = (line, i) => (line.kind === "category" ? ranks(line)[i] : line.threshold[i]);

export function ranks(line) {
  if (line.ranks) return line.ranks;
  const order = line.order.map((_, i) => i).sort((a, b) => (line.loss_under_attack[a] ?? Infinity) - (line.loss_under_attack[b] ?? Infinity));
  line.ranks = [];
  order.forEach((i, rank) => { line.ranks[i] = rank; });
  return line.ranks;
}

/** Draws the losses of a line into g; top is where what is infinite runs off. */
export function losses(g, line, x, y, { x0, x1, top, font, attacked, small = false }) {
  const height = (loss) => round(loss === null ? top : y(loss)), { at, loss } = line.curve;
  const kinds = attacked ? [["plain", loss], ["attacked", line.curve.attacked]] : [["plain", loss]];
  if (line.kind === "number") {
    const from = at.map((t) => (Number.isFinite(t) ? x(t) : x0));
    for (const [kind, heights] of kinds) put(g, "path", `tv-curve tv-${kind}`, { d: stepPath(from, heights.map(height), x1) });
    return;
  }
  const r = Math.min((small ? 0.2 : 0.36) * font, (0.3 * (x1 - x0)) / at.length), dots = g.append("g");
  at.forEach((_, i) => {
    const cx = round(x(placeOf(line, i)));
    if (attacked) put(dots, "line", "tv-stalk", { x1: cx, x2: cx, y1: height(loss[i]), y2: height(line.curve.attacked[i]) });
    put(dots, "circle", "tv-mark", { r, cx, cy: height(loss[i]) });
    if (attacked) put(dots, "circle", "tv-full", { r, cx, cy: height(line.curve.attacked[i]) });
  });
}

/** Marks the choices on a line, and what is tied with the robust one; returns [{role, i, cx, cy}] of those that are here. */
export function marks(g, search, l, x, y, { top, font, attacked, small = false }) {
  const line = search.lines[l], r = (small ? 0.34 : 0.5) * font, found = [];
  const height = (loss) => round(loss === null ? top : y(loss));
  const mark = (role, candidate, column, look, size) => {
    const at = candidate < 0 ? null : search.at.get(candidate);
    if (!at || at.l !== l) return;
    const cx = round(x(placeOf(line, at.i))), cy = height(line[column][at.i]);
    put(g, "circle", look, { r: size, cx, cy });
    found.push({ role, i: at.i, cx, cy });
  };
  if (attacked) for (const candidate of search.tied) mark("tie", candidate, "loss_under_attack", "tv-tie", 1.35 * r);
  mark(attacked ? "standard" : "best", search.standard, "plain_loss", "tv-mark tv-choice", r);
  if (attacked) mark("robust", search.robust, "loss_under_attack", "tv-full tv-choice", r);
  return found;
}
