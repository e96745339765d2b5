// L and L^A over the threshold: two step functions on the axis of the rows, with their jumps where they are.

import { scaleLinear } from "../scale.js";
import { leftAxis } from "../axis.js";
import { stepPath } from "../steps.js";
import { mathText } from "../text.js";

export function curves(group, { labels, x, box, font }) {
  const y = scaleLinear([0, 1], [box.y1, box.y0]), axis = group.append("g");
  const plain = group.append("path").attr("class", "tv-curve tv-plain");
  const attacked = group.append("path").attr("class", "tv-curve tv-attacked");
  const low = labels.append("text").attr("class", "tv-soft tv-halo tv-small");
  const high = labels.append("text").attr("class", "tv-strong tv-halo tv-small tv-attack-ink");
  const marks = [plain, attacked].map((_, k) => group.append("circle").attr("class", k ? "tv-mark tv-strong" : "tv-mark").attr("r", (k ? 0.42 : 0.34) * font));
  const height = (loss) => (loss === null ? box.y0 : y(loss));
  let drawn = null;

  function redraw(level, plan, domain) {
    const from = level.thresholds.map((t) => Math.min(box.x1, Math.max(box.x0, x(t))));
    from[0] = box.x0;
    y.domain(domain);
    leftAxis(axis, y, [box.x0, box.x1], font);
    plain.attr("d", stepPath(from, plan.loss.map(height), box.x1));
    attacked.attr("d", stepPath(from, plan.loss_under_attack.map(height), box.x1));
    label(from, plan);
  }

  /** Direct labels, each where it has most room; one for both curves where they are the same everywhere. */
  function label(from, plan) {
    const half = 6.4 * font, places = Array.from({ length: 9 }, (_, k) => box.x0 + half + (k * (box.x1 - box.x0 - 2 * half)) / 8);
    const spot = (losses, place) => losses.filter((_, i) => (from[i + 1] ?? box.x1) >= place - half && from[i] <= place + half).map(height);
    const apart = plan.loss.some((l, i) => height(l) - height(plan.loss_under_attack[i]) > 1);
    const found = places.map((x) => ({ x, top: Math.min(...spot(plan.loss_under_attack, x)), bottom: Math.max(...spot(plan.loss, x)) }));
    const enough = 1.9 * font, best = (score) => found.reduce((a, b) => (score(b) > score(a) ? b : a));
    const gap = (p) => Math.min(p.bottom - p.top, font);
    const above = best((p) => 3 * Math.min(p.top - box.y0, enough) + gap(p));
    const under = best((p) => 3 * Math.min(box.y1 - p.bottom, enough) + gap(p) - (p === above ? font : 0));
    mathText(high.attr("x", above.x).attr("y", above.top - 0.55 * font).attr("text-anchor", "middle"), apart ? "loss under attack, *L*^A" : "loss, attacked or not");
    low.attr("visibility", apart ? "visible" : "hidden");
    mathText(low.attr("x", under.x).attr("y", under.bottom + 1.3 * font).attr("text-anchor", "middle"), "loss if nobody attacks, *L*");
  }

  return function update({ level, plan, shown }, at, domain) {
    if (drawn !== plan) redraw(level, plan, domain);
    drawn = plan;
    marks[0].attr("cx", at).attr("cy", height(shown.loss));
    marks[1].attr("cx", at).attr("cy", height(shown.loss_under_attack));
  };
}
