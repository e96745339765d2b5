// All numbers at a budget: a row a model, a column a measure; a row is also how one picks, shows and hides a model.

import { fact } from "../facts.js";
import { shortened, value } from "../format.js";
import { keys } from "../keyboard.js";
import { put } from "../svg.js";
import { at, mark } from "./marks.js";
import { valueAt } from "./model.js";
import { three } from "./words.js";

export function table(group, { facts, shown: first, font, box, hand }) {
  const { measures } = facts, left = box.x0, wide = Math.min(5.7 * font, (box.x1 - left - 9 * font) / measures.length);
  const column = (k) => box.x1 - (measures.length - 1 - k) * wide - 0.5 * font, tall = Math.min(3.4 * font, (box.y1 - box.y0 - 6 * font) / Math.max(1, first.lines.length));
  const words = (parent, look, x, y, more) => put(parent, "text", look, { x, y, ...more });
  const head = words(group, "tv-strong", left, box.y0 + font);
  const tops = measures.map((q, k) => words(group, "tv-soft", column(k), box.y0 + 3 * font, { "text-anchor": "end" }).text(shortened(q.name, 9)));
  words(group, "tv-soft", left, box.y0 + 5 * font + first.lines.length * tall).text("Click a row: in focus. Its mark: hide.");
  const list = put(group, "g", "tv-models", { role: "listbox", tabindex: 0, "data-control": "methods", "aria-label": "models: arrows pick one, Enter shows or hides it" });
  const middle = { y: tall / 2, dy: "0.35em" };
  let lines = first.lines, focus = null;
  const rows = lines.map((l, i) => {
    const [color, shape, dash, width] = l.look, thick = (width * font) / 16;
    const row = put(list, "g", "tv-model", { role: "option", id: `${hand.id}-${l.place}`, transform: at(0, box.y0 + 3.5 * font + i * tall) })
      .on("click", () => hand.focus(l.name)).on("pointerenter", () => hand.over(l.name)).on("pointerleave", () => hand.over(null));
    put(row, "rect", "tv-hit", { x: left, width: box.x1 - left, height: tall });
    const swatch = put(row, "g", "tv-swatch").on("click", (event) => { event.stopPropagation(); hand.toggle(l.name); });
    put(swatch, "rect", "tv-hit", { x: left, width: 3.2 * font, height: tall });
    put(swatch, "path", "tv-security", { d: `M${left + 0.3 * font},${tall / 2}h${2.4 * font}`, stroke: color, "stroke-width": thick, "stroke-dasharray": dash && dash.map((d) => d * thick).join(" ") });
    put(swatch, "path", "", { d: mark(shape, 0.34 * font), fill: color, transform: at(left + 1.5 * font, tall / 2) });
    words(row, "tv-who", left + 3.2 * font, 0, middle).text(shortened(l.name, 12));
    return [row, measures.map((_, k) => words(row, "", column(k), 0, { ...middle, "text-anchor": "end" }))];
  });
  keys(list.node(), {
    place: () => lines.findIndex((l) => l.name === focus), count: () => lines.length, down: true,
    go: (i) => hand.focus(lines[i].name, true), enter: () => focus !== null && hand.toggle(focus), escape: () => hand.focus(null, true),
  });

  return function update({ state, lines: next, m, trained }, budget) {
    [lines, focus] = [next, state.focus];
    head.text("Attacked with ");
    fact(head.append("tspan"), "at", budget).text(value(budget));
    if (trained !== null) {
      head.append("tspan").text(", trained for ");
      fact(head.append("tspan"), "train", trained).text(value(trained));
    }
    const lit = lines.find((l) => l.name === focus);
    list.attr("aria-activedescendant", lit ? `${hand.id}-${lit.place}` : null);
    tops.forEach((top, k) => top.classed("tv-strong", k === m));
    lines.forEach((l, i) => {
      const [row, cells] = rows[i], on = state.methods.includes(l.name);
      row.attr("aria-selected", l === lit).attr("aria-checked", on).classed("tv-off", !on);
      cells.forEach((cell, k) => {
        const v = valueAt(l.line, budget, k);
        cell.classed("tv-strong", k === m);
        if (v === null) cell.attr("data-fact", null).text("–");
        else fact(cell, `${measures[k].key}@${l.name}`, v).text(three(v));
      });
    });
  };
}
