// Training against test budget for one model: squares in the colour of their value, one scale for all maps.

import { scaleLinear } from "../scale.js";
import { leftAxis } from "../axis.js";
import { fact } from "../facts.js";
import { number } from "../format.js";
import { three } from "./words.js";
import { placeFor } from "../keyboard.js";
import { at } from "./model.js";

export function heat(group, { facts, shown, font, box, hand }) {
  const bar = 5.5 * font, trains = shown.trains, budgets = shown.budgets;
  const area = { x0: box.x0 + 5.2 * font, x1: box.x1 - bar, y0: box.y0 + 1.9 * font, y1: box.y1 - 3.2 * font };
  const wide = (area.x1 - area.x0) / budgets.length, tall = (area.y1 - area.y0) / Math.max(1, trains.length);
  const label = (text, x, y, look, anchor = "middle") => group.append("text").attr("class", look).attr("x", x).attr("y", y).attr("text-anchor", anchor).text(text);
  budgets.forEach((b, j) => label(number(b, 6), area.x0 + (j + 0.5) * wide, area.y1 + 1.25 * font, "tv-soft"));
  trains.forEach((k, i) => label(number(k, 6), area.x0 - 0.6 * font, area.y1 - (i + 0.5) * tall + 0.35 * font, "tv-soft", "end"));
  label(`attacked with (${shown.x})`, (area.x0 + area.x1) / 2, area.y1 + 2.7 * font, "tv-axis-name");
  label("trained for", box.x0, area.y0 - 0.7 * font, "tv-axis-name", "start");
  if (trains.some((k) => budgets.includes(k))) label("framed: trained for just this attacker", area.x1, area.y0 - 0.7 * font, "tv-soft", "end");
  const cells = group.append("g").attr("class", "tv-cells").attr("role", "group").attr("tabindex", 0).attr("data-control", "cell").attr("aria-label", "training and test budget: move with the arrows");
  const chosen = group.append("rect").attr("class", "tv-chosen-cell").attr("width", wide).attr("height", tall);
  const [low, high] = facts.scales[shown.m], last = facts.colors.length - 1;
  const color = (v) => facts.colors[Math.round((last * (v - low)) / (high - low || 1))];
  key(group.append("g"), facts.colors, [low, high], { x: area.x1 + 1.4 * font, y0: area.y0, y1: area.y1 }, font);
  label(shown.measure, area.x1 + 1.4 * font, area.y0 - 0.7 * font, "tv-axis-name", "start");
  let now = shown.state;

  cells.node().addEventListener("keydown", (event) => {
    const upright = event.key === "ArrowUp" || event.key === "ArrowDown", stops = upright ? trains : budgets;
    const next = placeFor(event.key, stops.indexOf(upright ? now.train : now.budget), stops.length);
    if (next === null || event.ctrlKey || event.altKey || event.metaKey) return;
    hand.set(upright ? { train: stops[next] } : { budget: stops[next] });
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    light() {},
    point() {},
    update({ r, d, m, subject, state }) {
      now = state;
      cells.html(null);
      trains.forEach((k, i) => budgets.forEach((b, j) => {
        const line = subject && facts.line(r, d, subject.place, k), v = line ? at(line, b, m) : null;
        if (v === null) return;
        const [fill, ink] = color(v), x = area.x0 + j * wide, y = area.y1 - (i + 1) * tall;
        const cell = cells.append("g").attr("class", "tv-cell").on("click", () => hand.set({ train: k, budget: b }));
        cell.append("rect").attr("x", x).attr("y", y).attr("width", wide).attr("height", tall).attr("fill", fill);
        fact(cell.append("text").attr("x", x + wide / 2).attr("y", y + tall / 2).attr("dy", "0.35em").attr("text-anchor", "middle").style("fill", ink), `cell@${k}@${b}`, v).text(three(v));
        if (k === b) cell.append("rect").attr("class", "tv-same").attr("x", x).attr("y", y).attr("width", wide).attr("height", tall);
      }));
      cells.selectAll(".tv-cell").filter(function () { return this.querySelector(".tv-same"); }).raise();
      const i = trains.indexOf(state.train), j = budgets.indexOf(state.budget);
      chosen.attr("x", area.x0 + j * wide).attr("y", area.y1 - (i + 1) * tall);
    },
  };
}

/** What the colours mean. */
function key(group, colors, ends, { x, y0, y1 }, font) {
  const y = scaleLinear(ends, [y1, y0]), step = (y1 - y0) / colors.length;
  colors.forEach(([fill], k) => group.append("rect").attr("x", x).attr("width", font).attr("y", y1 - (k + 1) * step).attr("height", step + 0.6).attr("fill", fill));
  const axis = group.append("g").attr("transform", `translate(${4 * font},0)`);
  leftAxis(axis, y, [x, x], font, 4.5);
}
