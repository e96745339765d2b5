// The line that is dragged over an axis: a slider, with its test in a pill above.

import { fact } from "./facts.js";
import { round } from "./steps.js";

/** The line itself: a slider that one takes hold of anywhere. */
export function handle(parent, top, bottom, font) {
  const group = parent.append("g").attr("class", "tv-handle").attr("role", "slider").attr("tabindex", 0)
    .attr("aria-label", "threshold").attr("data-control", "threshold").attr("aria-orientation", "horizontal");
  group.append("rect").attr("class", "tv-hit").attr("x", -0.8 * font).attr("width", 1.6 * font).attr("y", top).attr("height", bottom - top);
  group.append("line").attr("class", "tv-line").attr("y1", top - 0.4 * font).attr("y2", bottom);
  const pill = group.append("g").attr("class", "tv-pill");
  const shape = pill.append("rect").attr("height", 1.9 * font).attr("rx", 0.95 * font).attr("y", top - 2.3 * font);
  const words = pill.append("text").attr("text-anchor", "middle").attr("y", top - 1 * font);
  const arrows = ["‹", "›"].map((sign) => pill.append("text").attr("class", "tv-arrow").attr("text-anchor", "middle").attr("y", top - 0.95 * font).text(sign));
  return {
    group,
    words,
    update(at, text, threshold, [least, most], plot) {
      group.attr("transform", `translate(${round(at)},0)`).attr("aria-valuetext", text)
        .attr("aria-valuenow", threshold).attr("aria-valuemin", Math.min(least, threshold)).attr("aria-valuemax", Math.max(most, threshold));
      fact(words, "threshold", threshold).text(text);
      const width = (words.node().getComputedTextLength?.() || 0.55 * font * text.length) + 1.9 * font;
      const shift = Math.max(plot.x0 - 2.2 * font + width / 2 - at, 0) + Math.min(plot.x1 + 2 * font - width / 2 - at, 0);
      pill.attr("transform", `translate(${round(shift)},0)`);
      shape.attr("x", round(-width / 2)).attr("width", round(width));
      arrows[0].attr("x", -width / 2 - 0.7 * font);
      arrows[1].attr("x", width / 2 + 0.7 * font);
    },
  };
}
