// The numbers of one candidate: its rows as a bar, and two pairs of leaves with what they cost.

import { fact } from "../facts.js";
import { number } from "../format.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { testOf } from "./words.js";
import { put } from "../svg.js";

const SIDES = [["left", "L", "left"], ["unknown", "U", "attacker’s"], ["right", "R", "right"]];
const ROWS = [["standard leaves", ["plain_y_l", "plain_y_r", "plain_loss", "plain_loss_under_attack"], 2], ["best attacked", ["y_l", "y_r", "loss", "loss_under_attack"], 3]];
const HEADS = ["left leaf", "right leaf", "loss *L*", "attacked *L*^A"], SHORT = ["left", "right", "*L*", "*L*^A"];

export function card(group, { font, box, fills, attacked }) {
  const width = box.x1 - box.x0, narrow = width < 30 * font, high = 1.3 * font, middle = box.y0 + 2 * font;
  const head = put(group, "text", "tv-strong", { x: box.x0, y: box.y0 + 0.6 * font });
  const counts = SIDES.map(([, letter]) => put(group, "text", `tv-letter tv-ink-${letter}`, { y: box.y0 + 0.6 * font, "text-anchor": "end" }));
  const bars = SIDES.map((_, k) => put(group, "rect", "", { y: middle - 0.5 * high, height: 0.8 * high, fill: fills[k] }));
  const rows = attacked ? ROWS : ROWS.slice(0, 1), heads = (narrow ? SHORT : HEADS).slice(0, attacked ? 4 : 3), first = 0.27 * width;
  const right = (k) => box.x0 + first + ((width - first) * (k + 1)) / heads.length;
  heads.forEach((words, k) => mathText(put(group, "text", "tv-soft", { x: right(k), y: middle + 2.1 * font, "text-anchor": "end" }), words));
  const cells = rows.map(([name, columns, strong], r) => {
    const y = middle + (3.7 + 1.6 * r) * font;
    put(group, "text", "tv-soft", { x: box.x0, y }).text(narrow ? name.split(" ")[0] : name);
    return columns.slice(0, heads.length).map((column, k) => [column, put(group, "text", k === strong ? "tv-strong tv-large" : "", { x: right(k), y, "text-anchor": "end" })]);
  });

  return function update({ line, i, candidate, search }) {
    const n = SIDES.reduce((sum, [name]) => sum + line[name][i], 0), unit = width / n;
    let x = box.x0, end = box.x1;
    SIDES.forEach(([name], k) => {
      bars[k].attr("x", round(x)).attr("width", round(unit * line[name][i]));
      x += unit * line[name][i];
    });
    [...SIDES.keys()].reverse().forEach((k) => {
      const [name, letter, long] = SIDES[k], said = narrow ? letter : long, words = counts[k].text(`${said} `).attr("x", end);
      fact(words.append("tspan"), `${name}@${candidate}`, line[name][i]).text(number(line[name][i]));
      end -= 0.62 * font * (number(line[name][i]).length + said.length + 3);
    });
    const room = (end - box.x0) / (0.56 * font), test = [20, 14, 9, 6].map((n) => testOf({ ...line, threshold: line.threshold[i] }, n)).find((t, k) => t.length < room || k === 3);
    const more = remark(search, line, i, candidate);
    head.text(test).append("tspan").attr("class", "tv-soft tv-plain-words").text(test.length + more.length < room ? more : "");
    for (const [column, text] of cells.flat()) fact(text, `${column}@${candidate}`, line[column][i]).text(number(line[column][i]));
  };
}

/** What else there is to say of a candidate. */
function remark(search, line, i, candidate) {
  const who = ["standard", "robust"].filter((role) => search[role] === candidate);
  if (who.length) return ` · best ${who.map((role) => (role === "standard" ? "if nobody attacks" : "under attack")).join(" and ")}`;
  if (search.tied.includes(candidate)) return " · as good under attack";
  return line.one_sided.includes(i) ? " · one side gets no rows: not allowed" : "";
}
