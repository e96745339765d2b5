// All rows, those that lose most first: pale: the loss by itself; strong: what the budget adds. A slider to the keyboard.

import { pointer } from "d3-selection";
import { fact } from "../facts.js";
import { number } from "../format.js";
import { keys } from "../keyboard.js";
import { round } from "../steps.js";
import { infinite, rowPlace, worstLoss } from "./model.js";

export function drawStrip(group, { facts, tree, box, font, set, hover }) {
  const n = facts.rows.at.length, top = box.y0 + 1.9 * font, height = box.y1 - top, wide = (box.x1 - box.x0) / n;
  const own = facts.rows.at.map((_, r) => infinite(tree.losses[facts.rows.label[r]][tree.home[r]]));
  const dear = facts.rows.at.map((_, r) => worstLoss(facts, tree, r, tree.costs.length));
  const finite = [...own, ...dear].filter(Number.isFinite), most = finite.reduce((a, b) => Math.max(a, b), 1e-12);
  const y = (loss) => round(box.y1 - (Math.min(loss, 1.12 * most) / (1.12 * most)) * height);
  const words = group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", box.y0 + font);
  const node = group.append("g").attr("role", "slider").attr("tabindex", 0).attr("data-control", "row").attr("class", "tv-strip")
    .attr("aria-label", "row that is attacked").attr("aria-valuemin", 1).attr("aria-valuemax", n);
  const ground = node.append("rect").attr("class", "tv-strip-ground").attr("x", box.x0).attr("y", top).attr("width", box.x1 - box.x0).attr("height", height);
  const hurt = node.append("path").attr("class", "tv-strip-hurt"), plain = node.append("path").attr("class", "tv-strip-plain").attr("d", bars(own));
  const lit = node.append("rect").attr("class", "tv-strip-lit").attr("y", top - 0.2 * font).attr("height", height + 0.4 * font);
  let now = 0, drawn = null;
  keys(node.node(), { place: () => now, count: () => n, go: (i) => set({ row: facts.rows.at[i] }) });
  const rowAt = (event) => Math.max(0, Math.min(n - 1, Math.floor((pointer(event, group.node())[0] - box.x0) / wide)));
  ground.on("click", (event) => set({ row: facts.rows.at[rowAt(event)] }))
    .on("pointermove", (event) => hover(rowAt(event))).on("pointerleave", () => hover(null));

  /** One path: bars that stand side by side, with a gap where there is room for one. */
  function bars(losses) {
    const gap = wide > 4 ? Math.min(0.25 * wide, 0.3 * font) : 0;
    return losses.map((loss, i) => `M${round(box.x0 + i * wide)},${round(box.y1)}V${y(loss)}H${round(box.x0 + (i + 1) * wide - gap)}V${round(box.y1)}Z`).join("");
  }

  return function update(state) {
    if (drawn !== state.level) {
      hurt.attr("d", bars(facts.rows.at.map((_, r) => worstLoss(facts, tree, r, state.level))));
      drawn = state.level;
    }
    now = rowPlace(facts, facts.rows.at[state.r]);
    lit.attr("x", round(box.x0 + now * wide - 1.5)).attr("width", round(Math.max(wide, 2) + 3));
    node.attr("aria-valuenow", now + 1).attr("aria-valuetext", state.name);
    words.text(`the ${number(n)} rows ${n < facts.n ? `of ${number(facts.n)} ` : ""}that lose most first: pale: the loss by itself; strong: what `);
    if (n === facts.n) words.text("all rows, those that lose most first: pale: the loss by itself; strong: what ");
    fact(words.append("tspan"), "strip_budget", state.budget).text(`a budget of ${number(state.budget, 6)}`);
    words.append("tspan").text(" adds");
  };
}
