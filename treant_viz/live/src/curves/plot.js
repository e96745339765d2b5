// The curves: names at the ends of lines, a band under the one in focus, and two lines to be dragged.

import { pointer } from "../selection.js";
import { scaleLinear } from "../scale.js";
import { leftAxis } from "../axis.js";
import { budgetLine } from "../budget_line.js";
import { shortened, value } from "../format.js";
import { round } from "../steps.js";
import { put } from "../svg.js";
import { at, mark } from "./marks.js";
import { band, nearest, points, spread } from "./model.js";

const path = (list) => list.map(([x, y], k) => `${k ? "L" : "M"}${round(x)},${round(y)}`).join("");

export function plot(group, { shown: first, ends, font, box, hand }) {
  const names = 0.58 * font * Math.max(...first.lines.map((l) => shortened(l.name, 14).length)) + 2.2 * font;
  const [x0, x1, y0, y1] = [box.x0 + 3.4 * font, box.x1 - names, box.y0 + 2.6 * font, box.y1 - 3.9 * font];
  const { budgets, trains } = first, last = budgets[budgets.length - 1], edge = 0.03 * (last - budgets[0] || 1), room = 0.06 * (ends[1] - ends[0] || 0.1);
  const x = scaleLinear([budgets[0] - edge, last + edge], [x0, x1]), y = scaleLinear([ends[0] - room, ends[1] + room], [y1, y0]);
  const to = (px) => nearest(budgets, x.invert(px)), end = x1 + 1.1 * font;
  leftAxis(group.append("g"), y, [x0, x1], font, 4.5);
  for (const b of apart(budgets, x, font)) put(group, "text", "tv-tick tv-soft", { x: x(b), y: y1 + 1.25 * font, "text-anchor": "middle" }).text(value(b));
  put(group, "text", "tv-axis-name", { x: end, y: y1 + 1.25 * font }).text(first.x);
  put(group, "text", "tv-axis-name", { x: box.x0, y: y0 - 0.9 * font }).text(first.measure);
  put(group, "rect", "tv-hit", { x: x0, width: x1 - x0, y: y0, height: y1 - y0 }).on("click", hand.take);
  group.on("pointerleave", () => hand.point(null)).on("pointermove", (event) => {
    const [px, py] = pointer(event, group.node());
    hand.point(px > x0 && px < x1 && py > y0 && py < y1 ? to(px) : null);
  });
  const guide = put(group, "line", "tv-guide", { y1: y0, y2: y1, visibility: "hidden" });
  const held = (control, words, stops, pill, dash) => budgetLine(group, { control, words, stops, pill, dash, y0, y1, font, box, x, set: (b) => hand.set({ [control]: b }) });
  const trained = held("train", "trained for", trains, y1 + 1.85 * font, "3 4");
  const curves = group.append("g"), attacked = held("budget", "attacked with", budgets, y0 - 2.2 * font);

  function line(l, strong) {
    const [color, shape, dash, width] = l.look, wide = (Math.max(width, strong ? 3 : 0) * font) / 16;
    const known = points(l.line, l.m).map(([b, v]) => [x(b), y(v)]), d = path(known);
    const one = put(curves, "g", "tv-method", { "data-method": l.name }).on("click", () => hand.focus(l.name))
      .on("pointerenter", () => hand.over(l.name)).on("pointerleave", () => hand.over(null));
    put(one, "path", "tv-reach", { d, "stroke-width": 1.1 * font });
    put(one, "path", "tv-security", { d, stroke: color, "stroke-width": wide, "stroke-dasharray": dash && dash.map((s) => round(s * wide)).join(" ") });
    for (const p of known) put(one, "path", "tv-point", { fill: color, d: mark(shape, 0.34 * font), transform: at(...p) });
    return [l, one, known[known.length - 1], strong];
  }

  return {
    light(name) {
      curves.selectAll(".tv-method").classed("tv-dim", function () { return name !== null && this.dataset.method !== name; });
    },
    point(budget) {
      guide.attr("visibility", budget === null ? "hidden" : null).attr("x1", x(budget ?? 0)).attr("x2", x(budget ?? 0));
    },
    update({ state, subject, shown, paper, trained: budget }) {
      curves.html(null);
      const known = state.bands && subject ? band(subject.line, subject.m) : [];
      const edge = [...known.map(([b, low]) => [x(b), y(low)]), ...known.reverse().map(([b, , high]) => [x(b), y(high)])];
      if (edge.length) put(curves, "path", "tv-band", { fill: subject.look[0], d: `${path(edge)}Z` });
      const drawn = [...shown.filter((l) => l !== subject), subject].filter(Boolean).map((l) => line(l, l === subject));
      const tops = spread(drawn.map(([, , p]) => p[1]), 1.35 * font, y0, y1);
      drawn.forEach(([l, one, p, strong], k) => {
        put(one, "path", "tv-leader", { stroke: l.look[0], d: path([p, [end - 0.3 * font, tops[k]], [end, tops[k]]]) });
        put(one, "text", strong ? "tv-strong" : "", { x: end + 0.25 * font, y: tops[k], dy: "0.35em" }).text(shortened(l.name, 14));
      });
      for (const [, model, , b, , value] of paper) {
        const look = shown.find((l) => l.place === model)?.look;
        if (look) put(curves, "path", "tv-printed", { stroke: look[0], d: mark(look[1], 0.62 * font), transform: at(x(b), y(value)) });
      }
      trained(budget);
      attacked(state.budget);
    },
  };
}

/** Budgets whose numbers have room, the last one always. */
function apart(budgets, x, font) {
  const kept = [];
  for (const b of budgets.slice().reverse()) if (!kept.length || x(kept[kept.length - 1]) - x(b) > 0.6 * font * (value(b).length + 2)) kept.push(b);
  return kept;
}
