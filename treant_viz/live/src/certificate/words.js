// The takeaway of certificates: a sentence that is true of these rows at this budget, and what is said of one row.

import { counted, number, value } from "../format.js";

/** A count that may be known only between bounds. */
export const between = ([low, high]) => (low === high ? number(low) : low ? `${number(low)} to ${number(high)}` : `at most ${number(high)}`);

const by = ({ tolerance }) => (tolerance ? ` by more than ${number(tolerance)}` : "");

export function title({ facts, all, budget }) {
  const { labelled, classes } = facts, n = all.stake, fallen = all.safe.map((k) => n - k).reverse(), verb = classes.length ? "changes" : "moves";
  if (!n) return `The model gets none of ${counted(all.n, "row")} right: there is nothing to attack`;
  const things = labelled ? `the ${counted(n, "right prediction")}` : counted(n, "prediction");
  if (!fallen[1]) return `No attack for ${value(budget)} ${verb} any of ${things}${by(facts)}`;
  return `For ${value(budget)}, the attacker ${verb} ${between(fallen)} of ${things}${by(facts)}: ${between(all.safe)} ${all.safe[1] === 1 ? "is" : "are"} safe`;
}

export function subtitle({ facts }) {
  const doubt = facts.inexact ? " Some searches were stopped early: the band is where the line for all may lie." : "";
  return `The share of rows that ${facts.labelled ? "are right and stay right" : "keep their prediction"} at each budget. Drag the line, or pick a row.${doubt}`;
}

/** The model's word on the row, before or after all moves. */
export function word({ facts, r, scores }, after) {
  const score = number(scores[after ? scores.length - 1 : 0], 4), { classes, rows } = facts;
  return classes.length ? `${classes[(rows.second[r] === "1") !== after ? 1 : 0]}, score ${score}` : score;
}

/** What the certificate of the row means at this budget. */
export function verdict({ facts, fate, budget, safe_below }) {
  if (fate === "falls") return `${value(budget)} is enough`;
  if (fate === "wrong") return "wrong without an attack";
  if (fate === "unknown") return "not known: the search was stopped early";
  if (safe_below !== null) return `${value(budget)} is not enough`;
  return `no attack ${facts.budget === null ? "" : `for ${value(facts.budget)} `}${facts.classes.length ? "changes" : "moves"} it${by(facts)}`;
}
