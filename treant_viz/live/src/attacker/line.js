// The number line: the data behind, a lane a rule (a band where it applies, an arrow for what it adds, a coin), and below
// the axis what the budget makes of a row.

import { scaleLinear } from "../scale.js";
import { bottomAxis } from "../axis.js";
import { dragged } from "../drag.js";
import { fact, lastAtMost } from "../facts.js";
import { number, value } from "../format.js";
import { keys } from "../keyboard.js";
import { LABELS, numberIn } from "./check.js";
import { gridOf, snapped, stops, written } from "./model.js";
import { reachLane } from "./reach.js";
import { ruleWords } from "./words.js";

const ENDS = ["low", "high", "least", "most"];

/** Draws into svg; `on`: {edit(field, x), cost(way), hold(card)}. Returns update(state). */
export function line(svg, { feature, domain, cards, font, width, height, paint, on }) {
  const x = scaleLinear(domain, [font, width - 4 * font]), grid = gridOf(domain[1] - domain[0]);
  const axis = height - 5 * font, lane = (axis - font) / Math.max(cards.length, 1);
  histogram(svg.append("g"), feature, x, { axis, top: 0.4 * font });
  svg.append("line").attr("class", "tv-axis").attr("x1", 0).attr("x2", width - 3.4 * font).attr("y1", axis).attr("y2", axis);
  bottomAxis(svg.append("g"), x, axis, font);
  svg.append("text").attr("class", "tv-axis-name").attr("x", width).attr("y", axis + 0.35 * font).attr("text-anchor", "end").text(feature.short);
  const lanes = cards.map((card, i) => {
    const y = axis - lane * (cards.length - i - 0.5);
    return oneRule(svg.append("g").attr("class", "tv-rule").attr("transform", `translate(0,${y})`), { x, grid, font, card, tall: Math.min(2.2 * font, 0.4 * lane), width, on });
  });
  const below = reachLane(svg.append("g").attr("transform", `translate(0,${axis + 3.2 * font})`), { x, font, paint });
  return function update({ held, at, found }) {
    lanes.forEach((draw, i) => draw({ held: cards[i] === held, at }));
    below(at, found);
  };
}

/** Sticks for single values, bars for bins: as high as rows are many. */
function histogram(group, { at, counts, width }, x, { axis, top }) {
  const unit = 0.9 * (axis - top) / Math.max(...counts, 1), thick = width ? Math.max(x(width) - x(0) - 1, 1) : 5;
  group.selectAll("rect").data(counts).join("rect").attr("class", "tv-behind").attr("width", thick)
    .attr("x", (_, i) => x(at[i]) - (width ? 0 : thick / 2)).attr("y", (n) => axis - n * unit).attr("height", (n) => n * unit);
}

function oneRule(group, { x, grid, font, card, tall, width, on }) {
  const [a, b] = x.domain(), inside = (v) => Math.min(b, Math.max(a, v)), at = (v) => x(inside(v));
  const hit = group.append("rect").attr("class", "tv-hit").attr("width", width).attr("y", -1.5 * tall).attr("height", 3 * tall).on("click", () => on.hold(card));
  const band = group.append("rect").attr("class", "tv-band").attr("y", -tall / 2).attr("height", tall).attr("rx", 3).on("click", () => on.hold(card));
  const words = group.append("text").attr("class", "tv-halo tv-through").attr("y", -0.5 * tall - 0.45 * font);
  const arrow = group.append("path").attr("class", "tv-change tv-through"), dot = group.append("circle").attr("class", "tv-dot tv-through").attr("r", 0.28 * font);
  const grips = Object.fromEntries(ENDS.map((end) => [end, grip(group, end, font, tall)]));
  const coin = coinOf(group, font, (way) => {
    on.hold(card);
    on.cost(way);
  }).attr("transform", `translate(${width - 1.6 * font},0)`);
  let now = null;
  const ends = () => ({ low: numberIn(card.low, -Infinity), high: numberIn(card.high, Infinity), least: numberIn(card.least), most: numberIn(card.most) });
  const places = { low: stops([a, b], grid, -1), high: stops([a, b], grid, 1), least: stops([a - b, b - a], grid), most: stops([a - b, b - a], grid) };
  /** An end is brought to x; it stops at the other end. */
  const put = (end, v) => {
    const e = now.ends, other = { low: e.high, high: e.low, least: e.most, most: e.least }[end];
    const to = Number.isNaN(other) ? v : end === "low" || end === "least" ? Math.min(v, other) : Math.max(v, other);
    on.edit(end, Number.isFinite(to) ? String(to) : "");
  };
  for (const end of ENDS) {
    const moved = end === "least" || end === "most";
    dragged(grips[end], group.node(), (px) => {
      on.hold(card);
      const v = x.invert(px);
      if (moved) put(end, snapped(v - now.home, grid));
      else put(end, v <= a + grid / 2 && end === "low" ? -Infinity : v >= b - grid / 2 && end === "high" ? Infinity : snapped(inside(v), grid));
    });
    const place = () => lastAtMost(places[end], now.ends[end] + (end === "low" || end === "least" ? 0 : 1e-12));
    keys(grips[end].node(), { place, count: () => places[end].length, go: (i) => put(end, places[end][i]) });
  }

  return function update({ held, at: value_at }) {
    const e = ends(), known = (v, other) => (Number.isNaN(v) ? other : v);
    const low = known(e.low, -Infinity), high = known(e.high, Infinity);
    const home = Math.min(Math.max(value_at, inside(low)), inside(high));
    now = { ends: e, home };
    const [p, q] = [at(low), at(high)], [l, r] = [at(home + known(e.least, 0)), at(home + known(e.most, 0))];
    group.classed("tv-held", held);
    hit.attr("x", 0);
    band.attr("x", Math.min(p, q)).attr("width", Math.max(Math.abs(q - p), 1)).classed("tv-no-start", low === -Infinity).classed("tv-no-end", high === Infinity);
    dot.attr("cx", x(home));
    arrow.attr("d", arrowPath(l, r, x(home), 0.45 * font));
    words.text(ruleWords(card.rule));
    words.attr("x", Math.min(Math.max(p + 0.5 * font, 0), width - 4 * font - words.node().getComputedTextLength()));
    const spots = { low: p, high: q, least: l - 0.1 * font, most: r + 0.1 * font };
    for (const end of ENDS) {
      const g = grips[end].attr("transform", `translate(${spots[end]},0)`).attr("display", held ? null : "none");
      g.select("text").text(e[end] === Infinity ? "∞" : e[end] === -Infinity ? "−∞" : "");
      fact(g, end, Number.isNaN(e[end]) ? "unknown" : written(e[end])).attr("aria-valuenow", Number.isFinite(e[end]) ? e[end] : end === "low" ? a : b)
        .attr("aria-valuetext", Number.isFinite(e[end]) ? value(e[end]) : "no bound").attr("aria-valuemin", places[end][0] === -Infinity ? a : places[end][0])
        .attr("aria-valuemax", places[end][places[end].length - 1] === Infinity ? b : places[end][places[end].length - 1]);
    }
    showCoin(coin, numberIn(card.cost), held);
  };
}

/** From one end to the other, with a head where it leads away from home. */
function arrowPath(l, r, home, size) {
  const head = (to, way) => (Math.abs(to - home) < 2 ? "" : `M${to - way * size},${-size}L${to},0L${to - way * size},${size}`);
  return `M${l},0H${r}${head(l, -1)}${head(r, 1)}`;
}

function grip(group, end, font, tall) {
  const moved = end === "least" || end === "most", way = end === "low" || end === "least" ? -1 : 1;
  const g = group.append("g").attr("class", `tv-grip tv-grip-${moved ? "change" : "end"}`).attr("role", "slider").attr("tabindex", 0)
    .attr("aria-label", LABELS[end]).attr("data-control", end);
  const wide = moved ? 1.3 * font : 1.1 * font, high = moved ? 1.1 * tall : 1.9 * tall;
  g.append("rect").attr("class", "tv-hit").attr("width", wide).attr("height", high).attr("y", -high / 2).attr("x", moved ? (way > 0 ? -0.3 * font : 0.3 * font - wide) : -wide / 2);
  if (moved) g.append("circle").attr("r", 0.34 * font).attr("cx", way * 0.1 * font);
  else g.append("rect").attr("class", "tv-knob").attr("width", 0.36 * font).attr("x", -0.18 * font).attr("y", -0.85 * tall).attr("height", 1.7 * tall).attr("rx", 0.18 * font);
  if (!moved) g.append("text").attr("class", "tv-halo tv-through").attr("text-anchor", way < 0 ? "start" : "end").attr("x", -way * 0.6 * font).attr("y", 0.5 * tall + 0.9 * font);
  return g;
}

const WAYS = { ArrowUp: 1, ArrowRight: 1, Enter: 1, " ": 1, ArrowDown: -1, ArrowLeft: -1 };

/** A coin with a cost on it: a click, or a key, makes it one more (1) or one less (-1). */
export function coinOf(group, font, turn) {
  const coin = group.append("g").attr("class", "tv-coin-mark tv-cost").attr("role", "spinbutton").attr("aria-label", "cost").attr("aria-valuemin", 0)
    .on("click", (event) => turn(event.shiftKey ? -1 : 1)).on("keydown", (event) => {
      if (!WAYS[event.key]) return;
      turn(WAYS[event.key]);
      event.preventDefault();
      event.stopPropagation();
    });
  coin.append("circle").attr("r", 1.05 * font);
  coin.append("text").attr("text-anchor", "middle").attr("dy", "0.35em");
  return coin;
}

/** Only the coin of the rule in hand is a stop of the keyboard. */
export function showCoin(coin, cost, held) {
  const known = !Number.isNaN(cost);
  if (held) fact(coin.attr("data-control", "coin").attr("tabindex", 0), "cost", known ? written(cost) : "unknown");
  else coin.attr("data-control", null).attr("tabindex", null).attr("data-fact", null);
  coin.attr("aria-valuenow", known && Number.isFinite(cost) ? cost : 0).select("text").text(known ? value(cost) : "?");
}
