// Training against test budget for one model: squares in the colour of their value, one scale for all maps.

import { scaleLinear } from "../scale.js";
import { leftAxis } from "../axis.js";
import { fact } from "../facts.js";
import { value } from "../format.js";
import { placeFor } from "../keyboard.js";
import { put } from "../svg.js";
import { valueAt } from "./model.js";
import { three } from "./words.js";

export function heat(group, { facts, shown: { trains, budgets, x: words, m, measure, state }, font, box, hand }) {
  const [x0, x1, y0, y1] = [box.x0 + 5.2 * font, box.x1 - 5.5 * font, box.y0 + 1.9 * font, box.y1 - 3.2 * font], key = x1 + 1.4 * font;
  const width = (x1 - x0) / budgets.length, height = (y1 - y0) / Math.max(1, trains.length), above = y0 - 0.7 * font;
  const label = (look, text, x, y, anchor = "start") => put(group, "text", look, { x, y, "text-anchor": anchor }).text(text);
  budgets.forEach((b, j) => label("tv-soft", value(b), x0 + (j + 0.5) * width, y1 + 1.25 * font, "middle"));
  trains.forEach((k, i) => label("tv-soft", value(k), x0 - 0.6 * font, y1 - (i + 0.5) * height + 0.35 * font, "end"));
  label("tv-axis-name", `attacked with (${words})`, (x0 + x1) / 2, y1 + 2.7 * font, "middle");
  label("tv-axis-name", "trained for", box.x0, above);
  label("tv-axis-name", measure, key, above);
  if (trains.some((k) => budgets.includes(k))) label("tv-soft", "framed: trained for just this attacker", x1, above, "end");
  const [low, high] = facts.scales[m], { colors } = facts, step = (y1 - y0) / colors.length;
  const color = (v) => colors[Math.round(((colors.length - 1) * (v - low)) / (high - low || 1))];
  colors.forEach(([fill], k) => put(group, "rect", "", { x: key, width: font, y: y1 - (k + 1) * step, height: step + 0.6, fill }));
  leftAxis(group.append("g"), scaleLinear([low, high], [y1, y0]), [key + 4 * font, key + 4 * font], font, 4.5);
  const cells = put(group, "g", "tv-cells", { role: "group", tabindex: 0, "data-control": "cell", "aria-label": "training and test budget: move with the arrows" });
  const chosen = put(group, "rect", "tv-chosen-cell", { width, height });

  cells.on("keydown", (event) => {
    const upright = /Up|Down/.test(event.key), stops = upright ? trains : budgets, name = upright ? "train" : "budget";
    const next = placeFor(event.key, stops.indexOf(state[name]), stops.length);
    if (next === null || event.ctrlKey || event.altKey || event.metaKey) return;
    hand.set({ [name]: stops[next] });
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    light() {},
    point() {},
    update({ r, d, subject, state: now }) {
      state = now;
      cells.html(null);
      const framed = [];
      trains.forEach((k, i) => budgets.forEach((b, j) => {
        const line = subject && facts.line(r, d, subject.place, k), v = line ? valueAt(line, b, m) : null;
        if (v === null) return;
        const [fill, ink] = color(v), box = { x: x0 + j * width, y: y1 - (i + 1) * height, width, height };
        const cell = put(cells, "g", "tv-cell").on("click", () => hand.set({ train: k, budget: b }));
        put(cell, "rect", "", { ...box, fill });
        fact(put(cell, "text", "", { x: box.x + width / 2, y: box.y + height / 2, dy: "0.35em", "text-anchor": "middle" }).style("fill", ink), `cell@${k}@${b}`, v).text(three(v));
        if (k === b) framed.push(box);
      }));
      for (const box of framed) put(cells, "rect", "tv-same", box);
      chosen.attr("x", x0 + budgets.indexOf(now.budget) * width).attr("y", y1 - (trains.indexOf(now.train) + 1) * height);
    },
  };
}
