// The marks of the methods, as matplotlib draws them, around (0, 0).

const corner = (r, turn) => `${(r * Math.cos(turn)).toFixed(2)},${(r * Math.sin(turn)).toFixed(2)}`;
const polygon = (n, r, degrees) => `M${Array.from({ length: n }, (_, k) => corner(r, (degrees * Math.PI) / 180 + (2 * Math.PI * k) / n)).join("L")}Z`;
const plus = (r, degrees) => `M${Array.from({ length: 12 }, (_, k) => {
  const arm = Math.floor(k / 3) * 90 + degrees;
  return corner([1.05, 1.05, 0.5][k % 3] * r, ((arm + [-20, 20, 45][k % 3]) * Math.PI) / 180);
}).join("L")}Z`;

export function mark(shape, r) {
  const turned = { "^": -90, v: 90, "<": 180, ">": 0 };
  if (shape in turned) return polygon(3, 1.3 * r, turned[shape]);
  if (shape === "s") return polygon(4, 1.25 * r, 45);
  if (shape === "D") return polygon(4, 1.35 * r, 0);
  if (shape === "h") return polygon(6, 1.15 * r, 30);
  if (shape === "P" || shape === "X") return plus(1.15 * r, shape === "X" ? 45 : 0);
  return `M${-r},0A${r},${r} 0 1 1 ${r},0A${r},${r} 0 1 1 ${-r},0Z`;
}
