// A leaf's constraints as bars on one number line, what they all leave below in green, and the leaf's loss under it.

import { select } from "../selection.js";
import { scaleLinear } from "../scale.js";
import { bottomAxis, leftAxis } from "../axis.js";
import { dragged } from "../drag.js";
import { fact } from "../facts.js";
import { counted, number, shortened, value } from "../format.js";
import { keys } from "../keyboard.js";
import { moving } from "../motion.js";
import { round } from "../steps.js";
import { put } from "../svg.js";
import { mathText } from "../text.js";
import { diamond } from "../growth/cards.js";
import { density, lossAt, pointAt, predictionAt } from "./model.js";
import { allowedIn, condition } from "./words.js";

const LEFT = 16.5; // letters of the labels beside the bars

/** `hand`: {toggle(i), over(i), light(row), attempt(point)}; returns update(shown, at_once). */
export function leafPanel(group, { id, facts, font, box, narrow, hand }) {
  const x = scaleLinear(facts.ends, [box.x0 + (narrow ? 0.8 : LEFT) * font, box.x1 - 0.8 * font]);
  const head = put(group, "text", "tv-strong tv-large", { x: box.x0, y: box.y0 + 1.3 * font });
  const says = put(group, "text", "tv-large", { "text-anchor": "end", x: box.x1, y: box.y0 + 1.3 * font });
  const rows = heldList(group.append("g"), { facts, font, box, narrow, x, hand });
  const band = group.append("g");
  const result = resultLine(group.append("g"), { id, facts, font, box, x, narrow, hand });
  const pitch = (narrow ? 3.5 : 2.2) * font, most = Math.max(3, Math.floor((box.y1 - box.y0 - (narrow ? 15 : 18.2) * font) / pitch));
  return function update(shown, at_once) {
    const name = condition(shown.node, 24);
    head.text(name ? `Leaf ${name}` : "The only leaf");
    mathText(says, "*ŷ* = ");
    const { at, tried } = shown, told = tried ? tried.p : at.prediction;
    fact(says.append("tspan").attr("class", "tv-strong"), "prediction", told ?? "none").text(told === null ? "nothing is allowed" : number(told));
    if (tried) says.append("tspan").attr("class", "tv-soft").text(" is tried");
    else if (at.best !== null && at.forbidden) {
      says.append("tspan").attr("class", "tv-soft").text(", not ");
      fact(says.append("tspan").attr("class", "tv-soft"), "best", at.best).text(number(at.best));
    }
    const many = shown.held.length > most, room = many ? most - 1 : most, top = box.y0 + 2.6 * font;
    crowd(band, many ? shown : null, { facts, font, box, narrow, x, y: top });
    const begin = top + (many ? pitch : 0), used = rows(shown, begin, room, pitch);
    result(shown, begin + used * pitch + 0.5 * font, at_once);
  };
}

/** Many constraints as one band: darker where more of them allow a value. */
function crowd(group, shown, { facts, font, box, narrow, x, y }) {
  group.selectAll("*").remove();
  if (!shown) return;
  const bar = y + (narrow ? 2 : 0.75) * font;
  const words = put(group, "text", null, { x: box.x0, y: y + 1.35 * font });
  fact(words.append("tspan").attr("class", "tv-strong"), "constraints", shown.on.length).text(number(shown.on.length));
  words.append("tspan").attr("class", "tv-soft").text(" at once, darker: more allow it");
  const parts = density(shown.on, facts.ends);
  group.selectAll("rect.tv-band").data(parts).join("rect").attr("class", "tv-band").attr("x", (d) => round(x(d[0]))).attr("width", (d) => round(x(d[1]) - x(d[0])))
    .attr("y", bar).attr("height", 0.8 * font).attr("fill-opacity", (d) => d[2] / Math.max(1, shown.on.length));
  put(group, "rect", "tv-frame", { x: x.range()[0], width: x.range()[1] - x.range()[0], y: bar, height: 0.8 * font });
}

/** One entry a constraint, those that bind first; a window of them moves with the keys. */
function heldList(group, { facts, font, box, narrow, x, hand }) {
  const list = put(group, "g", "tv-held-list", { role: "listbox", "aria-multiselectable": true, "aria-label": "constraints on this leaf; chosen ones count", "data-control": "constraint", tabindex: 0 });
  let place = 0, from = 0, room = 1, shown = null, redraw = () => {};
  const move = (i) => {
    place = i;
    hand.over(shown.held[i].i);
    redraw();
  };
  keys(list.node(), { place: () => place, count: () => shown.held.length, go: move, enter: () => hand.toggle(shown.held[place].i), escape: () => hand.light(null), down: true });
  list.on("focus", () => hand.over(shown.held[place]?.i ?? null)).on("blur", () => hand.over(null));

  return function update(next, top, most, pitch) {
    if (next.leaf !== shown?.leaf || next.path !== shown?.path) place = 0;
    shown = next;
    room = most;
    redraw = () => {
      from = Math.max(0, Math.min(Math.max(from, place - room + 1), place, shown.held.length - room));
      const seen = shown.held.slice(from, from + room);
      list.style("display", seen.length ? "" : "none");
      const marks = list.selectAll("g.tv-held").data(seen, (d) => d.i).join((enter) => entry(enter, font, hand));
      marks.attr("transform", (d, k) => `translate(0,${round(top + k * pitch)})`).attr("aria-selected", (d) => !d.off)
        .attr("aria-setsize", shown.held.length).attr("aria-posinset", (d, k) => from + k + 1)
        .attr("aria-description", (d) => `${d.name}: loss ${d.sense} ${number(d.gamma)}, allows ${allowedIn(d.allowed, facts.ends)}${d.off ? ", switched off" : ""}`)
        .attr("class", (d, k) => `tv-held${d.off ? " tv-is-off" : ""}${d.row === shown.row ? " tv-lit" : ""}${from + k === place ? " tv-place" : ""}`);
      marks.each(function draw(d) { write(select(this), d, { facts, font, box, narrow, x }); });
    };
    redraw();
    return Math.min(room, shown.held.length);
  };
}

function entry(enter, font, hand) {
  const g = put(enter, "g", null, { role: "option", "data-made": (d) => d.i }).on("pointerenter", (event, d) => hand.over(d.i)).on("pointerleave", () => hand.over(null));
  put(g, "rect", "tv-hit", { rx: 0.4 * font }).on("click", (event, d) => hand.light(d.row));
  const knob = g.append("g").attr("class", "tv-switch").on("click", (event, d) => hand.toggle(d.i));
  put(knob, "rect", "tv-hit", { x: -0.2 * font, width: 2.6 * font, height: 2.1 * font });
  put(knob, "rect", "tv-track", { x: 0.2 * font, y: 0.55 * font, width: 1.8 * font, height: font, rx: 0.5 * font });
  put(knob, "circle", null, { cy: 1.05 * font, r: 0.36 * font });
  g.append("g").attr("class", "tv-through tv-written");
  return g;
}

function write(g, d, { facts, font, box, narrow, x }) {
  g.select(".tv-hit").attr("x", box.x0 - 0.3 * font).attr("width", box.x1 - box.x0 + 0.3 * font).attr("height", (narrow ? 3.4 : 2.1) * font);
  g.select(".tv-switch").attr("transform", `translate(${box.x0},0)`);
  g.select("circle").attr("cx", (d.off ? 0.7 : 1.5) * font);
  const out = g.select(".tv-written");
  out.selectAll("*").remove();
  const words = put(out, "text", null, { x: box.x0 + 2.5 * font, y: 1.4 * font });
  words.append("tspan").attr("class", "tv-strong").text(`${shortened(d.name, 7)}  `);
  words.append("tspan").text(`${d.said} ${d.sense} `);
  fact(words.append("tspan"), `gamma@${d.i}`, d.gamma).text(number(d.gamma));
  if (d.spent > 0) coin(out, box.x0 + (LEFT - 1.6) * font, 1.05 * font, d, font);
  const bar = (narrow ? 2.35 : 0.8) * font, tall = 0.5 * font, [low, high] = facts.ends;
  const track = put(out, "line", "tv-base", { x1: x(low), x2: x(high), y1: bar + tall / 2, y2: bar + tall / 2 });
  track.lower();
  for (const [a, b] of d.allowed) {
    put(out, "rect", "tv-allowed", { x: round(x(a)), width: round(x(b) - x(a)), y: bar, height: tall });
    for (const v of new Set([a, b])) if (v > low && v < high) put(out, "circle", "tv-end", { cx: round(x(v)), cy: bar + tall / 2, r: 0.32 * font });
  }
  endLabels(out, d, { x, y: bar + tall / 2, font, ends: facts.ends });
}

/** The ends of what a constraint allows, in the part that it forbids if there is room. */
function endLabels(out, d, { x, y, font, ends: [low, high] }) {
  const stops = d.allowed.flatMap(([a, b]) => [[a, -1], [b, 1]]).filter(([v]) => v > low && v < high);
  const gap = stops.length === 2 && d.allowed.length === 2 ? x(stops[1][0]) - x(stops[0][0]) : Infinity;
  stops.forEach(([v, side], k) => {
    if (gap < 7 * font && k > 0) side = -side; // too narrow for two: the second one stands within its bar
    const room = side > 0 ? x(high) - x(v) : x(v) - x(low);
    const way = room < 3 * font ? -side : side;
    fact(put(out, "text", "tv-halo tv-end-label", { x: round(x(v) + way * 0.55 * font), y, dy: "0.35em", "text-anchor": way > 0 ? "start" : "end" }),
      `end@${d.i}.${k}`, v).text(number(v));
  });
}

function coin(out, cx, cy, d, font) {
  const g = out.append("g").attr("class", "tv-coin-mark");
  put(g, "circle", null, { cx, cy, r: 0.85 * font });
  fact(put(g, "text", null, { "text-anchor": "middle", x: cx, y: cy, dy: "0.35em" }), `spent@${d.i}`, d.spent).text(value(d.spent));
}

/** What all constraints leave, the diamond on it, and the loss of the leaf for every prediction. */
function resultLine(group, { id, facts, font, box, x, narrow, hand }) {
  const [low, high] = facts.ends, clip = group.append("clipPath").attr("id", `${id}-legal`);
  const label = put(group, "text", "tv-strong", { x: box.x0 }).text("allowed by all");
  const track = put(group, "rect", "tv-forbidden", { x: x(low), width: x(high) - x(low), rx: 0.4 * font, height: 0.9 * font });
  const legal = group.append("g"), ends = group.append("g");
  const caption = put(group, "text", "tv-soft", { x: box.x0 }), cost = group.append("text").attr("x", box.x0);
  const all = group.append("path").attr("class", "tv-curve tv-plain"), good = put(group, "path", "tv-curve tv-good", { "clip-path": `url(#${id}-legal)` });
  const foot = box.y1 - 2.5 * font, axis = group.append("g"), heights = group.insert("g", "path");
  put(group, "line", "tv-base", { x1: x(low), x2: x(high), y1: foot, y2: foot });
  bottomAxis(axis, x, foot, font);
  mathText(put(axis, "text", "tv-axis-name", { "text-anchor": "middle", x: (x(low) + x(high)) / 2, y: foot + 2.4 * font }), "prediction *ŷ*");
  const wish = group.append("g").attr("class", "tv-through");
  wish.append("line").attr("class", "tv-drop tv-dashed");
  put(wish, "path", "tv-diamond tv-hollow", { d: diamond(1.3 * font) });
  const handle = put(group, "g", "tv-handle", { "data-control": "prediction", role: "slider", tabindex: 0, "aria-label": "try a prediction", "aria-valuemin": low, "aria-valuemax": high });
  const drop = handle.append("line").attr("class", "tv-drop"), grip = put(handle, "rect", "tv-hit", { x: -1.2 * font, width: 2.4 * font });
  const full = put(handle, "path", "tv-diamond", { d: diamond(1.5 * font) }), dot = put(handle, "circle", "tv-full", { r: 0.4 * font });
  const price = handle.append("text").attr("class", "tv-strong tv-halo");
  let shown = null, y = scaleLinear(), level = 0, stops = [];

  const to = moving(([p]) => {
    const exact = shown.tried ? shown.tried.loss : shown.at.loss, target = shown.tried ? shown.tried.p : shown.at.prediction;
    const loss = p === target && exact !== null ? exact : lossAt(shown.curve, facts.ends, p), px = round(x(p)), side = p > (low + high) / 2 ? -1 : 1;
    handle.attr("transform", `translate(${px},0)`);
    full.attr("transform", `translate(0,${level})`);
    drop.attr("y1", stops.some((v) => Math.abs(x(v) - x(p)) < 3 * font) ? level + 2.3 * font : level).attr("y2", foot);
    dot.attr("cy", round(y(loss)));
    price.attr("x", side * 0.9 * font).attr("y", round(Math.min(y(loss) - 0.3 * font, foot - 0.5 * font))).attr("text-anchor", side > 0 ? "start" : "end");
  });
  const point = () => pointAt(shown.curve, facts.ends, shown.tried ? shown.tried.p : shown.at.prediction ?? low);
  const attempt = (i) => (shown.curve[i] === null ? null : hand.attempt({ i, p: predictionAt(shown.curve, facts.ends, i), loss: shown.curve[i] }));
  dragged(handle, group.node(), (px) => attempt(pointAt(shown.curve, facts.ends, x.invert(px))));
  keys(handle.node(), { place: point, count: () => shown.curve.length, go: attempt, escape: () => hand.attempt(null) });

  return function update(next, top, at_once) {
    shown = { ...next, at_once };
    level = top + 0.9 * font + (narrow ? 1.3 * font : 0);
    const bar = level - 0.45 * font, pieces = shown.at.legal, begin = level + (narrow ? 4 : 3) * font;
    const finite = shown.curve.filter((v) => v !== null), most = Math.max(...finite), least = Math.min(...finite);
    y = scaleLinear([Math.min(least, most), most > least ? most : most + 1], [foot - 0.8 * font, begin]);
    if (!narrow) leftAxis(heights, y, x.range(), font, 4.5);
    label.attr("y", narrow ? top + 0.9 * font : level + 0.35 * font);
    track.attr("y", bar);
    const wide = ([a, b]) => Math.max(a === b ? 0.25 * font : 0, x(b) - x(a));
    legal.selectAll("rect").data(pieces).join("rect").attr("class", "tv-legal").attr("x", (p) => round(x(p[0]) - (p[0] === p[1] ? 0.12 * font : 0))).attr("width", (p) => round(wide(p))).attr("y", bar).attr("height", 0.9 * font);
    clip.selectAll("rect").data(pieces).join("rect").attr("x", (p) => round(x(p[0]))).attr("width", (p) => round(wide(p))).attr("y", begin - font).attr("height", foot - begin + 2 * font);
    stops = [...new Set(pieces.flat())].filter((v) => v > low && v < high).sort((a, b) => a - b);
    const dots = ends.selectAll("circle").data(stops).join("circle").attr("class", "tv-legal").attr("cx", (v) => round(x(v))).attr("cy", level).attr("r", 0.6 * font);
    dots.style("stroke", "var(--bg)");
    const shift = stops.length === 2 && x(stops[1]) - x(stops[0]) < 4 * font ? [-1.6 * font, 1.6 * font] : [0, 0];
    ends.selectAll("text").data(stops).join("text").attr("class", "tv-strong").attr("text-anchor", "middle").attr("x", (v, k) => round(x(v) + (shift[k] ?? 0))).attr("y", level + 2 * font)
      .each(function name(v, k) { fact(select(this), `legal_end@${k}`, v).text(number(v)); });
    draw();
  };

  function draw() {
    const line = shown.curve.flatMap((v, i) => (v === null ? [] : [`${round(x(predictionAt(shown.curve, facts.ends, i)))},${round(y(v))}`]));
    for (const path of [all, good]) path.attr("d", line.length ? `M${line.join("L")}` : "");
    const { best, prediction, loss, forbidden } = shown.at, p = shown.tried ? shown.tried.p : prediction;
    wish.style("display", forbidden || (shown.tried && best !== null) ? "" : "none").attr("transform", best === null ? null : `translate(${round(x(best))},0)`);
    wish.select("path").attr("transform", `translate(0,${level})`);
    wish.select("line").attr("y1", level + 2.3 * font).attr("y2", foot);
    handle.style("display", p === null ? "none" : "").classed("tv-trial", Boolean(shown.tried)).attr("aria-valuenow", p).attr("aria-valuetext", `${number(p ?? NaN)}${shown.tried ? ", tried" : ""}`);
    grip.attr("y", level - 1.2 * font).attr("height", foot - level + 1.2 * font);
    if (shown.tried) fact(price, `curve@${shown.tried.i}`, shown.tried.loss).text(number(shown.tried.loss));
    else fact(price, "leaf_loss", loss).text(number(loss));
    caption.attr("y", level + (narrow ? 3.2 : 3.4) * font).text(narrow ? "" : "loss of the leaf");
    cost.attr("y", level + 4.8 * font).style("display", narrow ? "none" : "");
    fact(cost.text("on its "), "rows", shown.node.rows).text(`on its ${counted(shown.node.rows, "row")}`);
    if (p !== null) to([p], { at_once: shown.at_once });
  }
}
