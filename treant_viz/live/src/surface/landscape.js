// The landscape seen from above: quiet bands, creases, forbidden ground, the best pairs, the starts, and a walk from one.

import { select } from "../selection.js";
import { bottomAxis, leftAxis } from "../axis.js";
import { fact } from "../facts.js";
import { number } from "../format.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { forbids } from "./words.js";

const NAMED = 0.64; // how far up the diagonal its name stands
const STAR = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => [k % 2 ? 0.42 : 1, (k * Math.PI) / 5]);

/** What stays while the start moves. */
export function ground(group, { table, x, y, box, font, id }) {
  const defs = group.append("defs"), size = box.x1 - box.x0;
  defs.append("clipPath").attr("id", `${id}-clip`).append("rect").attr("x", box.x0).attr("y", box.y0).attr("width", size).attr("height", size);
  const hatch = defs.append("pattern").attr("id", `${id}-no`).attr("patternUnits", "userSpaceOnUse").attr("width", 0.6 * font).attr("height", 0.6 * font).attr("patternTransform", "rotate(45)");
  hatch.append("rect").attr("class", "tv-no-ground").attr("width", 0.6 * font).attr("height", 0.6 * font);
  hatch.append("path").attr("class", "tv-no-line").attr("d", `M0,0H${0.6 * font}M0,0V${0.6 * font}`);
  const held = group.append("g").attr("clip-path", `url(#${id}-clip)`);
  held.append("rect").attr("class", "tv-high").attr("x", box.x0).attr("y", box.y0).attr("width", size).attr("height", size);
  const at = (parts) => parts.reduce((d, v, i) => d + (i % 2 ? `,${round(box.y1 - (size * v) / 1000)}` : `${i ? "L" : "M"}${round(box.x0 + (size * v) / 1000)}`), "");
  for (const parts of [...table.contours.line].reverse())
    held.append("path").attr("class", "tv-below").attr("d", parts.map((line) => `${at(line)}Z`).join(""));
  const limits = table.allowed.map((pieces, k) => pieces.map(([a, b]) => [a === null ? -Infinity : a, b === null ? Infinity : b].map((e) => clipped(e, (k ? y : x).domain()))));
  if (forbids(table)) forbidden(held, limits, { x, y, box, id, font });
  creases(held, table, x, y, font);
  bottomAxis(group.append("g"), x, box.y1, font);
  leftAxis(group.append("g"), y, [box.x0, box.x0], font);
  group.append("rect").attr("class", "tv-edge").attr("x", box.x0).attr("y", box.y0).attr("width", size).attr("height", size);
  mathText(group.append("text").attr("class", "tv-soft").attr("x", box.x1).attr("y", box.y1 + 2.6 * font).attr("text-anchor", "end"), "prediction of the left leaf, ŷ_L");
  mathText(group.append("text").attr("class", "tv-soft").attr("text-anchor", "end").attr("transform", `translate(${box.x0 - 3.2 * font},${box.y0}) rotate(-90)`), "prediction of the right leaf, ŷ_R");
}

const clipped = (v, [low, high]) => Math.max(low, Math.min(high, v));

/** What no leaf may say: hatched; a green border around what is allowed. */
function forbidden(held, [left, right], { x, y, box, id, font }) {
  const gaps = (pieces, [low, high]) => [...pieces, [high, high]].map(([a], i) => [i ? pieces[i - 1][1] : low, a]).filter(([a, b]) => b > a);
  const boxes = [...gaps(left, x.domain()).map((g) => [g, y.domain()]), ...left.flatMap((piece) => gaps(right, y.domain()).map((g) => [piece, g]))];
  const put = (name, [[a, b], [c, d]]) => held.append("rect").attr("class", name).attr("x", x(a)).attr("width", x(b) - x(a)).attr("y", y(d)).attr("height", y(c) - y(d));
  for (const b of boxes) put("tv-no", b).attr("fill", `url(#${id}-no)`);
  for (const l of left) for (const r of right) put("tv-yes", [l, r]);
  const wide = (b) => Math.min(x(b[0][1]) - x(b[0][0]), 3 * (y(b[1][0]) - y(b[1][1])));
  const [most] = boxes.sort((a, b) => wide(b) - wide(a));
  if (most && wide(most) > 6 * font)
    held.append("text").attr("class", "tv-halo tv-name").attr("text-anchor", "middle").attr("x", (x(most[0][0]) + x(most[0][1])) / 2).attr("y", y(most[1][0]) - 1.2 * font).text("forbidden");
}

/** Where an unknown row costs the same on either side: the diagonal, and lines across it. */
function creases(held, { creases: all }, x, y, font) {
  const [low, high] = x.domain();
  for (const sum of all) {
    const ends = sum === null ? [low, high] : [sum - low, sum - high];
    held.append("line").attr("class", "tv-crease").attr("x1", x(low)).attr("x2", x(high)).attr("y1", y(ends[0])).attr("y2", y(ends[1]));
    if (sum === null) mathText(held.append("text").attr("class", "tv-halo tv-soft").attr("x", x(low + NAMED * (high - low)) + 0.7 * font).attr("y", y(low + NAMED * (high - low)) + 1.1 * font), "ŷ_L = ŷ_R");
  }
}

/** The losses of every other line, where it is highest; none on top of another. */
function contourValues(held, { contours }, box, font) {
  const size = box.x1 - box.x0, taken = [[box.x0 + NAMED * size + 2.7 * font, box.y1 - NAMED * size + 0.7 * font]]; // the name of the crease
  contours.line.forEach((lines, k) => {
    if (k % 2 === 0) return;
    const inside = [];
    for (const line of lines) for (let i = 0; i < line.length; i += 2) if ([line[i], line[i + 1]].every((v) => v > 60 && v < 940)) inside.push([line[i], line[i + 1]]);
    if (!inside.length) return;
    const [a, b] = inside.reduce((p, q) => (q[1] - 0.5 * q[0] > p[1] - 0.5 * p[0] ? q : p));
    const px = box.x0 + (size * a) / 1000, py = box.y1 - (size * b) / 1000;
    if (taken.some(([u, v]) => Math.abs(u - px) < 4 * font && Math.abs(v - py) < 1.3 * font)) return;
    taken.push([px, py]);
    fact(held.append("text").attr("class", "tv-halo tv-soft tv-level").attr("text-anchor", "middle").attr("dy", "0.35em").attr("x", round(px)).attr("y", round(py)), `level_${k}`, contours.level[k]).text(number(contours.level[k]));
  });
}

/** Dots for the starts, the best pairs, and the walk, which is drawn anew for every run. */
export function marks(group, { table, x, y, box, font, id }) {
  const held = group.append("g").attr("clip-path", `url(#${id}-clip)`), { runs, optimum, segment } = table;
  const r = Math.max(2, 0.16 * font), cross = `l${3 * r},${3 * r}m0,${-3 * r}l${-3 * r},${3 * r}`;
  const dots = (stuck, d) => runs.start_l.reduce((all, l, i) => (runs.stuck[i] === stuck ? `${all}M${d(round(x(l)), round(y(runs.start_r[i])))}` : all), "");
  held.append("path").attr("class", "tv-reaches").attr("stroke-width", 2 * r).attr("d", dots(0, (px, py) => `${px},${py}h0`));
  held.append("path").attr("class", "tv-stuck").attr("d", dots(1, (px, py) => `${px - 1.5 * r},${py - 1.5 * r}${cross}`));
  contourValues(held, table, box, font);
  const walk = group.append("g");
  if (segment) held.append("line").attr("class", "tv-best-pairs").attr("x1", x(segment[0][0])).attr("y1", y(segment[0][1])).attr("x2", x(segment[1][0])).attr("y2", y(segment[1][1]));
  if (optimum) star(group.append("path"), x(optimum[0]), y(optimum[1]), 0.85 * font);
  return (run) => steps(walk, run, { box, font });
}

function star(path, cx, cy, size) {
  path.attr("class", "tv-star").attr("d", `M${STAR.map(([far, turn]) => `${round(cx + size * far * Math.sin(turn))},${round(cy - size * far * Math.cos(turn))}`).join("L")}Z`);
}

/** A line through the points of a run, numbered; points that are close share a number. */
function steps(group, run, { box, font }) {
  group.selectAll("*").remove();
  if (!run) return;
  const size = box.x1 - box.x0, points = [];
  for (let i = 0; i < run.walk.length; i += 2) points.push([box.x0 + (size * held(run.walk[i])) / 1000, box.y1 - (size * held(run.walk[i + 1])) / 1000]);
  const d = `M${points.map((p) => p.map(round).join(",")).join("L")}`;
  group.append("path").attr("class", "tv-walk-ground").attr("d", d);
  group.append("path").attr("class", "tv-walk").attr("d", d);
  const outside = (i) => run.walk.slice(2 * i, 2 * i + 2).some((v) => v !== held(v));
  points.slice(1).forEach(([px, py], i) => group.append("rect").attr("class", `tv-step${outside(i + 1) ? " tv-outside" : ""}`).attr("x", px - 0.25 * font).attr("y", py - 0.25 * font).attr("width", 0.5 * font).attr("height", 0.5 * font));
  const [nx, ny] = [box.x0 + NAMED * size, box.y1 - NAMED * size], taken = [[nx, ny, nx + 5.5 * font, ny + 1.5 * font]]; // the crease's name
  for (const { at, from, to } of gathered(points, 1.9 * font)) {
    if (to === 0) continue; // the start has a handle
    const words = from === to ? `${from}` : `${from}–${to}`, { side, top, room } = beside(at, words.length, taken, box, font);
    taken.push(room);
    group.append("text").attr("class", "tv-halo tv-name").attr("text-anchor", side > 0 ? "start" : "end").attr("x", round(at[0] + 0.8 * side * font)).attr("y", round(top + 1.2 * font)).text(words);
  }
}

/** A place for a number beside a point: inside the box, where none stands yet. */
function beside([px, py], letters, taken, box, font) {
  const width = 0.62 * font * letters;
  const spots = [[1, 0.2], [-1, 0.2], [1, -1.7], [-1, -1.7], [1, 1.8], [-1, 1.8], [1, -3.3], [-1, -3.3], [1, 3.4], [-1, 3.4]].map(([side, down]) => {
    const from = side > 0 ? px + 0.8 * font : px - 0.8 * font - width, top = py + down * font;
    return { side, top, room: [from, top, from + width, top + 1.5 * font] };
  });
  const inside = ({ room: [a, b, c, d] }) => a > box.x0 && b > box.y0 && c < box.x1 && d < box.y1;
  const free = ({ room: [a, b, c, d] }) => taken.every(([e, f, g, h]) => c < e || g < a || d < f || h < b);
  return spots.find((s) => inside(s) && free(s)) ?? spots.find(inside) ?? spots[0];
}

const held = (v) => Math.max(0, Math.min(1000, v));

/** Points of a walk in groups: one after the other, as long as they stay close to the first of the group. */
export function gathered(points, near) {
  const groups = [];
  points.forEach((p, i) => {
    const last = groups[groups.length - 1];
    if (last && i > 1 && Math.hypot(p[0] - last.at[0], p[1] - last.at[1]) < near) last.to = i;
    else groups.push({ at: p, from: i, to: i });
  });
  return groups;
}
