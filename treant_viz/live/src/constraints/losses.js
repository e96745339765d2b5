// What a tree's leaves add up to, and what the attacker can really cause: with all constraints (a mark) and as it is now.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { number } from "../format.js";
import { moving } from "../motion.js";
import { round } from "../steps.js";
import { put } from "../svg.js";
import { mathText } from "../text.js";
import { WHOLE } from "./model.js";
import { apart } from "./words.js";

const KINDS = [["counted", "the leaves add up to", "tv-plain"], ["attacked", "the attacker can cause *L*^A", "tv-attacked"]];

export function lossBars(group, { facts, font, box }) {
  const head = put(group, "text", "tv-strong", { x: box.x0, y: box.y0 + font });
  const x = scaleLinear().range([box.x0, box.x1 - 10 * font]);
  const parts = KINDS.map(([name, words, look], k) => {
    const top = box.y0 + (1.7 + 2.9 * k) * font;
    mathText(put(group, "text", null, { x: box.x0, y: top + font }), words);
    const bar = put(group, "rect", `tv-bar ${look}`, { x: box.x0, y: top + 1.4 * font, height: font, rx: 2 });
    const mark = put(group, "line", "tv-mark-before", { y1: top + 1.15 * font, y2: top + 2.65 * font });
    const text = put(group, "text", "tv-strong", { y: top + 2.25 * font });
    const to = moving(([end, mark_at]) => (bar.attr("width", round(Math.max(0, end - box.x0))), text.attr("x", round(Math.max(end, mark_at) + 0.5 * font))));
    return { name, bar, mark, text, to };
  });
  const finite = (v) => typeof v === "number";
  return function update({ losses, before, off, path, tried }, at_once) {
    const marked = off.length > 0 || tried !== null;
    const known = facts.states.flatMap((s) => s.trees[path ?? WHOLE] ?? []), most = 2 * Math.max(1e-12, ...[...known, ...Object.values(before)].filter(finite));
    x.domain([0, most]); // so that it stays put while the hand tries: what is more is cut, and dashed
    head.text(`${path === null ? "The whole tree" : "This tree"}: ${facts.loss}${off.length ? "; mark: with all constraints" : tried ? "; mark: as it was grown" : ""}`);
    for (const { name, bar, mark, text, to } of parts) {
      const now = losses[name], old = before[name], [was, is] = finite(now) && finite(old) ? apart(old, now) : [number(old), number(now)];
      const span = text.text(null).append("tspan");
      if (now === undefined) span.attr("class", "tv-soft").text("not known in this page");
      else fact(span, name, now).text(now === "unknown" ? "unknown, as rows have weights" : is);
      if (marked && now !== undefined && old !== now) {
        text.append("tspan").attr("class", "tv-soft").text(", was ");
        fact(text.append("tspan").attr("class", "tv-soft"), `${name}_before`, old).text(was);
      }
      const end = x(finite(now) ? Math.min(now, most) : now === null ? most : 0), at = x(finite(old) ? old : most);
      bar.classed("tv-endless", now === null || now > most);
      mark.attr("x1", at).attr("x2", at).style("display", marked && finite(old) ? "" : "none");
      to([end, marked ? at : end], { at_once });
    }
  };
}
