// A budget as a line across a plot that one takes hold of: a slider, with its words in a pill.

import { at } from "./curves/marks.js";
import { nearest } from "./curves/model.js";
import { dragged } from "./drag.js";
import { SLACK, fact, lastAtMost } from "./facts.js";
import { value } from "./format.js";
import { keys } from "./keyboard.js";
import { put } from "./svg.js";

/** `words` say what the budget is for; `stops` are the budgets to choose from, `x` is the scale. Returns update(budget); null hides it. */
export function budgetLine(parent, { control, words, stops, pill, dash, y0, y1, font, box, x, set }) {
  const free = stops.length > 1, group = put(parent, "g", free ? "tv-handle" : "tv-handle tv-fixed", { "data-control": control, role: free ? "slider" : "img" });
  put(group, "rect", "tv-hit", { x: -0.6 * font, width: 1.2 * font, y: y0, height: y1 - y0 });
  put(group, "line", "tv-line", { y1: Math.min(y0, pill), y2: y1, "stroke-dasharray": dash ?? null });
  const badge = put(group, "g", "tv-pill"), shape = put(badge, "rect", "", { height: 1.8 * font, rx: 0.9 * font, y: pill });
  const text = put(badge, "text", "", { "text-anchor": "middle", y: pill + 1.25 * font });
  let now = null;
  if (free) {
    dragged(group, parent.node(), (px) => set(nearest(stops, x.invert(px))));
    keys(group.node(), { place: () => lastAtMost(stops, now * SLACK), count: () => stops.length, go: (i) => set(stops[i]) });
    group.attr("tabindex", 0).attr("aria-valuemin", stops[0]).attr("aria-valuemax", stops[stops.length - 1]);
  }
  return (next) => {
    now = next;
    group.attr("display", now === null ? "none" : null);
    if (now === null) return;
    const said = `${words} ${value(now)}`, px = x(now);
    group.attr("transform", at(px, 0)).attr("aria-label", free ? words : said);
    if (free) group.attr("aria-valuenow", now).attr("aria-valuetext", said);
    fact(text, control, now).text(said);
    const half = (text.node().getComputedTextLength?.() || 9 * font) / 2 + 0.7 * font;
    badge.attr("transform", at(Math.max(box.x0 + half - px, 0) + Math.min(box.x1 - half - px, 0), 0));
    shape.attr("x", -half).attr("width", 2 * half);
  };
}
