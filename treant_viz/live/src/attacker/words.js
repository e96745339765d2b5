// The takeaway, rules in words, and how to read the picture.

import { number, value } from "../format.js";
import { finite } from "./model.js";

/** A change in words, with its signs: "−1 to +1". */
export function change(delta) {
  const [a, b] = delta.map(finite), signed = (x) => (x > 0 ? `+${value(x)}` : value(x));
  return a === b ? signed(a) : `${signed(a)} to ${signed(b)}`;
}

/** Where a rule applies. */
export function where(pre) {
  const [low, high] = pre.map(finite);
  if (low === -Infinity) return high === Infinity ? "anywhere" : `up to ${value(high)}`;
  return high === Infinity ? `from ${value(low)} on` : `from ${value(low)} to ${value(high)}`;
}

/** A rule in a few words; `short` names categories. */
export function ruleWords(rule, short = String) {
  if (!rule) return "not yet a rule";
  if (rule.delta) return `${where(rule.pre)}: ${change(rule.delta)}`;
  const from = rule.pre ? `${rule.pre.slice(0, 2).map(short).join(", ")}${rule.pre.length > 2 ? ` and ${rule.pre.length - 2} more` : ""}` : "any";
  return `${from} → ${short(rule.becomes)}`;
}

/** who: the row, feature: its short name, found: what is within the budget (null: not known here), at: its value. */
export function title({ who, feature, rules, found, at, budget, short = String }) {
  if (rules === 0) return `No rule changes ${feature}: the attacker can do nothing to it`;
  if (!found) return `The rules have changed: what they make of ${feature} takes Python to say`;
  const last = found.stages[found.stages.length - 1], cost = number(last.cost, 6);
  if (found.stages.length === 1) return `With ${number(budget, 6)} to spend, the attacker cannot change ${feature} of ${who}: it stays ${typeof at === "string" ? short(at) : value(at)}`;
  if (!Array.isArray(last.pieces[0])) return `For up to ${cost} the attacker turns ${feature} of ${who} from ${short(at)} into ${list(last.pieces.filter((c) => c !== at).map(short))}`;
  const low = value(last.pieces[0][0]), high = value(last.pieces[last.pieces.length - 1][1]);
  const what = last.pieces.length === 1 ? "anything" : `what lies in ${last.pieces.length} pieces`;
  return `For up to ${cost} the attacker turns ${feature} = ${value(at)} into ${what} from ${low} to ${high}${found.whole ? "" : ", and more for more"}`;
}

const list = (names) => (names.length < 4 ? names.join(" or ") : `any of ${names.length} others`);

export const subtitle = (kind) =>
  kind === "number"
    ? "Drag the ends of the band (where the rule applies) and of its arrow (what it adds); click its coin (the cost). Below: what it reaches."
    : "Click what may be turned (nothing chosen: anything), and what it becomes; click the coin (the cost). Bars count rows.";

export const OFFLINE = "This page has no Python: rules can be changed, checked for what is typed, and downloaded; what they reach is shown for the rules as they were saved.";
