// All rows, those that the attacker can hurt most first: dark: the loss without an attack; gold: what the budget adds.

import { fact } from "../facts.js";
import { number, value } from "../format.js";
import { round } from "../steps.js";
import { strip } from "../strip.js";
import { infinite, rowPlace, worstLoss } from "./model.js";

export function drawStrip(group, { facts, tree, box, font, set, hover }) {
  const n = facts.rows.at.length, { words, marks, wide, top, choose } = strip(group, { box, font, n, hover, set: (i) => set({ row: facts.rows.at[i] }) });
  const own = facts.rows.at.map((_, r) => infinite(tree.losses[facts.rows.label[r]][tree.home[r]]));
  const dear = facts.rows.at.map((_, r) => worstLoss(facts, tree, r, tree.costs.length));
  const finite = [...own, ...dear].filter(Number.isFinite), most = finite.reduce((a, b) => Math.max(a, b), 1e-12);
  const y = (loss) => round(box.y1 - (Math.min(loss, 1.12 * most) / (1.12 * most)) * (box.y1 - top));
  const hurt = marks.append("path").attr("class", "tv-strip-hurt");
  marks.append("path").attr("class", "tv-strip-plain").attr("d", bars(own));
  let drawn = null;

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
    choose(rowPlace(facts, facts.rows.at[state.r]), state.name);
    const who = `${n === facts.n ? "all" : number(n)} rows${n < facts.n ? ` of ${number(facts.n)}` : ""}, those that an attack can hurt most first; dark: the loss without it`;
    words.text(`${box.x1 - box.x0 > 50 * font ? who : "dark: loss"}, gold: what `);
    fact(words.append("tspan"), "strip_budget", state.budget).text(`a budget of ${value(state.budget)}`);
    words.append("tspan").text(" adds");
  };
}
