// A feature that holds categories: a bar each, what the budget can make of it, and what it costs to ask for it.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { distinct, number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { MARKS, SIDES, domainOf } from "./model.js";
import { testOf } from "./words.js";

export function categories(group, { table, name, font, box, fills, onRow, set }) {
  const k = table.points.length, top = 2.6 * font, step = Math.min(2.1 * font, (box.y1 - top - 1.6 * font) / k);
  const small = Math.min(font, 0.92 * step);
  const bars = { x0: box.x0 + 11.5 * font, x1: box.x0 + 0.56 * (box.x1 - box.x0) }, dots = { x0: box.x0 + 0.72 * (box.x1 - box.x0), x1: box.x1 - font };
  const count = scaleLinear([0, Math.max(...table.sizes)], [bars.x0, bars.x1]);
  const loss = scaleLinear([0, 1], [dots.x0, dots.x1]);
  group.append("text").attr("class", "tv-soft tv-small").attr("x", bars.x0).attr("y", top - 0.8 * font).text("rows");
  mathText(group.append("text").attr("class", "tv-soft tv-small").attr("x", dots.x0).attr("y", top - 0.8 * font), "loss if asked for: *L*, *L*^A");

  const list = group.append("g").attr("role", "slider").attr("tabindex", 0).attr("data-control", "threshold").attr("aria-label", "category asked for")
    .attr("aria-valuemin", 0).attr("aria-valuemax", k - 1).attr("class", "tv-handle");
  const frame = list.append("rect").attr("class", "tv-chosen").attr("x", box.x0 - 0.2 * font).attr("width", box.x1 - box.x0).attr("height", step).attr("rx", 0.3 * font);
  const short = distinct(table.points, 20);
  const row = list.selectAll("g").data(table.points).join("g").attr("class", "tv-category").attr("font-size", small).attr("data-category", (c) => c)
    .attr("transform", (_, i) => `translate(0,${round(top + step * (i + 0.5))})`).on("click", (event, c) => set({ threshold: c }));
  row.append("rect").attr("class", "tv-hit").attr("x", box.x0).attr("width", box.x1 - box.x0).attr("y", -step / 2).attr("height", step);
  row.append("text").attr("dy", "0.35em").attr("x", bars.x0 - 0.6 * font).attr("text-anchor", "end").text((_, i) => short[i]);
  const bar = row.append("rect").attr("x", bars.x0).attr("y", -0.3 * step).attr("height", 0.6 * step).attr("width", (_, i) => round(count(table.sizes[i]) - bars.x0));
  const words = row.append("text").attr("dy", "0.35em").attr("x", (_, i) => round(count(table.sizes[i]) + 0.4 * font));
  const spans = ["letter", "count", "moves"].map((c) => words.append("tspan").attr("class", `tv-${c}`));
  const between = row.append("line").attr("class", "tv-between");
  const plain = row.append("circle").attr("class", "tv-mark").attr("r", 0.28 * small);
  const attacked = row.append("circle").attr("class", "tv-mark tv-strong").attr("r", 0.34 * small);
  onRow(bar, (c) => table.codes.indexOf(table.points.indexOf(c)));
  let v = 0;
  keys(list.node(), { place: () => v, count: () => k, go: (i) => set({ threshold: table.points[i] }), down: true });

  return {
    light: (r) => row.classed("tv-lit", (_, i) => r !== null && table.codes[r] === i),
    update({ level, plan, i }, side, state) {
      v = level.at[i];
      loss.domain(domainOf(table, state.plan));
      list.attr("aria-valuenow", v).attr("aria-valuetext", testOf(table, name, state.threshold));
      fact(list, "threshold", state.threshold);
      frame.attr("y", round(top + step * v));
      bar.attr("fill", (_, c) => fills[side[c]]);
      spans[0].attr("class", (_, c) => `tv-letter tv-ink-${SIDES[side[c]]}`).text((_, c) => `${MARKS[side[c]]} `);
      spans[1].text((_, c) => number(table.sizes[c]));
      spans[2].attr("class", "tv-soft").text((_, c) => moves(table, level, c));
      const at = (column) => (_, c) => round(loss(column[c] ?? loss.domain()[1]));
      plain.attr("cx", at(plan.loss));
      attacked.attr("cx", at(plan.loss_under_attack));
      between.attr("x1", at(plan.loss)).attr("x2", at(plan.loss_under_attack));
    },
  };
}

/** "→ Never-married": what the budget can make of a category. */
function moves(table, level, c) {
  const others = table.points.filter((_, z) => z !== c && level.reach[c][z]);
  if (!others.length) return "";
  return `  → ${shortened(others[0], 16)}${others.length > 1 ? ` and ${others.length - 1} more` : ""}`;
}
