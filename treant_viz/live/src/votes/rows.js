// All rows, those that change most first: a line from what the model says without an attack to what the attacker's budget makes of it.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { number, value } from "../format.js";
import { put } from "../svg.js";
import { round } from "../steps.js";
import { strip } from "../strip.js";
import { what } from "./words.js";

export function drawRows(group, { facts, box, font, set, light }) {
  const { at, name, before, after } = facts.rows, n = at.length, ordinary = facts.sides && [...before, ...after].every((v) => v >= 0 && v <= 1);
  const { words, marks, wide, top, choose } = strip(group, { box, font, n, set: (i) => set({ row: at[i] }), hover: (row) => light({ row }) });
  const all = [...before, ...after].filter((v) => v !== null), low = ordinary ? 0 : Math.min(...all), high = ordinary ? 1 : Math.max(...all);
  const y = scaleLinear([low, high], [box.y1 - 3, top + 3]), x = (i) => round(box.x0 + (i + 0.5) * wide), thick = Math.max(1, Math.min(0.55 * wide, 0.5 * font));
  if (facts.sides) put(marks, "line", "tv-turn", { x1: box.x0, x2: box.x1, y1: y(0.5), y2: y(0.5) });
  const turns = (i) => facts.sides && before[i] > 0.5 !== after[i] > 0.5;
  for (const [look, some] of [["tv-strip-still", (i) => !turns(i)], ["tv-strip-turns", turns]]) {
    const d = at.flatMap((_, i) => (some(i) ? [`M${x(i)},${round(y(before[i]))}V${round(y(after[i]))}`] : [])).join("");
    put(marks, "path", look, { "stroke-width": round(thick), d });
  }
  const r = Math.min(0.3 * font, Math.max(1.2, 0.35 * wide));
  put(marks, "path", "tv-strip-own", { "stroke-width": round(2 * r), d: at.map((_, i) => `M${x(i)},${round(y(before[i]))}h0`).join("") });
  return function update(state) {
    choose(state.r, name[state.r]);
    const who = `${n === facts.n ? "all" : `${number(n)} of ${number(facts.n)}`} rows, those that change most first: the ${what(facts)} by itself (dot), and`;
    words.text(`${box.x1 - box.x0 > 50 * font ? who : "dot: by itself;"} what `);
    fact(words.append("tspan"), "attacker_budget", facts.budget).text(`a budget of ${value(facts.budget)}`);
    words.append("tspan").text(" makes of it");
  };
}
