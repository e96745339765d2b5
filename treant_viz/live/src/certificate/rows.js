// All rows side by side, the cheapest first: how much it takes to change each, and what the budget does.

import { counted, number } from "../format.js";
import { scaleLinear } from "../scale.js";
import { round } from "../steps.js";
import { strip } from "../strip.js";
import { put } from "../svg.js";
import { fateOf } from "./model.js";

export function drawRows(group, { facts, box, font, set, point }) {
  const { at, name, safe_below } = facts.rows, n = at.length, { levels, labelled } = facts;
  const { words, marks, wide, top, choose } = strip(group, { box, font, n, set: (i) => set({ row: at[i] }), hover: point });
  const y = scaleLinear([0, levels[levels.length - 1] || 1], [box.y1, top + 0.4 * font]), thick = round(Math.max(1, Math.min(0.7 * wide, 1.5 * font)));
  const paths = ["tv-strip-still", "tv-strip-fallen", "tv-strip-unknown"].map((look) => put(marks, "path", look, { "stroke-width": thick }));
  const line = put(marks, "line", "tv-turn", { x1: box.x0, x2: box.x1 });
  const shown = n === facts.n ? `all ${counted(n, "row")}` : `${number(n)} of ${counted(facts.n, "row")}`, last = labelled && facts.rows.stake.includes("0");
  words.text(`${shown}, cheapest first${last ? ", wrong ones last" : ""}: the cost of a change`);
  return function update({ r, budget }) {
    const d = { safe: "", falls: "", unknown: "", wrong: "" };
    for (let i = 0; i < n; i++) d[fateOf(facts, i, budget)] += `M${round(box.x0 + (i + 0.5) * wide)},${box.y1}V${round(safe_below[i] === null ? top : y(safe_below[i]))}`;
    ["safe", "falls", "unknown"].forEach((fate, k) => paths[k].attr("d", d[fate]));
    line.attr("y1", y(budget)).attr("y2", y(budget));
    choose(r, name[r]);
  };
}
