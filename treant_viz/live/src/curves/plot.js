// The curves: names at the ends of lines, a band under the one in focus, and two lines to be dragged.

import { pointer } from "d3-selection";
import { scaleLinear } from "../scale.js";
import { leftAxis } from "../axis.js";
import { dragged } from "../drag.js";
import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { round } from "../steps.js";
import { mark } from "./marks.js";
import { band, nearest, points, spread } from "./model.js";

const path = (list) => list.map(([x, y], k) => `${k ? "L" : "M"}${round(x)},${round(y)}`).join("");

export function plot(group, { shown: first, ends, font, box, hand }) {
  const names = 0.58 * font * Math.max(...first.lines.map((l) => shortened(l.name, 14).length)) + 2.2 * font;
  const area = { x0: box.x0 + 3.4 * font, x1: box.x1 - names, y0: box.y0 + 2.6 * font, y1: box.y1 - 3.9 * font };
  const budgets = first.budgets, last = budgets[budgets.length - 1], edge = 0.03 * (last - budgets[0] || 1);
  const x = scaleLinear([budgets[0] - edge, last + edge], [area.x0, area.x1]), room = 0.06 * (ends[1] - ends[0] || 0.1);
  const y = scaleLinear([ends[0] - room, ends[1] + room], [area.y1, area.y0]);
  leftAxis(group.append("g"), y, [area.x0, area.x1], font, 4.5);
  ticks(group.append("g"), budgets, x, area.y1, font);
  group.append("text").attr("class", "tv-axis-name").attr("x", area.x1 + 1.1 * font).attr("y", area.y1 + 1.25 * font).text(first.x);
  group.append("text").attr("class", "tv-axis-name").attr("x", box.x0).attr("y", area.y0 - 0.9 * font).text(first.measure);
  const ground = group.append("rect").attr("class", "tv-hit").attr("x", area.x0).attr("width", area.x1 - area.x0).attr("y", area.y0).attr("height", area.y1 - area.y0);
  const guide = group.append("line").attr("class", "tv-guide").attr("y1", area.y0).attr("y2", area.y1).attr("visibility", "hidden");
  const to = (px) => nearest(budgets, x.invert(px));
  ground.on("pointermove", (event) => hand.point(to(pointer(event, group.node())[0])))
    .on("pointerleave", () => hand.point(null)).on("click", () => hand.take());
  const trained = handle(group, { control: "train", words: "trained for", y0: area.y0, y1: area.y1, pill: area.y1 + 1.85 * font, font, dashed: true });
  const shades = group.append("g").attr("class", "tv-through"), curves = group.append("g");
  const attacked = handle(group, { control: "budget", words: "attacked with", y0: area.y0, y1: area.y1, pill: area.y0 - 2.2 * font, font });
  tie(trained, group, () => first.trains, (px) => hand.set({ train: nearest(first.trains, x.invert(px)) }), (b) => hand.set({ train: b }));
  tie(attacked, group, () => budgets, (px) => hand.set({ budget: to(px) }), (b) => hand.set({ budget: b }));

  function line(parent, l, focus) {
    const [color, shape, dash, width] = l.look, wide = (Math.max(width, l.name === focus ? 3 : 0) * font) / 16;
    const one = parent.append("g").attr("class", "tv-method").attr("data-method", l.name).on("click", () => hand.focus(l.name))
      .on("pointerenter", () => hand.over(l.name)).on("pointerleave", () => hand.over(null));
    const known = points(l.line, l.m).map(([b, v]) => [x(b), y(v)]);
    one.append("path").attr("class", "tv-reach").attr("d", path(known)).attr("stroke-width", 1.1 * font);
    one.append("path").attr("class", "tv-security").attr("d", path(known)).attr("stroke", color).attr("stroke-width", wide)
      .attr("stroke-dasharray", dash && dash.map((d) => round(d * wide)).join(" "));
    one.selectAll("path.tv-point").data(known).join("path").attr("class", "tv-point").attr("fill", color).attr("d", mark(shape, 0.34 * font))
      .attr("transform", ([px, py]) => `translate(${round(px)},${round(py)})`);
    return [one, known];
  }

  return {
    light(name) {
      curves.selectAll(".tv-method").classed("tv-dim", function () { return name !== null && this.dataset.method !== name; });
    },
    point(budget) {
      guide.attr("visibility", budget === null ? "hidden" : "visible").attr("x1", x(budget ?? 0)).attr("x2", x(budget ?? 0));
    },
    update(shown) {
      const { state, subject } = shown;
      shades.html(null);
      curves.html(null);
      if (state.bands && subject) {
        const known = band(subject.line, subject.m);
        const edge = [...known.map(([b, low]) => [x(b), y(low)]), ...known.reverse().map(([b, , high]) => [x(b), y(high)])];
        if (edge.length) shades.append("path").attr("class", "tv-band").attr("fill", subject.look[0]).attr("d", `${path(edge)}Z`);
      }
      const drawn = [...shown.shown.filter((l) => l !== subject), subject].filter(Boolean).map((l) => [l, ...line(curves, l, subject.name)]);
      const tops = spread(drawn.map(([, , known]) => known[known.length - 1][1]), 1.35 * font, area.y0, area.y1);
      drawn.forEach(([l, one, known], k) => {
        const [px, py] = known[known.length - 1], end = area.x1 + 1.1 * font;
        one.append("path").attr("class", "tv-leader").attr("stroke", l.look[0]).attr("d", path([[px, py], [end - 0.3 * font, tops[k]], [end, tops[k]]]));
        one.append("text").attr("class", l === subject ? "tv-strong" : "").attr("x", end + 0.25 * font).attr("y", tops[k]).attr("dy", "0.35em").text(shortened(l.name, 14));
      });
      for (const [, model, , budget, , value] of shown.paper) {
        const l = shown.shown.find((q) => q.place === model);
        if (l) curves.append("path").attr("class", "tv-printed").attr("stroke", l.look[0]).attr("d", mark(l.look[1], 0.62 * font)).attr("transform", `translate(${round(x(budget))},${round(y(value))})`);
      }
      trained.update(shown.trained === null ? null : x(shown.trained), shown.trained, shown.trains, [box.x0, box.x1]);
      attacked.update(x(state.budget), state.budget, budgets, [box.x0, box.x1]);
    },
  };
}

/** Budgets as they are; of numbers without room the last one stays. */
function ticks(group, budgets, x, y, font) {
  const kept = [];
  for (const b of budgets.slice().reverse()) if (!kept.length || x(kept[kept.length - 1]) - x(b) > 0.6 * font * (number(b, 6).length + 2)) kept.push(b);
  group.selectAll("text").data(kept).join("text").attr("class", "tv-tick tv-soft").attr("x", x).attr("y", y + 1.25 * font).attr("text-anchor", "middle").text((b) => number(b, 6));
}

/** A budget as a line that one takes hold of. */
function handle(parent, { control, words, y0, y1, pill, font, dashed }) {
  const group = parent.append("g").attr("class", "tv-handle").attr("data-control", control).attr("aria-label", `${words} a budget of`);
  group.append("rect").attr("class", "tv-hit").attr("x", -0.6 * font).attr("width", 1.2 * font).attr("y", Math.min(y0, pill)).attr("height", y1 - y0 + 3 * font);
  group.append("line").attr("class", "tv-line").attr("y1", Math.min(y0, pill)).attr("y2", y1).attr("stroke-dasharray", dashed ? "3 4" : null);
  const badge = group.append("g").attr("class", "tv-pill"), shape = badge.append("rect").attr("height", 1.8 * font).attr("rx", 0.9 * font).attr("y", pill);
  const text = badge.append("text").attr("text-anchor", "middle").attr("y", pill + 1.25 * font);
  return {
    group,
    value: null,
    update(px, value, stops, [left, right]) {
      this.value = value;
      group.attr("display", px === null ? "none" : null);
      if (px === null) return;
      const free = stops.length > 1;
      group.classed("tv-fixed", !free).attr("role", free ? "slider" : "img").attr("tabindex", free ? 0 : null).attr("transform", `translate(${round(px)},0)`);
      const range = { valuemin: stops[0], valuemax: stops[stops.length - 1], valuenow: value, valuetext: `${words} ${number(value, 6)}` };
      for (const [name, x] of Object.entries(range)) group.attr(`aria-${name}`, free ? x : null);
      fact(text, control, value).text(`${words} ${number(value, 6)}`);
      const width = (text.node().getComputedTextLength?.() || 0.55 * font * 16) + 1.4 * font;
      const shift = Math.max(left + width / 2 - px, 0) + Math.min(right - width / 2 - px, 0);
      badge.attr("transform", `translate(${round(shift)},0)`);
      shape.attr("x", round(-width / 2)).attr("width", round(width));
    },
  };
}

function tie(handle, group, stops, to, go) {
  dragged(handle.group, group.node(), to);
  keys(handle.group.node(), { place: () => stops().indexOf(handle.value), count: () => stops().length, go: (i) => go(stops()[i]) });
}

