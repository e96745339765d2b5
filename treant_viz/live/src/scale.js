// A linear scale as d3-scale has it, without the colours and formats that come with it there: see build.mjs.

import { ticks } from "d3-array";

export function scaleLinear(from = [0, 1], to = [0, 1]) {
  let [domain, range] = [from, to];
  const scale = (v) => between(domain, range, v);
  scale.invert = (v) => between(range, domain, v);
  scale.domain = (next) => (next ? ((domain = next), scale) : domain);
  scale.range = (next) => (next ? ((range = next), scale) : range);
  scale.ticks = (count) => ticks(domain[0], domain[domain.length - 1], count);
  return scale;
}

/** The value of a line through the points (from[i], to[i]), which goes straight on beyond its ends. */
function between(from, to, v) {
  const up = from[from.length - 1] >= from[0];
  let i = 0;
  while (i < from.length - 2 && (up ? v >= from[i + 1] : v <= from[i + 1])) i++;
  const wide = from[i + 1] - from[i];
  return to[i] + (to[i + 1] - to[i]) * (wide ? (v - from[i]) / wide : 0.5);
}
