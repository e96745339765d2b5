// Numbers as all pictures and words write them; the same cases as Python's `viz/style/text.py` hold for both.

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const minus = (text) => text.replace("-", "−");
const bare = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

/** At least three significant digits, thousands separated, a true minus, never "e+06". null is infinite. */
export function number(x, digits = 3) {
  if (x === null) return "∞";
  if (Number.isNaN(x)) return "unknown";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const size = Math.abs(x);
  if (x !== 0 && (size < 1e-5 || size >= 1e12)) return power(x, digits);
  const places = Math.max(0, digits - 1 - magnitude(x, digits));
  const [whole, rest] = fixed(x, places).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const text = bare(rest === undefined ? grouped : `${grouped}.${rest}`);
  return text === "-0" ? "0" : minus(text);
}

/** A feature's value or a threshold: six digits, so that no row seems to stand on the wrong side of a test. */
export const value = (x) => (typeof x === "string" ? x : number(x, 6));

export const counted = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

/** What a node is called: by the way to it from the root. */
export function nodeName(path) {
  const way = [...path].map((side) => (side === "l" ? "left" : "right")), last = way.pop();
  if (!way.length) return last ? `the ${last} child` : "the root";
  return `the node ${way.join(", ")}, then ${last}`;
}

export const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** A name without its middle: names often differ at the end. */
export function shortened(text, longest = 28) {
  if (text.length <= longest) return text;
  const head = Math.floor((longest * 3) / 5), tail = longest - 1 - head;
  return `${text.slice(0, head).trimEnd()}…${text.slice(text.length - tail).trimStart()}`;
}

/** Names of one picture, so short that they fit: those that would look alike lose what they share. */
export function distinct(names, longest) {
  const short = names.map((name) => shortened(name, longest)), taken = new Set();
  return names.map((name, i) => {
    const rivals = names.filter((other, j) => other !== name && short[j] === short[i]);
    let same = 0;
    while (rivals.length && same < name.length && rivals.every((other) => other[same] === name[same])) same += 1;
    const text = rivals.length ? shortened(`${name.slice(0, 2)}…${name.slice(same)}`, longest) : short[i];
    let once = text;
    for (let k = 2; taken.has(once); k += 1) once = `${text} ${k}`;
    taken.add(once);
    return once;
  });
}

function magnitude(x, digits) {
  return x === 0 ? 0 : Number(x.toExponential(digits - 1).split("e")[1]);
}

function power(x, digits) {
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return `${minus(bare(mantissa))}·10${[...String(Number(exponent))].map((c) => RAISED[c]).join("")}`;
}

/** Like toFixed, but a tie goes to the even digit, as in Python. */
function fixed(x, places) {
  const scaled = x * 10 ** places;
  const tie = places < 4 && Math.abs(scaled % 1) === 0.5 && scaled / 10 ** places === x;
  return tie ? ((2 * Math.round(scaled / 2)) / 10 ** places).toFixed(places) : x.toFixed(places);
}
