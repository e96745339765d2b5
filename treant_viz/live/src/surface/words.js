// The takeaway of a run: a sentence that is true of this picture, and how to read it.

import { counted, number, shortened, value } from "../format.js";

const whole = (x) => Number(x.toFixed(6)); // a solver's rounding is not worth showing
export const leaf = (p) => number(whole(p));
export const pair = (l, r) => `(${leaf(l)}, ${leaf(r)})`;
export const testOf = ({ feature, sign, threshold }, longest = 24) => `${shortened(feature, longest)} ${sign} ${typeof threshold === "string" ? shortened(threshold, 18) : value(threshold)}`;

/** Two losses with as many digits as it takes to tell them apart. */
export function apart(a, b) {
  let digits = 3;
  while (digits < 9 && a !== b && number(a, digits) === number(b, digits)) digits += 1;
  return [number(a, digits), number(b, digits)];
}

export function title({ table, run, test }, now) {
  const from = `From ${pair(now.start_l, now.start_r)} SLSQP`;
  if (table.optimum === null) return `At ${testOf(test)} no pair of leaves satisfies all constraints`;
  if (run === null) return `${from} is at work`;
  const best = table.optimum[2];
  if (run.stuck) {
    const [end, least] = apart(run.loss, best);
    return `${from} ${run.success ? "reports success" : "gives up"} at a loss of ${end}; the optimum is ${least}`;
  }
  const but = run.success ? "" : ", but reports a failure";
  if (table.segment) return `${from} ends in one of many best pairs, with a loss of ${number(best)}${but}`;
  return `${from} finds the optimum ${pair(table.optimum[0], table.optimum[1])}, a loss of ${number(best)}${but}`;
}

/** Only of what the picture shows. */
export function subtitle({ table, stuck }) {
  const said = ["Drag the start", "a point is what the two leaves say; lines join the same loss under attack"];
  if (table.creases.length) said.push("dashed: some row loses the same on both sides");
  if (forbids(table)) said.push("hatched: forbidden");
  if (stuck) said.push("×: a start that gets stuck");
  return `${said.join("; ")}.`;
}

export const forbids = (table) => table.allowed.some((pieces) => !(pieces.length === 1 && pieces[0].every((e, i) => e === null || e === table.frame[i])));

/** What the solver did and what it says of it. */
export function verdict(run) {
  const steps = counted(run.steps, "step");
  return `SLSQP makes ${steps} and ${run.success ? "reports a success" : "reports a failure"} (status ${run.code}: ${run.verdict}).`;
}

/** Why a start that reports success is stuck, or that it does not matter where one starts. */
export function lesson({ table, run, stuck, starts }) {
  if (table.optimum === null) return "The constraints of the two leaves leave nothing to choose.";
  const cut = table.allowed.some((pieces) => pieces.length > 1);
  if (run?.stuck && across(table, run)) return "A ≥ constraint cuts the bowl in two, and SLSQP does not come across the gap: the start decides.";
  if (run?.stuck) return "SLSQP expects a smooth bowl; at a crease it can stop too early.";
  if (cut) return "A ≥ constraint cuts the bowl in two; this start leads to the right side of the gap.";
  if (stuck) return `A bowl with creases: ${number(starts - stuck)} of ${number(starts)} starts lead to its bottom.`;
  return `One bowl: all ${number(starts)} starts lead to its bottom.`;
}

/** Do a run's end and the optimum lie in different parts of what is allowed? */
function across({ allowed, optimum }, run) {
  const part = (pieces, p) => pieces.findIndex(([a, b]) => (a === null || p >= a - 1e-6) && (b === null || p <= b + 1e-6));
  return allowed.some((pieces, k) => part(pieces, [run.y_l, run.y_r][k]) !== part(pieces, optimum[k]));
}

/** The best pair, or the pairs along a segment, as [left, right]. */
export function bestPair({ optimum, segment }) {
  if (!segment) return optimum.slice(0, 2).map(leaf);
  const [[a, c], [b, d]] = segment;
  return [[a, b], [c, d]].map(([low, high]) => (high > low ? `${leaf(low)} to ${leaf(high)}` : leaf(low)));
}
