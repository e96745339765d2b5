// The marks of the methods, as matplotlib draws them, around (0, 0).

import { round } from "../steps.js";

const TURNED = { "^": [3, 1.3, -90], v: [3, 1.3, 90], "<": [3, 1.3, 180], ">": [3, 1.3, 0], s: [4, 1.25, 45], D: [4, 1.35, 0], h: [6, 1.15, 30], P: [4, 1.3, 0, 0.5], X: [4, 1.3, 45, 0.5] };

/** A polygon, or a star whose notches are as deep as `inner`; "o" is a circle. */
export function mark(shape, r) {
  if (!(shape in TURNED)) return `M${-r},0A${r},${r} 0 1 1 ${r},0A${r},${r} 0 1 1 ${-r},0Z`;
  const [n, size, turn, inner] = TURNED[shape], count = inner ? 2 * n : n;
  return `M${Array.from({ length: count }, (_, k) => {
    const angle = (turn / 180 + (2 * k) / count) * Math.PI, far = r * size * (inner && k % 2 ? inner : 1);
    return [Math.cos(angle), Math.sin(angle)].map((c) => round(far * c));
  }).join("L")}Z`;
}

export const at = (x, y) => `translate(${round(x)},${round(y)})`;
