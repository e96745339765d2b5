// A lane for each tree, from what it says by itself to what it says now; on top what the model says, and the line that decides.

import { scaleLinear } from "../scale.js";
import { pointer } from "../selection.js";
import { bottomAxis } from "../axis.js";
import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { moving } from "../motion.js";
import { put } from "../svg.js";
import { round } from "../steps.js";
import { apart } from "./model.js";
import { does, what } from "./words.js";

const FEW = 20; // trees whose lanes have names

export function drawLanes(group, { facts, box, font, narrow, light }) {
  const few = facts.trees <= FEW, x0 = box.x0 + (few ? 4.6 : 0.6) * font, x1 = box.x1 - 0.8 * font;
  const top = box.y0 + (facts.averaged ? 2.3 : 5.4) * font, bottom = box.y1 - (narrow ? 4.4 : 3) * font;
  const x = scaleLinear().range([x0, x1]), pitch = (bottom - top) / facts.trees, size = Math.max(2, Math.min(0.5 * font, 0.42 * pitch));
  const shade = put(group, "rect", "tv-wrong-side", { y: top, height: bottom - top });
  const ends = [[x0, "start"], [x1, "end"]].map(([at, anchor]) => put(group, "text", null, { x: at, y: bottom + 2.6 * font, "text-anchor": anchor }));
  const axis = group.append("g"), line = put(group, "line", "tv-turn", { y1: top, y2: bottom });
  put(group, "text", "tv-soft", { x: (x0 + x1) / 2, y: bottom + (narrow ? 4 : 2.6) * font, "text-anchor": "middle" })
    .text(`what each of ${facts.trees} trees ${does(facts)}`);
  const node = put(group, "g", "tv-trees", { role: "slider", tabindex: 0, "data-control": "tree", "aria-label": "tree that is lit", "aria-valuemin": 1, "aria-valuemax": facts.trees });
  const ground = put(node, "rect", "tv-hit", { x: box.x0, y: top, width: x1 - box.x0 + 0.8 * font, height: bottom - top });
  const lanes = node.selectAll("g").data(Array.from({ length: facts.trees }, (_, t) => t)).join((enter) => laneMark(enter, { x0: box.x0, x1, pitch, size, few, font }));
  const parts = lanes.nodes().map((g) => [...g.children]), model = drawModel(group, { facts, box, font, x0, x1, top, bottom });
  let state = null, lit = null, afters = [];

  const laneOf = (event) => Math.max(0, Math.min(facts.trees - 1, Math.floor((pointer(event, group.node())[1] - top) / pitch)));
  ground.on("pointermove", (event) => light({ tree: state.order[laneOf(event)] })).on("pointerleave", () => light({ tree: null }));
  ground.on("click", (event) => light({ tree: state.order[laneOf(event)], keep: true }));
  keys(node.node(), {
    place: () => (lit === null ? -1 : state.order.indexOf(lit)), count: () => facts.trees, down: true,
    go: (i) => light({ tree: state.order[i], keep: true }), escape: () => light({ tree: null, keep: true }),
  });

  const slide = moving((at) => at.forEach((value, t) => {
    if (afters[t] === value) return;
    afters[t] = value;
    const [, , way, , after] = parts[t];
    way.setAttribute("x2", round(value)), after.setAttribute("transform", `translate(${round(value)},0)`);
  }));

  /** Another row: another order of the lanes, another axis. */
  function newRow() {
    const { sides, labels } = facts, { limits } = state.detail, own = labels.y[state.label] > 0.5 ? 1 : 0;
    x.domain(limits);
    bottomAxis(axis, x, bottom, font);
    line.attr("visibility", sides ? null : "hidden");
    if (sides) {
      const turn = x(sides.threshold), from = own ? x0 : turn;
      line.attr("x1", turn).attr("x2", turn), shade.attr("x", from).attr("width", (own ? turn : x1) - from);
      ends.forEach((text, i) => text.classed("tv-strong", i === own).text(`${i ? "" : "← "}${shortened(sides.names[i], 14)}${i === own ? ", its label" : ""}${i ? " →" : ""}`));
    }
    state.order.forEach((t, lane) => {
      const [, , way, before] = parts[t], at = round(x(state.own[t]));
      lanes.nodes()[t].setAttribute("transform", `translate(0,${round(top + (lane + 0.5) * pitch)})`);
      way.setAttribute("x1", at), before.setAttribute("cx", at);
      before.setAttribute("data-value", state.own[t]);
    });
  }

  return function update(next, at_once, bright) {
    const fresh = state === null || next.detail !== state.detail;
    state = next, lit = bright.tree;
    if (fresh) newRow();
    const turned = new Set(state.turned), moved = new Set(state.moved), chosen = new Set(bright.trees);
    parts.forEach(([, , , , after], t) => {
      const look = `tv-lane ${turned.has(t) ? "tv-turned" : moved.has(t) ? "tv-moved" : ""} ${chosen.has(t) ? "tv-lit" : ""}`;
      const g = lanes.nodes()[t];
      if (g.getAttribute("class") !== look) g.setAttribute("class", look);
      after.setAttribute("data-value", state.now[t]);
    });
    const place = lit === null ? 0 : state.order.indexOf(lit) + 1;
    node.attr("aria-valuenow", place || 1).attr("aria-valuetext", lit === null ? "none" : `tree ${lit}: ${number(state.own[lit])} → ${number(state.now[lit])}`);
    slide(state.now.map((v) => x(v)), { at_once: at_once || fresh });
    model(state, at_once || fresh, fresh);
  };
}

function laneMark(enter, { x0, x1, pitch, size, few, font }) {
  const g = enter.append("g");
  put(g, "rect", "tv-lane-ground", { x: x0, width: x1 - x0, y: -pitch / 2, height: pitch });
  put(g, "text", "tv-soft", { x: x0, dy: "0.35em" }).text((t) => (few ? `tree ${t}` : ""));
  put(g, "line", "tv-way", { "stroke-width": round(Math.max(1.5, 0.55 * size)) });
  put(g, "circle", "tv-before", { r: size, "data-fact": (t) => `before_${t}` });
  const d = 1.25 * size, after = put(g, "g", "tv-after", { "data-fact": (t) => `after_${t}` });
  after.append("circle").attr("r", 0.8 * size), after.append("path").attr("d", `M0,${-d}L${d},0L0,${d}L${-d},0Z`);
  return g;
}

/** What the model says, before and now, and of a regression the label; the lines run through the lanes where it is their mean. */
function drawModel(group, { facts, box, font, x0, x1, top, bottom }) {
  const scale = scaleLinear().range([x0, x1]), y0 = box.y0 + 1.9 * font, y1 = facts.averaged ? bottom : box.y0 + 3.3 * font;
  const axis = group.append("g"), base = put(group, "line", "tv-base", { x1: x0, x2: x1, y1, y2: y1 });
  base.attr("visibility", facts.averaged ? "hidden" : null);
  const g = group.append("g").attr("class", "tv-through tv-model"), stroke = (look) => put(g, "line", look, { y1: y0, y2: y1 });
  const lines = { turn: stroke("tv-turn"), label: stroke("tv-label-line"), own: stroke("tv-own-mean"), now: stroke("tv-mean") };
  lines.turn.attr("visibility", facts.averaged || !facts.sides ? "hidden" : null), lines.label.attr("visibility", facts.sides ? "hidden" : null);
  const words = { label: g.append("text").attr("class", "tv-soft"), own: g.append("text") };
  const pill = g.append("g").attr("class", "tv-pill"), back = put(pill, "rect", null, { height: 1.7 * font, rx: 0.85 * font, y: -1.22 * font });
  words.now = pill.append("text");
  Object.values(words).forEach((text) => text.attr("text-anchor", "middle").attr("y", box.y0 + 1.25 * font));
  pill.attr("transform", null), words.now.attr("y", 0), words.label.attr("visibility", facts.sides ? "hidden" : null);
  const wide = (text) => text.node().getComputedTextLength() + 1.3 * font;
  let widths = null, state = null;
  const slide = moving(([at]) => {
    lines.now.attr("x1", round(at)).attr("x2", round(at));
    const keys = ["own", "label", "now"].filter((k) => k !== "label" || !facts.sides);
    const middles = keys.map((k) => (k === "now" ? at : scale(k === "own" ? state.detail.states.score[state.stops[0]] : facts.labels.y[state.label])));
    apart(middles, keys.map((k) => widths[k]), [box.x0, x1 + 0.8 * font]).forEach((middle, i) => {
      if (keys[i] === "now") pill.attr("transform", `translate(${round(middle)},${box.y0 + 1.25 * font})`);
      else words[keys[i]].attr("x", round(middle));
    });
  });
  return function update(next, at_once, fresh) {
    state = next;
    const { score, mean } = state.detail.states, first = score[state.stops[0]], now = score[state.at];
    if (fresh) {
      scale.domain(state.detail.score_limits);
      if (!facts.averaged) bottomAxis(axis, scale, y1, font);
      for (const [k, v] of [["turn", 0.5], ["label", facts.labels.y[state.label]], ["own", first]]) lines[k].attr("x1", scale(v)).attr("x2", scale(v));
    }
    words.own.text(`${facts.averaged ? "mean" : what(facts)} before `), fact(words.own.append("tspan"), "score_before", first).text(number(first));
    words.label.text("true label "), fact(words.label.append("tspan"), "row_y", facts.labels.y[state.label]).text(shortened(facts.labels.name[state.label], 12));
    words.now.text(`${facts.averaged ? "mean" : what(facts)} after `), fact(words.now.append("tspan"), "score", now).text(number(now));
    fact(pill, "mean", mean[state.at]);
    widths = Object.fromEntries(Object.entries(words).map(([k, text]) => [k, wide(text)]));
    back.attr("width", widths.now).attr("x", -widths.now / 2);
    slide([scale(now)], { at_once });
  };
}
