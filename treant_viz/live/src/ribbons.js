// Ribbons: as wide as what flows in them, at both ends.

import { round } from "./steps.js";

/** The path of a band from (x0, top0) to (x1, top1), `size` wide throughout. */
export function ribbon(x0, top0, x1, top1, size) {
  const m = (x0 + x1) / 2, [a, b, c, d] = [top0, top1, top1 + size, top0 + size].map(round);
  return `M${round(x0)},${a}C${round(m)},${a} ${round(m)},${b} ${round(x1)},${b}V${c}C${round(m)},${c} ${round(m)},${d} ${round(x0)},${d}Z`;
}

/** Tops of things of these sizes stacked from `start`, with a gap between those that are not empty. */
export function stacked(sizes, start, gap) {
  let top = start;
  return sizes.map((size) => {
    const here = top;
    if (size > 0) top += size + gap;
    return here;
  });
}
