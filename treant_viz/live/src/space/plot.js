// The plane itself: regions by what they predict, rows, what the budget makes of some of them, and their worst moves.

import { pointer, select } from "../selection.js";
import { ticksOf } from "../axis.js";
import { fact } from "../facts.js";
import { distinct, number, value } from "../format.js";
import { keys } from "../keyboard.js";
import { scaleLinear } from "../scale.js";
import { put } from "../svg.js";
import { boxesOf, told } from "./model.js";
import { heard } from "./words.js";

const FEW = 10, NEAR = 1.4; // rows with their reach drawn; letters between a pointer and a row

/** All that is ever drawn of a feature, with a margin: the same for all budgets. */
function frameOf(plane, k) {
  const n = plane.categories[k]?.length;
  if (n) return [-0.6, n - 0.4];
  const name = "xy"[k], ends = plane.regions[name].flat().filter((e) => e !== null);
  const all = [...plane.rows[name], ...plane.ways[name], ...ends];
  const low = Math.min(...all), high = Math.max(...all), room = 0.1 * (high - low) || 1;
  return [low - room, high + room];
}

/** An extent as spans of the axis: neighbouring categories are one. */
function spansOf(extent, categories, [low, high]) {
  if (!categories) return [[extent[0] ?? low, extent[1] ?? high]];
  return extent.filter((p) => !extent.includes(p - 1)).map((a) => [a - 0.5, extent.find((p) => p >= a && !extent.includes(p + 1)) + 0.5]);
}

export function drawPlane(group, { facts, plane, font, box, paint, choose, hover }) {
  const longest = plane.categories[1] ? 12 * font : 4 * font;
  const area = { x0: box.x0 + Math.min(longest, 0.25 * box.x1), x1: box.x1 - 6 * font, y0: box.y0, y1: box.y1 - 3.4 * font };
  const x = scaleLinear(frameOf(plane, 0), [area.x0, area.x1]), y = scaleLinear(frameOf(plane, 1), [area.y1, area.y0]);
  const shade = shadeOf(facts.span);
  const back = group.append("g");
  regions(back, plane, x, y, shade);
  axes(group, plane, facts, { x, y, area, font });
  key(group, facts.span, shade, { area, font });
  const node = put(group, "g", "tv-plane", { role: "slider", tabindex: 0, "data-control": "row", "aria-label": "row", "aria-valuemin": 0 });
  const ground = put(node, "rect", "tv-hit", { x: area.x0, y: area.y0, width: area.x1 - area.x0, height: area.y1 - area.y0 });
  const dots = put(node, "g", "tv-through"), drawn = put(node, "g", "tv-through"), names = put(node, "g", "tv-through");
  const spot = (row, at = row) => [x(at.x) + jitter(plane, 0, row, x), y(at.y) + jitter(plane, 1, row, y)];
  let shown = null;

  /** The row under the pointer, if one is near. */
  function near(event) {
    const [px, py] = pointer(event, group.node()), far = (row) => Math.hypot(...spot(row).map((v, k) => v - [px, py][k]));
    const best = shown.rows.reduce((a, b) => (a && far(a) <= far(b) ? a : b), null);
    return best && far(best) < NEAR * font ? best : null;
  }
  ground.on("pointermove", (event) => hover(near(event))).on("pointerleave", () => hover(null)).on("click", (event) => choose(near(event)));
  const go = (place) => choose(shown.rows[plane.order[place]]);
  keys(node.node(), { place: () => (shown.chosen ? plane.order.indexOf(shown.chosen.i) : -1), count: () => plane.order.length, go, down: true, escape: () => choose(null) });

  return function update(next, lit) {
    shown = next;
    const some = told(shown, FEW, (row) => spot(row)[1] / (2.7 * font)), rows = lit && !some.includes(lit) ? [...some, lit] : some;
    dots.selectAll("circle").data(shown.rows).join("circle").attr("class", (row) => (row.hurt ? "tv-dot tv-hurt" : "tv-dot"))
      .attr("cx", (row) => spot(row)[0]).attr("cy", (row) => spot(row)[1]).attr("r", (shown.rows.length > 60 ? 0.22 : 0.4) * font).style("fill", (row) => shade(row.label));
    drawn.selectAll("*").remove();
    for (const row of rows) reach(drawn.append("g").attr("class", lit && row !== lit ? "tv-dim" : "tv-held"), row, { shown, facts, font, paint, shade, spot, scales: [x, y], area });
    predictions(names, shown, rows.flatMap((row) => [spot(row), spot(row, row.worst), ...[0, 5, 10].map((far) => [spot(row)[0] + far * font, spot(row)[1] - 1.2 * font])]), { x, y, font, shade });
    node.attr("aria-valuemax", plane.order.length).attr("aria-valuenow", shown.chosen ? plane.order.indexOf(shown.chosen.i) + 1 : 0).attr("aria-valuetext", heard(shown));
  };
}

/** Rows of one category stand side by side. */
const jitter = (plane, k, row, scale) => (plane.categories[k] ? ((row.i * 0.6180339887) % 1 - 0.5) * 0.5 * Math.abs(scale(1) - scale(0)) : 0);

/** The colour of a prediction, and of a label. */
const shadeOf = ([low, high]) => (v) => `color-mix(in srgb, var(--most) ${(100 * (v - low)) / (high - low || 1)}%, var(--least))`;
/** Letters on it: dark on what is pale. */
const onShade = ([low, high], v) => ((v - low) / (high - low || 1) > 0.5 ? "var(--on-most)" : "var(--on-least)");

function rectangles(plane, r, x, y) {
  const across = spansOf(plane.regions.x[r], plane.categories[0], x.domain()), up = spansOf(plane.regions.y[r], plane.categories[1], y.domain());
  return across.flatMap(([a, b]) => up.map(([c, d]) => ({ r, x: x(a), width: x(b) - x(a), y: y(d), height: y(c) - y(d) })));
}

function regions(group, plane, x, y, shade) {
  const all = plane.regions.prediction.flatMap((_, r) => rectangles(plane, r, x, y));
  for (const { r, ...place } of all) put(group, "rect", "tv-region", place).attr("fill", shade(plane.regions.prediction[r]));
}

function axes(group, plane, facts, { x, y, area, font }) {
  const [across, up] = plane.categories, names = [plane.x, plane.y].map((f) => facts.features[f].name);
  const wide = across ? Math.floor((x(1) - x(0)) / (0.55 * font)) : 0, short = across && distinct(across, Math.max(3, wide));
  for (const t of across ? across.keys() : ticksOf(x, 5 * font)) put(group, "text", "tv-tick tv-soft", { x: x(t), y: area.y1 + 1.3 * font, "text-anchor": "middle" }).text(across ? short[t] : value(t));
  const long = up && distinct(up, 20);
  for (const t of up ? up.keys() : ticksOf(y, 2.6 * font)) put(group, "text", "tv-tick tv-soft", { x: area.x0 - 0.5 * font, y: y(t), dy: "0.35em", "text-anchor": "end" }).text(up ? long[t] : value(t));
  put(group, "text", "tv-axis-name", { x: (area.x0 + area.x1) / 2, y: area.y1 + 2.8 * font, "text-anchor": "middle" }).text(names[0]);
  put(group, "text", "tv-axis-name", { x: area.x0, y: area.y0 - 0.6 * font, "text-anchor": "start" }).text(`${names[1]} ↑`);
}

/** The scale of predictions and labels. */
function key(group, [low, high], shade, { area, font }) {
  const at = scaleLinear([low, high], [area.y1, area.y0 + 3 * font]), left = area.x1 + 1.2 * font, n = 40;
  for (let k = 0; k < n; k++) {
    const v = low + ((k + 0.5) * (high - low)) / n;
    put(group, "rect", "", { x: left, y: at(low + ((k + 1) * (high - low)) / n), width: font, height: (at(low) - at(high)) / n + 0.6, fill: shade(v) });
  }
  for (const v of [low, (low + high) / 2, high]) put(group, "text", "tv-soft", { x: left + 1.4 * font, y: at(v), dy: "0.35em" }).text(number(v));
  ["prediction,", "label ●"].forEach((words, k) => put(group, "text", "tv-soft", { x: left, y: area.y0 + (0.6 + 1.2 * k) * font }).text(words));
}

/** A row, all that the budget makes of it, and its worst move with the coin. */
function reach(g, row, { shown, facts, font, paint, shade, spot, scales, area }) {
  const [x, y] = scales, [cx, cy] = spot(row), dx = cx - x(row.x), dy = cy - y(row.y), thick = 0.55 * font;
  for (const spans of boxesOf(shown, row)) {
    const [[a, b], [c, d]] = spans.map((span, k) => span.map((v) => Math.max(scales[k].domain()[0], Math.min(scales[k].domain()[1], v))));
    const line = a === b || c === d, [left, top, width, height] = [x(a) + dx, y(d) + dy, x(b) - x(a), y(c) - y(d)];
    if (a === b && c === d) continue;
    const band = { x: left - (a === b ? thick / 2 : 0), y: top - (c === d ? thick / 2 : 0), width: a === b ? thick : width, height: c === d ? thick : height };
    put(g, "rect", `tv-span${row.hurt ? " tv-hurt" : ""}${line ? "" : " tv-area"}`, { ...band, rx: line ? thick / 2 : 0, fill: row.hurt ? paint.fills[1] : "var(--bg)" });
  }
  const { prediction } = shown.plane.regions, before = prediction[row.own.region], after = prediction[row.worst.region];
  if (row.hurt) {
    const [ex, ey] = spot(row, row.worst), long = Math.hypot(ex - cx, ey - cy), u = [(ex - cx) / long, (ey - cy) / long], stop = Math.max(0, long - 0.75 * font);
    put(g, "path", "tv-move", { d: `M${cx},${cy}l${u[0] * stop},${u[1] * stop}` });
    put(g, "path", "tv-tip", { d: "M0,0L-8,-5L-8,5Z", transform: `translate(${cx + u[0] * (stop + 4)},${cy + u[1] * (stop + 4)}) rotate(${(Math.atan2(u[1], u[0]) * 180) / Math.PI})` });
    put(g, "circle", "tv-end", { cx: ex, cy: ey, r: 0.4 * font }).style("fill", shade(row.label));
  }
  put(g, "circle", "tv-dot", { cx, cy, r: 0.5 * font }).style("fill", shade(row.label));
  label(g, row, { facts, font, area, top: cy + (row.hurt ? -1.25 : 1.25) * font, left: cx - 0.4 * font, before, after });
}

/** A row's name and label, its prediction before and after, and what that costs. */
function label(g, row, { facts, font, area, top, left, before, after }) {
  const all = g.append("g"), text = all.append("text").attr("dy", "0.35em");
  text.append("tspan").attr("class", "tv-strong").text(facts.rows.name[row.at]);
  text.append("tspan").attr("class", "tv-soft").text(area.x1 - area.x0 > 24 * font ? ` (label ${number(row.label)}) ` : " ");
  fact(text.append("tspan"), `before_${row.at}`, before).text(number(before));
  if (row.hurt) {
    text.append("tspan").text(" → ");
    fact(text.append("tspan").attr("class", "tv-strong"), `after_${row.at}`, after).text(number(after));
  }
  const width = plate(text, font, "var(--bg)"), room = row.hurt ? 2 * font : 0;
  const x = Math.max(area.x0 + 0.4 * font, Math.min(area.x1 - width - room, left)), y = Math.max(area.y0 + 0.8 * font, Math.min(area.y1 - 0.8 * font, top));
  all.attr("transform", `translate(${x},${y})`);
  if (!row.hurt) return;
  const coin = put(all, "g", "tv-coin-mark", { transform: `translate(${width + 1.1 * font},0)` });
  put(coin, "circle", "", { r: 0.78 * font });
  fact(put(coin, "text", "", { dy: "0.35em", "text-anchor": "middle" }), `cost_${row.at}`, row.worst.cost).text(value(row.worst.cost));
}

/** What each region predicts, where it is farthest from all rows that are drawn; small ones go without. */
function predictions(group, { plane, facts }, taken, { x, y, font, shade }) {
  group.selectAll("*").remove();
  plane.regions.prediction.forEach((p, r) => {
    const big = rectangles(plane, r, x, y).filter((b) => b.width > 5 * font && b.height > 1.8 * font).sort((a, b) => b.width * b.height - a.width * a.height)[0];
    if (!big) return;
    const spots = [0.5, 0.2, 0.8].flatMap((v) => [0.5, 0.2, 0.8].map((u) => [big.x + 2.4 * font + u * (big.width - 4.8 * font), big.y + 0.9 * font + v * (big.height - 1.8 * font)]));
    const room = ([a, b]) => Math.min(6 * font, ...taken.map(([c, d]) => Math.hypot((a - c) / 2.5, b - d)));
    const [px, py] = spots.reduce((a, b) => (room(b) > room(a) ? b : a));
    const at = put(group, "g", "", { transform: `translate(${px},${py})` });
    const text = put(at, "text", "tv-strong", { dy: "0.35em", "text-anchor": "middle" }).style("fill", onShade(facts.span, p));
    text.append("tspan").text("ŷ = ");
    fact(text.append("tspan"), `prediction_${r}`, p).text(number(p));
    plate(text, font, shade(p));
  });
}

/** The ground of a text, so that nothing strikes it through; returns how wide the text is. */
function plate(text, font, fill) {
  const width = text.node().getComputedTextLength?.() ?? 0, from = text.attr("text-anchor") === "middle" ? -width / 2 : 0;
  const ground = put(select(text.node().parentNode), "rect", "tv-plate", { x: from - 0.3 * font, y: -0.75 * font, width: width + 0.6 * font, height: 1.5 * font, rx: 0.3 * font }).style("fill", fill);
  ground.lower();
  return width;
}
