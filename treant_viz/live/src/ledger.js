// A bill: the row by itself, move after move with its coin, and the end; a click plays up to there. A slider to the keyboard.

import { fact } from "./facts.js";
import { number, shortened, value } from "./format.js";
import { keys } from "./keyboard.js";
import { put } from "./svg.js";
import { round } from "./steps.js";

export const VERDICT = -1; // the step after the last one

/**
 * `below`: the room kept free under the lines. `set(step)` is called with a number of moves or VERDICT, `hover(i)` with the
 * entry under the pointer or null. Returns update({entries, place, spent, left, budget}); an entry has `words` (maybe made for so many letters), a `cost` or
 * null, and maybe a `note`, {name, value, text}, at its end.
 */
export function ledger(group, { box, font, set, hover = () => {}, below }) {
  const pitch = 1.9 * font, width = box.x1 - box.x0, most = Math.max(3, Math.floor((box.y1 - box.y0 - below) / pitch));
  const lines = put(group, "g", "tv-bill", { role: "slider", tabindex: 0, "data-control": "step", "aria-label": "moves that are made", "aria-valuemin": 0, transform: `translate(${box.x0},${box.y0 + 2 * font})` });
  const spentLine = group.append("text").attr("x", box.x0);
  let entries = [], now = 0;
  const go = (i) => set(i >= entries.length - 1 ? VERDICT : i);
  keys(lines.node(), { place: () => now, count: () => entries.length, go, down: true, escape: () => set(VERDICT) });
  return function update(next) {
    ({ entries, place: now } = next);
    const all = entries.map((e, i) => ({ ...e, i })), from = Math.max(0, Math.min(all.length - most, now - Math.floor(most / 2)));
    marks(lines, all.slice(from, from + most), { font, width, pitch })
      .attr("class", (d) => `tv-entry ${d.i === now ? "tv-now" : ""} ${d.i <= now ? "" : "tv-later"} ${d.lit ? "tv-lit" : ""}`)
      .on("click", (event, d) => go(d.i)).on("pointerenter", (event, d) => hover(d.i)).on("pointerleave", () => hover(null));
    lines.attr("aria-valuemax", all.length - 1).attr("aria-valuenow", now).attr("aria-valuetext", said(all[now], 60));
    spentLine.text("spent ").attr("y", box.y0 + 2.9 * font + Math.min(most, all.length) * pitch);
    fact(spentLine.append("tspan").attr("class", "tv-strong"), "spent", next.spent).text(value(next.spent));
    spentLine.append("tspan").text(" of ");
    spentLine.append("tspan").text(value(next.budget));
    spentLine.append("tspan").text(", left ");
    fact(spentLine.append("tspan").attr("class", "tv-strong"), "left", next.left).text(value(next.left));
  };
}

/** A line for each entry, which has its place `i`, too. */
export function marks(lines, entries, { font, width, pitch }) {
  return lines.selectAll("g").data(entries, (d) => d.i).join(entryMark).order()
    .attr("transform", (d, i) => `translate(0,${round(i * pitch)})`).each(function (d) { entry(this, d, font, width, pitch); });
}

function entryMark(enter) {
  const g = enter.append("g");
  g.append("rect").attr("class", "tv-hit"), g.append("circle"), put(g, "text", "tv-cost", { "text-anchor": "middle", dy: "0.35em" });
  put(g, "text", "tv-what", { dy: "0.35em" });
  put(g, "text", "tv-note tv-soft", { "text-anchor": "end", dy: "0.35em" });
  return g;
}

function entry(node, d, font, width, pitch) {
  const [hit, circle, cost, what, note] = node.children, paid = d.cost !== null, x = paid ? 2.5 * font : 0.5 * font;
  hit.setAttribute("width", width), hit.setAttribute("height", pitch), hit.setAttribute("y", -pitch / 2), hit.setAttribute("rx", 0.4 * font);
  circle.setAttribute("r", paid ? 0.8 * font : 0), circle.setAttribute("cx", 1.2 * font), cost.setAttribute("x", 1.2 * font);
  const longest = Math.max(10, Math.floor((width - 3 * font) / (0.52 * font)) - (d.note ? d.note.text.length + 1 : 0));
  cost.textContent = paid ? value(d.cost) : "", what.textContent = said(d, longest), what.setAttribute("x", x);
  named(cost, paid && { name: `move_${d.i}_cost`, value: d.cost });
  note.textContent = d.note ? d.note.text : "", note.setAttribute("x", width - 0.4 * font);
  named(note, d.note);
}

const said = ({ words }, longest) => (typeof words === "function" ? words(longest) : shortened(words, longest));

function named(node, known) {
  if (known) node.setAttribute("data-fact", known.name), node.setAttribute("data-value", known.value);
  else node.removeAttribute("data-fact");
}
