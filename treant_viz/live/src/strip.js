// All rows side by side, one of which is chosen: by a click, or by keys (a slider). Pictures draw their own marks in it.

import { pointer } from "./selection.js";
import { keys } from "./keyboard.js";
import { put } from "./svg.js";
import { round } from "./steps.js";

/** {words, marks, wide, top, choose}: a line of text above, a group for marks, the width of a row, and choose(i, name). */
export function strip(group, { box, font, n, set, hover }) {
  const top = box.y0 + 1.9 * font, height = box.y1 - top, wide = (box.x1 - box.x0) / n;
  const words = put(group, "text", "tv-soft", { x: box.x0, y: box.y0 + font });
  const node = put(group, "g", "tv-strip", { role: "slider", tabindex: 0, "data-control": "row", "aria-label": "row that is attacked", "aria-valuemin": 1, "aria-valuemax": n });
  const ground = put(node, "rect", "tv-strip-ground", { x: box.x0, y: top, width: box.x1 - box.x0, height });
  const marks = node.append("g").attr("class", "tv-through");
  const lit = put(node, "rect", "tv-strip-lit", { y: top - 0.2 * font, height: height + 0.4 * font });
  let now = 0;
  keys(node.node(), { place: () => now, count: () => n, go: set });
  const rowAt = (event) => Math.max(0, Math.min(n - 1, Math.floor((pointer(event, group.node())[0] - box.x0) / wide)));
  ground.on("click", (event) => set(rowAt(event))).on("pointermove", (event) => hover(rowAt(event))).on("pointerleave", () => hover(null));
  function choose(i, name) {
    now = i;
    lit.attr("x", round(box.x0 + i * wide - 1.5)).attr("width", round(Math.max(wide, 2) + 3));
    node.attr("aria-valuenow", i + 1).attr("aria-valuetext", name);
  }
  return { words, marks, wide, top, choose };
}
