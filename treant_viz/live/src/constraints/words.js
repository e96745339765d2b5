// What the picture says of a leaf, its constraints, and what happens without them: sentences that are true of this state.

import { counted, nodeName, number, shortened, value } from "../format.js";
import { nearest, within } from "./model.js";

const OTHER = { "≤": ">", "=": "≠" };

/** What must be true to come to a leaf from its parent. */
export function condition(node, longest = 22) {
  if (!node.parent) return "";
  const { feature, sign, threshold } = node.parent.split;
  const end = typeof threshold === "string" ? shortened(threshold, 18) : value(threshold);
  return `${shortened(feature, longest)} ${node.path.endsWith("l") ? sign : OTHER[sign]} ${end}`;
}

/** A leaf by the way to it, the last two tests if they are many. */
export function leafName(node, longest) {
  const tests = [];
  for (let n = node; n.parent; n = n.parent) tests.unshift(condition(n, longest));
  return tests.length ? `the leaf ${tests.length > 2 ? "… " : ""}${tests.slice(-2).join(", ")}` : "the only leaf";
}

/** Two different numbers with as many digits as it takes to tell them apart. */
export function apart(a, b) {
  let digits = 3;
  while (digits < 8 && a !== b && number(a, digits) === number(b, digits)) digits++;
  return [number(a, digits), number(b, digits)];
}

const alike = (a, b) => a === b || Math.abs(a - b) <= 1e-7 * Math.max(1, Math.abs(a));

/** What is off: "the constraint of x2", "the constraints of x2 and 3 more rows", "any constraint". */
export function whose(off, made) {
  if (off.length > 1 && off.length === made.row.length) return "any constraint";
  const names = [...new Set(off.map((i) => made.row[i]))].map((row) => made.name[made.row.indexOf(row)]);
  const who = names.length > 2 ? `${names[0]} and ${names.length - 1} more rows` : names.join(" and ");
  return `the constraint${off.length > 1 ? "s" : ""} of ${who}`;
}

export function title(shown, made) {
  const { node, at, held, on, off, some, tried } = shown, leaf = leafName(node);
  if (tried !== null) return trial(shown, leaf);
  if (!some) return "No constraint is in the way: the attacker has no choice anywhere in this tree";
  if (off.length) return without(shown, made, leaf);
  if (!held.length) return `No constraint reaches ${leaf}: it may say what it likes, ${number(at.prediction)}`;
  if (!at.legal.length) return `Nothing may be said in ${leaf}: its constraints contradict each other`;
  const [best, says] = apart(at.best, at.prediction);
  if (at.forbidden && nearest(at)) return `${best} is forbidden in ${leaf}: ${says} is the nearest value allowed`;
  if (at.forbidden) return `${best} is forbidden in ${leaf}: it says ${says}`;
  return `${counted(on.length, "constraint")} on ${leaf}, none in its way: ${best} is allowed${alike(at.best, at.prediction) ? "" : `, the split chose ${says}`}`;
}

/** A prediction that the hand tries. */
function trial({ on, at, tried }, leaf) {
  const against = on.filter((c) => !within(c.allowed, tried.p)).length, p = number(tried.p);
  if (against) return `${p} is forbidden in ${leaf}: ${counted(against, "constraint")} ${against === 1 ? "stands" : "stand"} in the way`;
  return `${p} is allowed in ${leaf}, and would cost ${number(tried.loss)}${at.prediction === null ? "" : `; ${number(at.prediction)} costs ${number(at.loss)}`}`;
}

function without({ at, was, off, losses, before }, made, leaf) {
  return `Without ${whose(off, made)} ${moved(leaf, was, at)}${caused(before.attacked, losses.attacked)}`;
}

function moved(leaf, was, at) {
  if (at.prediction === null) return `nothing is allowed in ${leaf}`;
  if (was.prediction === null) return `${leaf} can say ${number(at.prediction)}`;
  if (alike(was.prediction, at.prediction)) return `${leaf} stays at ${number(at.prediction)}`;
  const [a, b] = apart(was.prediction, at.prediction);
  return `${leaf} slides from ${a} to ${b}`;
}

function caused(before, after) {
  if (before === "unknown" || after === "unknown") return "";
  const value = (x) => (x === null ? Infinity : x), [a, b] = apart(before, after);
  return alike(value(before), value(after)) ? `, and the attacker still causes ${b}` : `, and the attacker causes ${b}, not ${a}`;
}

export function subtitle(shown, other) {
  const { some, held, tree } = shown;
  if (!some) return "A test that the attacker can push rows across would make some: each side must then keep the losses that the split has counted.";
  if (!held.length) return `Constraints follow the rows they protect, and none of these can come here.${other ? ` See ${other}.` : ""}`;
  const more = tree.nodes.some((n) => !n.split && n.step > 0) ? "; dashed leaves are split later" : "";
  const hollow = shown.at.forbidden || shown.tried ? "; hollow: what it would say if all were allowed" : "";
  return `Green: allowed by all; grey: what one row asks; full diamond: what the leaf says (drag it)${hollow}${more}.`;
}

/** What a constraint is there for: the attacker's choice at its split must stay the one that was counted. */
export function purpose({ name, sense, origin }) {
  return sense === "≥"
    ? `at ${nodeName(origin)} the attacker sends ${name} this way, so here it must go on losing at least `
    : `at ${nodeName(origin)} the attacker sends ${name} the other way, so here it must lose no more than `;
}

/** What a constraint allows, in words; its ends are legal themselves. */
export function allowedIn(pieces, [low, high]) {
  const one = ([a, b]) => {
    if (a <= low && b >= high) return "anything";
    if (a <= low) return `at most ${number(b)}`;
    if (b >= high) return `at least ${number(a)}`;
    return a === b ? `exactly ${number(a)}` : `${number(a)} to ${number(b)}`;
  };
  return pieces.map(one).join(" or ") || "nothing";
}
