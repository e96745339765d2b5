// What every picture stands in: title, subtitle, one slim bar of controls, the drawing, a line of detail.

import { create, select } from "./selection.js";
import { room } from "./layout.js";

let made = 0;

/** `size`: what `room` may be told of the drawing's height. */
export function frame(root, name, size = {}) {
  const top = select(root);
  const id = `tv-${name}-${++made}`;
  const head = top.append("header");
  const title = head.append("h2").attr("class", "tv-title").attr("id", `${id}-title`);
  const under = head.append("p").attr("class", "tv-subtitle");
  const bar = top.append("div").attr("class", "tv-bar-of-controls");
  const hold = top.append("div").attr("class", "tv-picture");
  const line = top.append("p").attr("class", "tv-detail");
  const alert = top.append("p").attr("class", "tv-alert").attr("role", "alert");
  top.attr("aria-labelledby", `${id}-title`);
  return {
    id,
    room: () => room(root, size),
    /** What stands between the picture and the line of detail. */
    below: (node) => hold.node().after(node),
    /** A place in the bar of controls. */
    bar: (look = "") => bar.append("div").attr("class", look).node(),
    words(text, how) {
      title.text(text);
      under.text(how);
    },
    /** An empty drawing of the size there is room for. */
    svg() {
      const { width, height, font } = room(root, size);
      hold.selectAll("svg").remove();
      const svg = hold.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height)
        .attr("font-size", font).attr("role", "group").attr("aria-labelledby", `${id}-title`);
      root.style.setProperty("--font", `${font}px`);
      hatch(svg.append("defs"), id, font);
      return svg;
    },
    /** The fills of left, unknown, right: strong ones, and soft ones for what flows. */
    paint: () => ({
      fills: ["var(--left)", `url(#${id}-hatch)`, "var(--right)"],
      soft: ["var(--left-soft)", "var(--unknown-soft)", "var(--right-soft)"],
    }),
    /** The line of detail, emptied. */
    detail: () => line.html(null),
    complain: (words) => alert.text(words),
  };
}

/** The second cue of what is the attacker's: diagonal lines. */
function hatch(defs, id, font) {
  const size = 0.5 * font;
  const pattern = defs.append("pattern").attr("id", `${id}-hatch`).attr("patternUnits", "userSpaceOnUse")
    .attr("width", size).attr("height", size).attr("patternTransform", "rotate(45)");
  pattern.append("rect").attr("width", size).attr("height", size).attr("fill", "var(--unknown-soft)");
  pattern.append("rect").attr("width", 0.42 * size).attr("height", size).attr("fill", "var(--unknown)");
}

export const hidden = (node) => create("span").attr("class", "tv-heard").node();
