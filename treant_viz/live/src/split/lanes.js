// Rows along a feature: a lane a row where they are few; else a histogram, and all rows in order of their value.

import { bottomAxis } from "../axis.js";
import { round } from "../steps.js";
import { number } from "../format.js";
import { MARKS, SIDES } from "./model.js";
import { ends } from "./scale.js";

const MOST_LANES = 40;

export const inLanes = (table, height, font) =>
  table.codes.length <= MOST_LANES && height / table.codes.length >= 1.05 * font;

/** Draws lanes into `group` within box {x0, x1, y0, y1}; returns {update(sides, level), light(code or row)}. */
export function lanes(group, { table, y, x, box, font, fills, onRow }) {
  const n = table.codes.length, step = (box.y1 - box.y0) / n, thick = Math.min(0.5 * step, 1.1 * font);
  const order = table.codes.map((_, r) => r);
  const middle = (r) => box.y0 + step * (r + 0.5);
  const lane = group.selectAll("g.tv-lane").data(order).join("g").attr("class", "tv-lane")
    .attr("transform", (r) => `translate(0,${round(middle(r))})`);
  lane.append("rect").attr("class", "tv-hit").attr("x", 0).attr("width", box.x1 + 2 * font).attr("y", -step / 2).attr("height", step);
  lane.append("text").attr("class", "tv-name").attr("x", 0).attr("dy", "0.35em").text((r) => `x${r}`);
  lane.append("text").attr("class", "tv-soft").attr("x", 2.6 * font).attr("dy", "0.35em").text((r) => `y = ${number(y[r])}`);
  const whisker = lane.append("rect").attr("class", "tv-whisker").attr("y", -thick / 2).attr("height", thick);
  lane.append("circle").attr("class", "tv-dot").attr("r", Math.min(0.34 * font, 0.36 * step)).attr("cx", (r) => x(table.points[table.values[table.codes[r]]]));
  const letter = lane.append("text").attr("class", "tv-letter").attr("x", box.x1 + 0.8 * font).attr("dy", "0.35em");
  onRow(lane, (r) => r);
  return {
    update(side, level) {
      const reach = (r) => [level.low, level.high].map((e) => x(clip(table.position(e[table.codes[r]]), ends(x))));
      whisker.attr("x", (r) => round(reach(r)[0])).attr("width", (r) => round(Math.max(1, reach(r)[1] - reach(r)[0]))) // to where a row gets, no further
        .attr("fill", (r) => fills[side[table.codes[r]]]).attr("class", (r) => `tv-whisker tv-edge-${SIDES[side[table.codes[r]]]}`)
        .classed("tv-fixed", (r) => level.low[table.codes[r]] === level.high[table.codes[r]]);
      letter.text((r) => MARKS[side[table.codes[r]]]).attr("class", (r) => `tv-letter tv-ink-${SIDES[side[table.codes[r]]]}`);
    },
    light: (row) => lane.classed("tv-lit", (r) => r === row),
  };
}

const clip = (v, [a, b]) => Math.min(b, Math.max(a, v));

/** A histogram by side, and below it every row's reach in order of value: each as thick as its rows are many. */
export function crowd(group, { table, x, box, font, fills, onRow }) {
  const split = box.y0 + 0.52 * (box.y1 - box.y0), foot = split - 1.1 * font;
  const bins = binned(table, x, Math.max(1, 0.3 * font));
  const most = Math.max(...bins.map((b) => b.size));
  const unit = (foot - box.y0 - 0.4 * font) / most, per = (box.y1 - split) / table.codes.length;
  group.append("text").attr("class", "tv-soft tv-small").attr("x", 0).attr("y", foot - 0.5 * (foot - box.y0)).text("rows");
  group.append("text").attr("class", "tv-soft tv-small").attr("x", 0).attr("y", (split + box.y1) / 2).text("reach");
  group.append("line").attr("class", "tv-base").attr("x1", box.x0).attr("x2", box.x1).attr("y1", foot).attr("y2", foot);
  const columns = SIDES.map((_, s) =>
    group.append("g").selectAll("rect").data(bins).join("rect").attr("fill", fills[s]).attr("x", (b) => round(b.x0)).attr("width", (b) => round(b.x1 - b.x0)));
  let top = split;
  const tops = table.sizes.map((size) => (top += size * per) - size * per);
  const shown = table.values.map((_, c) => c).filter((c) => table.sizes[c] > 0);
  const band = group.append("g").selectAll("rect").data(shown).join("rect").attr("y", (c) => round(tops[c])).attr("height", (c) => table.sizes[c] * per);
  const dots = group.append("path").attr("class", "tv-values");
  dots.attr("d", shown.map((c) => `M${round(x(table.points[table.values[c]]))},${round(tops[c])}v${round(Math.max(table.sizes[c] * per, 0.4))}`).join(""));
  const lit = group.append("rect").attr("class", "tv-lit-value").attr("rx", 2);
  onRow(band, (c) => table.codes.indexOf(c));
  let before = [], at = null;
  return {
    update(side, level) {
      if (at !== level) {
        const reach = (c) => [level.low, level.high].map((e) => x(clip(table.position(e[c]), ends(x))));
        band.attr("x", (c) => round(reach(c)[0])).attr("width", (c) => round(Math.max(1, reach(c)[1] - reach(c)[0])));
      }
      band.filter((c) => side[c] !== before[c]).attr("fill", (c) => fills[side[c]]);
      const changed = bins.filter((b) => count(b, table, side) || at !== level);
      if (changed.length) columns.forEach((column, s) => column.attr("y", (b) => round(foot - unit * (b.sides.slice(0, s + 1).reduce((p, q) => p + q, 0)))).attr("height", (b) => round(unit * b.sides[s])));
      [before, at] = [side, level];
    },
    light(row) {
      const c = row === null ? null : table.codes[row];
      lit.attr("visibility", c === null ? "hidden" : "visible");
      if (c === null) return;
      const level = at, [a, b] = [level.low, level.high].map((e) => x(clip(table.position(e[c]), ends(x))));
      lit.attr("x", a - 2).attr("width", b - a + 4).attr("y", tops[c] - 2).attr("height", table.sizes[c] * per + 4);
    },
  };
}

/** Counts a bin's rows by side; says whether that changed. */
function count(bin, table, side) {
  const now = [0, 0, 0];
  for (const c of bin.codes) now[side[c]] += table.sizes[c];
  const same = now.every((k, s) => k === bin.sides[s]);
  bin.sides = now;
  return !same;
}

/** Bins of the axis: a column for each distinct value where they stand apart, else about as wide as they can be seen. */
function binned(table, x, least) {
  const [a, b] = ends(x).map(x), room = b - a;
  const n = Math.max(1, Math.min(90, Math.floor(room / (2.2 * least))));
  const width = room / n, bins = new Map();
  table.values.forEach((p, c) => {
    if (!table.sizes[c]) return;
    const k = Math.min(n - 1, Math.floor((x(table.points[p]) - a) / width));
    if (!bins.has(k)) bins.set(k, { x0: a + k * width + 0.5, x1: a + (k + 1) * width - 0.5, codes: [], size: 0, sides: [] });
    bins.get(k).codes.push(c);
    bins.get(k).size += table.sizes[c];
  });
  return [...bins.values()];
}

export { bottomAxis };
