// Beside the lanes: the bill, move by move with the trees that turn, and how the trees divide.

import { moveIn } from "../attack/words.js";
import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { VERDICT, ledger } from "../ledger.js";
import { moving } from "../motion.js";
import { put } from "../svg.js";
import { scaleLinear } from "../scale.js";
import { round } from "../steps.js";
import { what } from "./words.js";

export function drawSide(group, { facts, box, font, set, light }) {
  const who = put(group, "text", "tv-strong", { x: box.x0, y: box.y0 + font });
  const lines = ledger(group, { box, font, below: 11 * font, set: (move) => set({ move }), hover: (move) => light({ move }) });
  const bars = sideBars(group, { facts, box, font });
  return function update(state, at_once, bright) {
    const { label, moves, step } = state;
    who.text(`${shortened(state.name, 18)}, true label `);
    fact(who.append("tspan"), "row_y", facts.labels.y[label]).text(shortened(facts.labels.name[label], 12));
    lines({ ...state, entries: entries(state, bright.tree), place: step === VERDICT ? moves.length + 1 : step });
    bars(state, at_once);
  };
}

/** A lit tree rings the moves at which it turns. */
function entries({ facts, detail, moves, stops, turns }, tree) {
  const said = (k) => `${what(facts)} ${number(detail.states.score[stops[k]])}`;
  const steps = moves.map((m, i) => {
    const list = turns[i + 1], note = facts.sides && { name: `turns_${i + 1}`, value: list.length, text: list.length ? `${list.length} ${list.length === 1 ? "changes" : "change"}` : "–" };
    return { words: (longest) => moveIn(m, longest), cost: m.cost, note, lit: list.includes(tree) };
  });
  return [{ words: `without attack: ${said(0)}`, cost: null }, ...steps, { words: `under attack: ${said(moves.length)}`, cost: null }];
}

/** With two classes: how many trees are on the second side, by themselves and now; and always the row's loss. */
function sideBars(group, { facts, box, font }) {
  const heading = facts.sides ? `trees that say ${shortened(facts.sides.names[1], 14)}` : `${facts.loss} of the row`;
  const y = box.y1 - (facts.sides ? 6.6 : 5) * font, x = scaleLinear().range([box.x0 + 4.6 * font, box.x1 - 4.4 * font]);
  put(group, "text", "tv-soft", { x: box.x0, y }).text(heading);
  const parts = [["before", "tv-plain"], ["now", "tv-attacked"]].map(([words, look], j) => {
    const top = y + (0.5 + 1.7 * j) * font;
    put(group, "text", null, { x: box.x0, y: top + 0.95 * font }).text(words);
    if (facts.sides) put(group, "rect", "tv-strip-ground", { x: x.range()[0], y: top, width: x.range()[1] - x.range()[0], height: 1.15 * font });
    const bar = put(group, "rect", `tv-bar ${look}`, { x: x(0), y: top, height: 1.15 * font });
    const text = put(group, "text", "tv-strong", { y: top + 0.95 * font });
    const to = moving(([end]) => (bar.attr("width", round(Math.max(0, end - x.range()[0]))), facts.sides || text.attr("x", round(end + 0.4 * font))));
    if (facts.sides) text.attr("x", x.range()[1] + 0.4 * font);
    return { text, to };
  });
  const loss = put(group, "text", null, { x: box.x0, y: y + 5.4 * font, visibility: facts.sides ? null : "hidden" });
  return function update({ detail, ones, stops, made, at }, at_once) {
    const losses = [stops[0], at].map((s) => detail.states.loss[s]), shown = facts.sides ? [ones[0], ones[made]] : losses;
    x.domain([0, facts.sides ? facts.trees : Math.max(1e-12, ...detail.states.loss)]);
    parts.forEach(({ text, to }, j) => {
      fact(text, `${facts.sides ? "ones" : "loss"}_${j ? "now" : "before"}`, shown[j]).text(number(shown[j]));
      to([x(shown[j] ?? x.domain()[1])], { at_once });
    });
    if (!facts.sides) return;
    loss.text(`${facts.loss} of the row `);
    fact(loss.append("tspan"), "loss_before", losses[0]).text(number(losses[0]));
    loss.append("tspan").text(" → ");
    fact(loss.append("tspan").attr("class", "tv-strong"), "loss_now", losses[1]).text(number(losses[1]));
  };
}
