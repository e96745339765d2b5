// Beside the steps: the features that the attacks pay for, and the bill of one row.

import { moveIn } from "../attack/words.js";
import { fact } from "../facts.js";
import { counted, distinct, number, shortened, value } from "../format.js";
import { marks } from "../ledger.js";
import { scaleLinear } from "../scale.js";
import { round } from "../steps.js";
import { put } from "../svg.js";
import { verdict, word } from "./words.js";

/** A bar for each feature, as long as what the attacks that the budget buys spend on it. */
export function drawPayers(group, { facts, box, font }) {
  const { features } = facts, room = Math.floor((box.y1 - box.y0 - 2 * font) / (2.6 * font)), shown = features.length > room ? features.slice(0, room - 1) : features;
  const names = distinct(shown.map((f) => f.name), 20), rest = features.length - shown.length;
  if (rest) put(group, "text", "tv-soft", { x: box.x0, y: box.y0 + (2.9 + 2.6 * shown.length) * font }).text(`and ${counted(rest, "more feature")}`);
  const most = Math.max(1e-12, ...shown.map(({ paid }) => paid.value[paid.value.length - 1])), x = scaleLinear([0, most], [box.x0, box.x1 - 0.5 * font]);
  const head = put(group, "text", "tv-strong", { x: box.x0, y: box.y0 + font });
  const bars = shown.map((_, i) => {
    const y = box.y0 + (2.9 + 2.6 * i) * font;
    put(group, "text", "", { x: box.x0, y }).text(names[i]);
    return [put(group, "rect", "tv-paid", { x: box.x0, y: y + 0.35 * font, height: 0.7 * font }), put(group, "text", "tv-soft", { x: box.x1, y, "text-anchor": "end" })];
  });
  return function update({ payers, budget }) {
    head.text(shown.length ? `paid with ${value(budget)}` : "no affordable rule");
    bars.forEach(([bar, words], i) => {
      const { paid, uses } = payers[i];
      bar.attr("width", round(x(paid) - box.x0));
      fact(words.text("").append("tspan"), `paid_${i}`, paid).text(number(paid));
      fact(words.append("tspan"), `uses_${i}`, uses).text(uses ? ` in ${counted(uses, "attack")}` : "");
    });
  };
}

/** The row: what it is, each move with its coin and the score that follows, and what that makes of the prediction. */
export function drawBill(group, { box, font }) {
  const size = { font, pitch: 1.9 * font, width: box.x1 - box.x0 }, most = Math.max(2, Math.floor((box.y1 - box.y0) / size.pitch) - 5);
  const line = (look, y = 0) => put(group, "text", look, { x: box.x0, y: box.y0 + y * font });
  const who = line("tv-strong", 1), before = line("", 2.6), list = put(group, "g", "tv-bill tv-through", { transform: `translate(${box.x0},${box.y0 + 4.3 * font})` });
  const end = [line("tv-strong"), line(""), line("")];
  return function update(state) {
    const { moves, scores, safe_below, changes_at, fate } = state, kept = moves.slice(0, most);
    who.text(`${shortened(state.name, 20)}${state.label}`);
    fact(before.text("predicted ").append("tspan"), "score_before", scores[0]).text(word(state, false));
    const entries = kept.map((m, i) => ({ i: i + 1, cost: m.cost, words: (longest) => moveIn(m, longest), note: { name: `score_${i + 1}`, value: scores[i + 1], text: number(scores[i + 1]) } }));
    marks(list, entries, size).attr("class", fate === "falls" ? "tv-entry" : "tv-entry tv-later");
    const rest = moves.length - kept.length, y = box.y0 + 4.6 * font + size.pitch * kept.length;
    end.forEach((text, k) => text.text("").attr("y", y + 1.6 * k * font));
    const [first, second, third] = end;
    first.text(`${rest ? `and ${counted(rest, "more move")}; ` : ""}${verdict(state)}`);
    if (safe_below === null) return;
    fact(second.text("safe below ").append("tspan"), "safe_below", safe_below).text(value(safe_below));
    if (changes_at === null) return;
    fact(second.append("tspan").text("; changes at ").append("tspan"), "changes_at", changes_at).text(value(changes_at));
    fact(third.text("then predicted ").append("tspan"), "score_after", scores[scores.length - 1]).text(word(state, true));
  };
}
