// The bill: the row by itself, move after move with what is left, and what it comes to; a click plays up to there.

import { scaleLinear } from "d3-scale";
import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { moving } from "../motion.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { VERDICT, infinite } from "./model.js";
import { moveOf } from "./words.js";

export function drawBill(group, { box, font, set, facts }) {
  const pitch = 1.9 * font, most = Math.max(3, Math.floor((box.y1 - box.y0 - 12.4 * font) / pitch));
  const longest = Math.max(10, Math.floor((box.x1 - box.x0 - 3 * font) / (0.56 * font)));
  const who = group.append("text").attr("x", box.x0).attr("y", box.y0 + font).attr("class", "tv-strong");
  const lines = group.append("g").attr("role", "slider").attr("tabindex", 0).attr("data-control", "step").attr("class", "tv-bill")
    .attr("aria-label", "moves that are made").attr("aria-valuemin", 0).attr("transform", `translate(${box.x0},${box.y0 + 2 * font})`);
  let state = null;
  const place = () => (state.step === VERDICT ? state.moves.length + 1 : state.step);
  const go = (i) => set({ step: i > state.moves.length ? VERDICT : i });
  keys(lines.node(), { place, count: () => state.moves.length + 2, go, down: true, escape: () => set({ step: VERDICT }) });
  const purse = group.append("text").attr("x", box.x0);
  const bars = lossBars(group, { box, font, facts });
  return function update(next, at_once) {
    state = next;
    who.text(`${shortened(state.name, 18)}, y = `);
    fact(who.append("tspan"), "row_y", facts.labels.y[state.label]).text(shortened(facts.labels.name[state.label], 12));
    const all = entries(state), from = Math.max(0, Math.min(all.length - most, place() - Math.floor(most / 2)));
    const rows = lines.selectAll("g").data(all.slice(from, from + most), (d) => d.i).join(entryMark);
    rows.attr("transform", (d, i) => `translate(0,${round(i * pitch)})`).attr("class", (d) => `tv-entry ${d.i === place() ? "tv-now" : ""} ${d.i <= place() ? "" : "tv-later"}`)
      .on("click", (event, d) => go(d.i));
    rows.each(function (d) { entry(this, d, font, box.x1 - box.x0, pitch, longest); });
    lines.attr("aria-valuemax", all.length - 1).attr("aria-valuenow", place()).attr("aria-valuetext", all[place()].words);
    purse.text("spent ").attr("y", box.y0 + 2.9 * font + Math.min(most, all.length) * pitch);
    fact(purse.append("tspan").attr("class", "tv-strong"), "spent", state.spent).text(number(state.spent, 6));
    purse.append("tspan").text(" of ");
    purse.append("tspan").text(number(state.budget, 6));
    purse.append("tspan").text(", left ");
    fact(purse.append("tspan").attr("class", "tv-strong"), "left", state.left).text(number(state.left, 6));
    bars(state, at_once);
  };
}

function entries({ moves, home, shown, tree }) {
  const says = (leaf) => `ŷ = ${number(tree.leaves.prediction[leaf])}`;
  const own = { i: 0, words: `by itself: ${says(home.leaf)}`, cost: null };
  return [own, ...moves.map((m, k) => ({ i: k + 1, move: m, words: moveOf(m, 14), cost: m.cost })), { i: moves.length + 1, words: `in the end: ${says(shown.leaf)}`, cost: null }];
}

function entryMark(enter) {
  const g = enter.append("g");
  g.append("rect").attr("class", "tv-hit"), g.append("circle"), g.append("text").attr("class", "tv-cost").attr("text-anchor", "middle").attr("dy", "0.35em");
  g.append("text").attr("class", "tv-what").attr("dy", "0.35em");
  return g;
}

function entry(node, d, font, width, pitch, longest) {
  const [hit, circle, cost, what] = node.children, paid = d.cost !== null, x = paid ? 2.5 * font : 0.5 * font;
  hit.setAttribute("width", width), hit.setAttribute("height", pitch), hit.setAttribute("y", -pitch / 2), hit.setAttribute("rx", 0.4 * font);
  circle.setAttribute("r", paid ? 0.8 * font : 0), circle.setAttribute("cx", 1.2 * font), cost.setAttribute("x", 1.2 * font);
  cost.textContent = paid ? number(d.cost, 6) : "", what.textContent = shortened(d.words, longest), what.setAttribute("x", x);
  if (paid) cost.setAttribute("data-fact", `move_${d.i}_cost`), cost.setAttribute("data-value", d.cost);
  else cost.removeAttribute("data-fact");
}

/** The row's loss, and that of all rows: by itself and under attack, each pair on a scale of its own. */
function lossBars(group, { box, font, facts }) {
  const given = [
    ["row_loss", "row_loss_under_attack", "loss of the row", "by itself", "now"],
    ["loss", "loss_under_attack", `loss of all ${number(facts.n)} rows`, "*L*", "*L*^A"],
  ];
  const parts = given.flatMap(([a, b, heading, one, other], k) => {
    const y = box.y1 - (10.1 - 5.2 * k) * font, x = scaleLinear().range([box.x0 + 4.4 * font, box.x1 - 4.6 * font]);
    group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", y).text(heading);
    return [[a, one, "tv-plain"], [b, other, "tv-attacked"]].map(([name, words, look], j) => {
      const top = y + (0.5 + 1.7 * j) * font;
      mathText(group.append("text").attr("x", box.x0).attr("y", top + 0.95 * font), words);
      const bar = group.append("rect").attr("class", `tv-bar ${look}`).attr("x", x(0)).attr("y", top).attr("height", 1.15 * font).attr("rx", 2);
      const text = group.append("text").attr("y", top + 0.95 * font).attr("class", "tv-strong");
      const to = moving(([end]) => (bar.attr("width", round(Math.max(0, end - x.range()[0]))), text.attr("x", round(end + 0.4 * font))));
      return { name, bar, text, to, x };
    });
  });
  return function update({ tree, level, home, label, at }, at_once) {
    const losses = tree.losses[label], now = { row_loss: home.loss, row_loss_under_attack: losses[at], loss: tree.loss, loss_under_attack: tree.loss_under_attack[level] };
    const finite = (list) => Math.max(1e-12, ...list.filter((l) => l !== null));
    const ends = { row_loss: finite(losses), loss: finite([tree.loss, ...tree.loss_under_attack]) };
    ends.row_loss_under_attack = ends.row_loss, ends.loss_under_attack = ends.loss;
    for (const { name, bar, text, to, x } of parts) {
      x.domain([0, ends[name]]);
      fact(text, name, now[name]).text(number(now[name], 4));
      bar.classed("tv-endless", infinite(now[name]) === Infinity);
      to([x(now[name] ?? ends[name])], { at_once });
    }
  };
}
