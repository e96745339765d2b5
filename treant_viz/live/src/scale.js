// Linear scales, of one piece or of several, and round numbers to write along them.

/** About `count` round numbers from a to b: multiples of 1, 2 or 5 times a power of ten. */
export function ticks(a, b, count) {
  if (a === b) return [a];
  if (b < a) return ticks(b, a, count).reverse();
  const rough = (b - a) / count, power = Math.floor(Math.log10(rough)), lead = rough / 10 ** power;
  const factor = lead >= Math.sqrt(50) ? 10 : lead >= Math.sqrt(10) ? 5 : lead >= Math.SQRT2 ? 2 : 1;
  // Divided by whole numbers where the step is below 1: 3 / 10 is 0.3, and 3 * 0.1 is not.
  const at = power < 0 ? (i) => i / (10 ** -power / factor) : (i) => i * factor * 10 ** power;
  const step = at(1), first = Math.ceil(a / step - 1e-9), last = Math.floor(b / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => at(first + i));
}

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
