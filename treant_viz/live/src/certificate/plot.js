// The share of rows that no attack changes, at every budget: steps for all rows and for each class, and the budget to drag.

import { bottomAxis, leftAxis } from "../axis.js";
import { budgetLine } from "../budget_line.js";
import { spread } from "../curves/model.js";
import { scaleLinear } from "../scale.js";
import { round, stepPath } from "../steps.js";
import { put } from "../svg.js";

const DASHES = [null, "6 3", "2 3"];

export function drawPlot(group, { facts, box, font, set }) {
  const { groups, levels } = facts, top = levels[levels.length - 1], end = top || 1;
  const names = 0.58 * font * Math.max(...groups.map((g) => Math.min(g.name.length, 20))) + 1.5 * font;
  const [x0, x1, y0, y1] = [box.x0 + 3.4 * font, box.x1 - names, box.y0 + 2.6 * font, box.y1 - 2.8 * font];
  const x = scaleLinear([0, end], [x0, x1]), y = scaleLinear([0, 1], [y1, y0]);
  const share = ({ n }, counts) => counts.map((k) => y(k / Math.max(1, n)));
  leftAxis(group.append("g"), y, [x0, x1], font, 4.5, (t) => `${100 * t} %`);
  bottomAxis(group.append("g"), x, y1, font);
  put(group, "text", "tv-axis-name", { x: (x0 + x1) / 2, y: y1 + 2.6 * font, "text-anchor": "middle" }).text("budget of the attacker");
  const steps = ({ at, value }, g) => stepPath(at.map((b) => x(Math.min(b, end))), share(g, value), x1);
  if (facts.inexact) {
    const { least, most } = groups[0], back = [...most.at.keys()].reverse().map((k) => `V${round(share(groups[0], most.value)[k])}H${round(x(Math.min(most.at[k], end)))}`);
    put(group, "path", "tv-doubt", { d: `${steps(least, groups[0])}${back.join("")}Z` });
  }
  const lasts = groups.map((g) => share(g, g.least.value.slice(-1))[0]), tops = spread(lasts, 1.35 * font, y0, y1);
  const dots = groups.map((g, k) => {
    put(group, "path", k ? "tv-security tv-of-class" : "tv-security", { d: steps(g.least, g), "stroke-dasharray": DASHES[k] });
    put(group, "path", "tv-security tv-of-class", { d: `M${x1},${round(lasts[k])}L${x1 + 0.6 * font},${round(tops[k])}` });
    put(group, "text", k ? "" : "tv-strong", { x: x1 + 0.8 * font, y: tops[k], dy: "0.35em" }).text(g.name);
    return put(group, "circle", "tv-dot", { r: 0.32 * font });
  });
  const held = budgetLine(group, { control: "budget", words: "budget", stops: levels, pill: y0 - 2.2 * font, y0, y1, font, box, x, set: (budget) => set({ budget }) });
  return function update({ budget, groups }) {
    held(budget);
    groups.forEach((g, k) => dots[k].attr("cx", round(x(budget))).attr("cy", round(share(g, g.safe)[0])));
  };
}
