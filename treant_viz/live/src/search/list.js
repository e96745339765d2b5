// All features as small pictures on one scale, the best first; a click, or arrows, look at one closely.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { counted, number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { mathText } from "../text.js";
import { SLOTS, pageOf } from "./model.js";
import { across, losses, marks } from "./plot.js";
import { put } from "../svg.js";

export function list(group, { search, l, font, box, domain, attacked, go }) {
  const { first, shown, rest } = pageOf(search, l), columns = shown.length > 4 ? 2 : 1, n = search.lines.length;
  const head = put(group, "text", "tv-strong", { x: box.x0, y: box.y0 + 1.1 * font });
  mathText(head, attacked ? `${counted(n, "feature")}, the least *L*^A first` : `${counted(n, "feature")}, the least *L* first`);
  const top = box.y0 + 1.9 * font, foot = n > SLOTS ? 1.8 * font : 0, down = Math.ceil(shown.length / columns);
  const gap = 0.9 * font, wide = (box.x1 - box.x0 - (columns - 1) * gap) / columns, high = Math.min((box.y1 - top - foot) / down, 12 * font);
  const cells = put(group, "g", "tv-features", { role: "listbox", tabindex: 0, "data-control": "feature", "aria-label": "features" });
  shown.forEach((line, k) => {
    const at = { x0: box.x0 + (k % columns) * (wide + gap), y0: top + Math.floor(k / columns) * high };
    cell(cells, search, first + k, { x0: at.x0, x1: at.x0 + wide, y0: at.y0, y1: at.y0 + high - 0.5 * font }, { font, domain, attacked, lit: first + k === l, go });
  });
  keys(cells.node(), { place: () => l, count: () => n, go, down: true });
  if (!foot) return;
  const more = put(group, "g", "tv-more", { "data-control": "more" }).on("click", () => go(first + SLOTS < n ? first + SLOTS : 0));
  put(more, "rect", "tv-hit", { x: box.x0, width: box.x1 - box.x0, y: box.y1 - 1.6 * font, height: 1.6 * font });
  put(more, "text", "tv-strong", { x: box.x1, y: box.y1 - 0.5 * font, "text-anchor": "end" }).text(`${counted(rest, "more feature")} ›`);
}

/** A feature in small: its name, its least loss, both curves, and who would choose here. */
function cell(parent, search, l, box, { font, domain, attacked, lit, go }) {
  const line = search.lines[l], column = attacked ? "loss_under_attack" : "plain_loss";
  const g = put(parent, "g", `tv-cell${lit ? " tv-chosen-cell" : ""}`, { role: "option", "aria-selected": lit, "data-feature": line.feature }).on("click", () => go(l));
  put(g, "rect", "tv-cell-ground", { x: box.x0, y: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0, rx: 0.3 * font });
  const least = number(line[column][line.best]), fit = Math.floor((box.x1 - box.x0 - 0.6 * font * (least.length + 2)) / (0.56 * font));
  put(g, "text", "tv-strong", { x: box.x0 + 0.5 * font, y: box.y0 + 1.2 * font }).text(shortened(line.feature, Math.max(6, fit)));
  fact(put(g, "text", "tv-soft", { x: box.x1 - 0.5 * font, y: box.y0 + 1.2 * font, "text-anchor": "end" }), `least@${line.feature}`, line[column][line.best]).text(least);
  const [x0, x1] = [box.x0 + 0.5 * font, box.x1 - 0.5 * font], top = box.y0 + 1.7 * font;
  const x = across(line, x0, x1), y = scaleLinear(domain, [box.y1 - 0.5 * font, top + 0.2 * font]), look = { x0, x1, top, font, attacked, small: true };
  losses(g, line, x, y, look);
  const found = marks(g, search, l, x, y, look);
  const named = found.some((mark) => mark.role !== "tie") ? found.filter((mark) => mark.role !== "tie") : found.slice(0, 1);
  named.forEach(({ role, cx, cy }) => {
    const right = cx < (x0 + x1) / 2;
    put(g, "text", "tv-halo tv-strong", { x: cx + (right ? 0.6 : -0.6) * font, y: cy, dy: role === "robust" && named.length > 1 ? "-0.2em" : "0.35em", "text-anchor": right ? "start" : "end" }).text(role === "tie" ? "tied" : role);
  });
  g.attr("aria-description", `${line.feature}: ${counted(line.order.length, "test")}, least loss ${least}${named.map((mark) => (mark.role === "tie" ? ", as good under attack" : mark.role === "robust" ? ", best under attack" : mark.role === "standard" ? ", best if nobody attacks" : ", best")).join("")}`);
}
