// Linear scales, of one piece or of several: the little of d3-scale that is needed here, without its colours and formats.

import { ticks } from "d3-array";

/** scale(value) is a position; also .domain(), .range(), .invert(position), .ticks(count), as in d3-scale. */
export function scaleLinear(domain = [0, 1], range = [0, 1]) {
  const between = (from, to, x) => {
    const rising = from[from.length - 1] >= from[0], [a, b] = rising ? [from, to] : [[...from].reverse(), [...to].reverse()];
    let k = 1;
    while (k < a.length - 1 && x >= a[k]) k++;
    const room = a[k] - a[k - 1];
    return room ? b[k - 1] + ((x - a[k - 1]) / room) * (b[k] - b[k - 1]) : (b[k - 1] + b[k]) / 2;
  };
  const scale = (x) => between(domain, range, x);
  scale.invert = (position) => between(range, domain, position);
  scale.domain = (next) => (next ? ((domain = [...next]), scale) : [...domain]);
  scale.range = (next) => (next ? ((range = [...next]), scale) : [...range]);
  scale.ticks = (count = 10) => ticks(domain[0], domain[domain.length - 1], count);
  return scale;
}
