// Number lines: few ticks, labels in our own numbers, no box.

import { number, value } from "./format.js";

/** Ticks of a linear scale whose labels are at least `apart` pixels from each other. */
export function ticksOf(scale, apart) {
  if (scale.domain().length > 2) return knots(scale, apart);
  const [a, b] = scale.range();
  return scale.ticks(Math.max(2, Math.floor(Math.abs(b - a) / apart)));
}

/** Of a scale in pieces: its own inner ends, those that have room. */
function knots(scale, apart) {
  let last = -Infinity;
  return scale.domain().slice(1, -1).filter((t) => scale(t) - last >= apart && ((last = scale(t)), true));
}

/** A horizontal number line below a plot. */
export function bottomAxis(group, scale, y, font) {
  const ticks = ticksOf(scale, 5.5 * font);
  group.selectAll("text.tv-tick").data(ticks).join("text").attr("class", "tv-tick tv-soft")
    .attr("x", (t) => scale(t)).attr("y", y + 1.25 * font).attr("text-anchor", "middle").text((t) => value(t));
}

/** A vertical scale at the left of a plot, with faint lines across it. */
export function leftAxis(group, scale, [x0, x1], font, apart = 2.6, words = number) {
  const ticks = ticksOf(scale, apart * font);
  group.selectAll("line.tv-grid").data(ticks).join("line").attr("class", "tv-grid")
    .attr("x1", x0).attr("x2", x1).attr("y1", (t) => scale(t)).attr("y2", (t) => scale(t));
  group.selectAll("text.tv-tick").data(ticks).join("text").attr("class", "tv-tick tv-soft")
    .attr("x", x0 - 0.5 * font).attr("y", (t) => scale(t)).attr("dy", "0.35em").attr("text-anchor", "end")
    .text((t) => words(t));
}
