// Where the rows go: as many as they are on the left, where the attacker has sent them on the right; and what that costs.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { number, value } from "../format.js";
import { moving } from "../motion.js";
import { ribbon, stacked } from "../ribbons.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { SIDES, planKey } from "./model.js";

// the groups from top to bottom: what is sent left first, so that ribbons cross as little as they can
const GROUPS = [["left", 0, 0], ["left_left", 1, 0], ["right_left", 1, 0], ["left_right", 1, 1], ["right_right", 1, 1], ["right", 2, 1]];
const BOUGHT = new Set(["right_left", "left_right"]);

export function flows(group, { table, box, font, fills, soft }) {
  const n = table.codes.length, gap = 0.9 * font, bar = 1.5 * font;
  const heading = 1.6 * font, top = box.y0 + heading, room = box.flow - top;
  const unit = (room - 2 * gap) / n;
  const xs = [box.x0 + 2.6 * font, box.x1 - 9 * font];
  group.append("text").attr("class", "tv-strong").attr("x", box.x0).attr("y", box.y0 + 0.6 * font).text("Where the rows go");
  const bands = GROUPS.map(([name, side]) => group.append("path").attr("class", `tv-ribbon tv-ribbon-${SIDES[side]}`).attr("fill", side === 1 ? fills[1] : soft[side]));
  const ends = GROUPS.map(([name, side]) => [0, 1].map(() => group.append("rect").attr("width", bar).attr("fill", fills[side])));
  const coin = GROUPS.map(([name]) => (BOUGHT.has(name) ? group.append("g").attr("class", "tv-coin-mark") : null));
  for (const c of coin) c?.append("rect").attr("class", "tv-face").attr("y", -0.72 * font).attr("height", 1.44 * font).attr("rx", 0.72 * font), c?.append("text").attr("text-anchor", "middle").attr("dy", "0.35em");
  const counts = SIDES.map((s) => group.append("text").attr("class", `tv-letter tv-ink-${s}`).attr("x", xs[0] - 0.5 * font).attr("text-anchor", "end").attr("dy", "0.35em"));
  const leaves = ["left", "right"].map((side) => {
    const g = group.append("g");
    g.append("text").attr("class", "tv-soft tv-small").text(`${side} leaf`);
    const words = g.append("text").attr("class", "tv-strong tv-large").attr("y", 1.4 * font);
    words.append("tspan").text("ŷ = ");
    return { g, words: words.append("tspan") };
  });

  const draw = moving((sizes) => {
    const [L, a, b, c, d, R] = sizes.map((k) => k * unit);
    const from = stacked([L, a + b + c + d, R], top, gap), to = stacked([L + a + b, c + d + R], top + gap / 2, gap);
    if (L + a + b === 0) to[1] = top + gap;
    const start = [from[0], from[1], from[1] + a, from[1] + a + b, from[1] + a + b + c, from[2]];
    const end = [to[0], to[0] + L, to[0] + L + a, to[1], to[1] + c, to[1] + c + d];
    [L, a, b, c, d, R].forEach((size, k) => {
      bands[k].attr("d", size > 0 ? ribbon(xs[0] + bar, start[k], xs[1], end[k], size) : "");
      ends[k].forEach((rect, j) => rect.attr("x", xs[j]).attr("y", round([start, end][j][k])).attr("height", round(size)));
      coin[k]?.attr("transform", `translate(${round((xs[0] + bar + xs[1]) / 2)},${round((start[k] + end[k] + size) / 2)})`).attr("visibility", size > 0 ? "visible" : "hidden");
    });
    const sums = [L, a + b + c + d, R];
    counts.forEach((text, s) => text.attr("y", round(from[s] + sums[s] / 2)).attr("visibility", sums[s] > 0 ? "visible" : "hidden"));
    const middles = [to[0] + (L + a + b) / 2, to[1] + (c + d + R) / 2];
    if (middles[1] - middles[0] < 3.4 * font) middles[1] = middles[0] + 3.4 * font;
    leaves.forEach(({ g }, k) => g.attr("transform", `translate(${round(xs[1] + bar + 0.6 * font)},${round(middles[k] - 0.4 * font)})`));
  });

  return function update({ shown, level, table: now }, at_once) {
    draw(GROUPS.map(([name]) => shown[name]), { at_once });
    ["left", "unknown", "right"].forEach((name, s) => fact(counts[s], name, shown[name]).text(number(shown[name])));
    ["y_l", "y_r"].forEach((name, k) => fact(leaves[k].words, name, shown[name]).text(number(shown[name])));
    GROUPS.forEach(([name], k) => {
      if (!coin[k]) return;
      const single = now.levels.indexOf(level) === 1, text = `${single ? "" : "≤\u202f"}${value(level.cost)}`, wide = Math.max(1.44, 0.5 * text.length + 0.7) * font;
      fact(coin[k].select("text"), name, shown[name]).text(text);
      coin[k].select("rect").attr("x", -wide / 2).attr("width", wide);
      coin[k].attr("aria-label", `${number(shown[name])} bought across, for at most ${value(level.cost)} each`);
    });
  };
}

/** Two bars on one scale that never changes: L, and L^A. */
export function losses(group, { table, box, font }) {
  const x = scaleLinear([0, 1], [box.x0 + 2.2 * font, box.x1 - 4.6 * font]);
  const rows = [["loss", "*L*", "tv-plain"], ["loss_under_attack", "*L*^A", "tv-attacked"]].map(([name, words, look], k) => {
    const y = box.y0 + k * 1.7 * font;
    mathText(group.append("text").attr("class", k ? "tv-strong" : "tv-soft").attr("x", box.x0).attr("y", y + 0.9 * font), words);
    const bar = group.append("rect").attr("class", `tv-bar ${look}`).attr("x", x(0)).attr("y", y).attr("height", 1.15 * font).attr("rx", 2);
    const text = group.append("text").attr("class", k ? "tv-strong" : "tv-soft").attr("y", y + 0.93 * font);
    const to = moving(([end]) => {
      bar.attr("width", round(end - x(0)));
      text.attr("x", round(end + 0.5 * font));
    });
    return { name, text, to };
  });
  const note = group.append("text").attr("class", "tv-soft tv-small").attr("x", box.x0).attr("y", box.y0 + 4.5 * font);
  return function update({ shown }, plan, at_once) {
    x.domain([0, table.range[planKey(plan)][1]]);
    for (const { name, text, to } of rows) {
      fact(text, name, shown[name]).text(number(shown[name]));
      to([x(shown[name] ?? x.domain()[1])], { at_once });
    }
    note.text(null).attr("data-fact", null);
    if (plan === "own") note.text("with leaves of your own");
    else if (plan === "standard") note.text("means of both sides, as if nobody attacked");
    else if (plan === "robust") {
      const words = number(shown.standard_loss_under_attack), same = words === number(shown.loss_under_attack);
      note.text("standard leaves would lose ");
      fact(note.append("tspan"), "standard_loss_under_attack", shown.standard_loss_under_attack).text(same ? "as much" : words);
    } else {
      const worst = [0, 1, 2, 3].reduce((a, b) => (shown[`case_${b}`] > shown[`case_${a}`] ? b : a));
      note.text("the worst of four cases has squared error ");
      fact(note.append("tspan"), `case_${worst}`, shown[`case_${worst}`]).text(number(shown[`case_${worst}`]));
    }
  };
}
