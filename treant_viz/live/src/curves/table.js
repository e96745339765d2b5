// All numbers at a budget: a row a model, a column a measure; a row is also how one picks, shows and hides a model.

import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { mark } from "./marks.js";
import { at } from "./model.js";
import { three } from "./words.js";

export function table(group, { facts, shown: first, font, box, hand }) {
  const n = facts.measures.length, names = Math.max(9 * font, box.x1 - box.x0 - 5.7 * font * n), wide = (box.x1 - box.x0 - names) / n;
  const column = (k) => box.x0 + names + (k + 1) * wide - 0.5 * font, tall = Math.min(3.4 * font, (box.y1 - box.y0 - 6 * font) / Math.max(1, first.lines.length));
  const head = group.append("text").attr("class", "tv-strong").attr("x", box.x0).attr("y", box.y0 + font);
  const tops = facts.measures.map((q, k) => group.append("text").attr("class", "tv-soft").attr("x", column(k)).attr("y", box.y0 + 3 * font).attr("text-anchor", "end").text(shortened(q.name, 9)));
  const list = group.append("g").attr("role", "listbox").attr("tabindex", 0).attr("data-control", "methods").attr("aria-label", "models: arrows pick one, Enter shows or hides it").attr("class", "tv-models");
  let lines = first.lines, focus = null, shownNames = [];
  const rows = list.selectAll("g").data(lines).join("g").attr("role", "option").attr("class", "tv-model").attr("id", (l) => `${hand.id}-${l.place}`)
    .attr("transform", (_, i) => `translate(0,${box.y0 + 3.5 * font + i * tall})`)
    .on("click", (event, l) => hand.focus(l.name)).on("pointerenter", (event, l) => hand.over(l.name)).on("pointerleave", () => hand.over(null));
  rows.append("rect").attr("class", "tv-hit").attr("x", box.x0).attr("width", box.x1 - box.x0).attr("height", tall).attr("rx", 0.3 * font);
  const swatch = rows.append("g").attr("class", "tv-swatch").attr("data-show", (l) => l.name).on("click", (event, l) => { event.stopPropagation(); hand.toggle(l.name); });
  swatch.append("rect").attr("class", "tv-hit").attr("x", box.x0).attr("width", 3.2 * font).attr("height", tall);
  swatch.append("path").attr("class", "tv-security").attr("d", `M${box.x0 + 0.3 * font},${tall / 2}h${2.4 * font}`).attr("stroke", (l) => l.look[0]).attr("stroke-width", (l) => (l.look[3] * font) / 16)
    .attr("stroke-dasharray", (l) => l.look[2] && l.look[2].map((d) => (d * l.look[3] * font) / 16).join(" "));
  swatch.append("path").attr("d", (l) => mark(l.look[1], 0.34 * font)).attr("fill", (l) => l.look[0]).attr("transform", `translate(${box.x0 + 1.5 * font},${tall / 2})`);
  rows.append("text").attr("class", "tv-who").attr("x", box.x0 + 3.2 * font).attr("y", tall / 2).attr("dy", "0.35em").text((l) => shortened(l.name, 12));
  const cells = facts.measures.map((_, k) => rows.append("text").attr("x", column(k)).attr("y", tall / 2).attr("dy", "0.35em").attr("text-anchor", "end"));
  group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", box.y0 + 5 * font + lines.length * tall).text("Click a row: in focus. Its mark: hide.");
  keys(list.node(), {
    place: () => lines.findIndex((l) => l.name === focus), count: () => lines.length, down: true,
    go: (i) => hand.focus(lines[i].name, true), enter: () => focus !== null && hand.toggle(focus), escape: () => hand.focus(null, true),
  });

  return function update({ state, lines: next, m, trained }, budget) {
    [lines, focus, shownNames] = [next, state.focus, state.methods];
    head.text(null);
    head.append("tspan").text("Attacked with ");
    fact(head.append("tspan"), "at", budget).text(number(budget, 6));
    if (trained !== null) {
      head.append("tspan").text(", trained for ");
      fact(head.append("tspan"), "train", trained).text(number(trained, 6));
    }
    rows.data(next).attr("aria-selected", (l) => l.name === focus).classed("tv-off", (l) => !shownNames.includes(l.name))
      .attr("aria-checked", (l) => shownNames.includes(l.name));
    list.attr("aria-activedescendant", next.some((l) => l.name === focus) ? `${hand.id}-${next.find((l) => l.name === focus).place}` : null);
    tops.forEach((top, k) => top.classed("tv-strong", k === m));
    cells.forEach((cell, k) => cell.data(next).classed("tv-strong", k === m).each(function (l) {
      const v = at(l.line, budget, k), one = cell.filter((q) => q === l);
      if (v === null) one.attr("data-fact", null).text("–");
      else fact(one, `${facts.measures[k].key}@${l.name}`, v).text(three(v));
    }));
  };
}
