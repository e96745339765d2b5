// What is written on a node: its test and who goes where; on a leaf what it says, its labels, what it may say.

import { fact } from "../facts.js";
import { counted, number, shortened, value } from "../format.js";
import { mathText } from "../text.js";
import { asks, costs, says, settled } from "./model.js";

export const LINE = 1.3; // of text, in letters
export const ROOMY = 9; // letters of width from which on a leaf shows all it has

/** How large cards are: {node, leaf, roomy, small} in pixels, for leaves that stand `slot` apart. */
export function sizes(slot, font) {
  const roomy = slot >= ROOMY * font;
  return { roomy, node: 3 * font, leaf: (roomy ? 8.2 : 4.8) * font, wide: Math.min(slot - 0.3 * font, 11.5 * font) };
}

/** Draws a card anew into group g; its diamond is moved by the caller. */
export function card(g, node, { step, now, folded, width, size, font, facts, fills }) {
  g.selectAll("*").remove();
  const asking = asks(node, step), leaf = !asking;
  const height = leaf ? size.leaf - (size.roomy && !node.feasible ? 2.2 * font : 0) : size.node;
  g.append("rect").attr("class", `tv-card${leaf ? " tv-leaf" : ""}${settled(node, step) ? "" : " tv-waiting"}${now ? " tv-now" : ""}`)
    .attr("x", -width / 2).attr("width", width).attr("height", height).attr("rx", 0.5 * font);
  const line = (y, look = "") => g.append("text").attr("class", look).attr("text-anchor", "middle").attr("y", y * font);
  if (asking) question(g, line, node, folded, width, font);
  else answer(g, line, node, { step, width, size, font, facts, fills });
}

function question(g, line, node, folded, width, font) {
  const letters = Math.max(3, Math.floor(width / (0.6 * font))), { feature, sign, threshold } = node.split;
  const end = `${sign} ${typeof threshold === "string" ? shortened(threshold, Math.max(4, letters - 3)) : value(threshold)}`;
  const one = feature.length + end.length + 1 <= letters;
  line(one ? LINE : 1.15, "tv-strong").text(one ? `${feature} ${end}` : shortened(feature, letters));
  g.append("title").text(`${feature} ${sign} ${threshold}`);
  if (!one) {
    fact(line(2.4, "tv-strong").text(end), `threshold@${node.path}`, threshold);
    return;
  }
  const under = line(1.15 + LINE, "tv-soft");
  if (folded) fact(under, `leaves@${node.path}`, node.leaves).text(`${node.leaves} leaves ▾`);
  else fact(under, `rows@${node.path}`, node.rows).text(letters > 9 ? counted(node.rows, "row") : number(node.rows));
}

function answer(g, line, node, { step, width, size, font, facts, fills }) {
  const p = says(node, step);
  const head = fact(line(size.roomy ? 1.55 : 1.3, `tv-strong${size.roomy ? " tv-large" : ""}`), `prediction@${node.path}`, p);
  if (size.roomy || width > 6.5 * font) mathText(head, `*ŷ* = ${number(p)}`);
  else head.text(number(p));
  const inner = width - 0.8 * font;
  if (size.roomy && node.few.length) circles(g, node, 2.75 * font, font, inner, fills);
  else labels(g, node, (size.roomy ? 2.3 : 1.75) * font, (size.roomy ? 1 : 0.8) * font, inner, facts.binary);
  if (size.roomy) {
    const under = line(5.2, "tv-soft");
    fact(under.append("tspan"), `rows@${node.path}`, node.rows).text(counted(node.rows, "row"));
    under.append("tspan").text(", loss ");
    fact(under.append("tspan"), `leaf_loss@${node.path}`, costs(node, step)).text(number(costs(node, step)));
  } else fact(line(3.6, "tv-soft"), `rows@${node.path}`, node.rows).text(width > 6.5 * font ? counted(node.rows, "row") : number(node.rows));
  if (node.feasible) legal(g, node, (size.roomy ? 6 : 4.1) * font, inner, font, size.roomy, facts.ends);
}

/** Each row as its label in a circle; hatched: it was pushed on its way. */
function circles(g, node, y, font, inner, fills) {
  const n = node.few.length, apart = Math.min(2.1 * font, inner / n), r = Math.min(0.95 * font, 0.46 * apart);
  node.few.forEach(([name, place, label, spent], i) => {
    const x = (i - (n - 1) / 2) * apart;
    const dot = g.append("circle").attr("class", "tv-row").attr("cx", x).attr("cy", y + 0.35 * font).attr("r", r).attr("data-row", place);
    if (spent > 0) dot.style("fill", fills[1]);
    dot.append("title").text(`${name}, y = ${number(label)}${spent > 0 ? `, brought here for ${value(spent)}` : ""}`);
    const text = g.append("text").attr("class", `tv-row-label${spent > 0 ? " tv-halo" : ""}${number(label).length > 2 ? " tv-long" : ""}`).attr("text-anchor", "middle").attr("x", x).attr("y", y + 0.35 * font).attr("dy", "0.35em");
    text.text(number(label));
  });
}

/** The labels of many rows: of two classes the shares, of numbers how many are how large. */
function labels(g, node, y, height, inner, binary) {
  const counts = node.labels, all = counts.reduce((a, b) => a + b, 0) || 1, x = -inner / 2;
  if (binary) {
    g.append("rect").attr("class", "tv-class-0").attr("x", x).attr("y", y).attr("width", inner).attr("height", height);
    g.append("rect").attr("class", "tv-class-1").attr("x", x).attr("y", y).attr("width", (inner * counts[1]) / all).attr("height", height);
    return;
  }
  const most = Math.max(...counts), step = inner / counts.length;
  g.selectAll("rect.tv-class-1").data(counts).join("rect").attr("class", "tv-class-1").attr("x", (_, i) => x + i * step + 0.5)
    .attr("width", step - 1).attr("y", (c) => y + height - (height * c) / most).attr("height", (c) => (height * c) / most);
}

/** The number line of what a leaf may say; a hollow diamond where it would stand if all were legal. */
function legal(g, node, y, inner, font, named, [low, high]) {
  const x = (v) => -inner / 2 + (inner * (v - low)) / (high - low), thick = 0.4 * font;
  g.append("rect").attr("class", "tv-forbidden").attr("x", -inner / 2).attr("width", inner).attr("y", y).attr("height", thick).attr("rx", thick / 2);
  g.selectAll("rect.tv-legal").data(node.feasible).join("rect").attr("class", "tv-legal").attr("x", (p) => x(p[0]) - (p[0] === p[1] ? 1.5 : 0))
    .attr("width", (p) => Math.max(p[1] === p[0] ? 3 : 0, x(p[1]) - x(p[0]))).attr("y", y).attr("height", thick).attr("rx", Math.min(thick / 2, 3));
  if (Math.abs(node.mean - node.leaf) > 1e-9 * (high - low))
    g.append("path").attr("class", "tv-diamond tv-hollow").attr("d", diamond(font)).attr("transform", `translate(${x(node.mean)},${y + thick / 2})`);
  g.append("path").attr("class", "tv-diamond tv-moves").attr("d", diamond(font)).attr("data-y", y + thick / 2);
  if (!named) return;
  const ends = [...new Set(node.feasible.flat())].filter((v) => v > low && v < high);
  let last = -Infinity;
  for (const v of ends.sort((a, b) => a - b)) {
    if (x(v) - last < 2.8 * font) continue;
    last = x(v);
    g.append("text").attr("class", "tv-soft").attr("text-anchor", "middle").attr("x", x(v)).attr("y", y + 1.7 * font).text(number(v));
  }
}

export const diamond = (font) => `M0,${-0.5 * font}L${0.5 * font},0L0,${0.5 * font}L${-0.5 * font},0Z`;
