// The takeaway, rules in words, and how to read the picture.

import { number, value } from "../format.js";
import { finite } from "./model.js";

/** A change in words: "raise by up to 0.5". */
export function change(delta) {
  const [a, b] = delta.map(finite), signed = (x) => (x > 0 ? `+${value(x)}` : value(x));
  if (a === b) return `${a > 0 ? "raise" : "lower"} by ${value(Math.abs(a))}`;
  if (a === -b || a === 0 || b === 0) return `${a === -b ? "raise or lower" : b ? "raise" : "lower"} by up to ${value(Math.max(-a, b))}`;
  return `change by ${signed(a)} to ${signed(b)}`;
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
  if (rule.delta) return `${where(rule.pre)}, ${change(rule.delta)}`;
  const from = rule.pre ? `${rule.pre.slice(0, 2).map(short).join(", ")}${rule.pre.length > 2 ? ` and ${rule.pre.length - 2} more` : ""}` : "any";
  return `${from} → ${short(rule.becomes)}`;
}

/** who: the row, feature: its short name, found: what is within the budget (null: not known here), at: its value. */
export function title({ who, feature, rules, found, at, budget, short = String }) {
  if (rules === 0) return `No rule changes ${feature}: the attacker can do nothing to it`;
  if (!found) return `The rules have changed: what they make of ${feature} takes Python to say`;
  const last = found.stages[found.stages.length - 1], cost = value(last.cost);
  if (found.stages.length === 1) return `With ${value(budget)} to spend, the attacker cannot change ${feature} of ${who}: it stays ${typeof at === "string" ? short(at) : value(at)}`;
  if (!Array.isArray(last.pieces[0])) return `For ${cost}, the attacker can change ${feature} of ${who} from ${short(at)} to ${list(last.pieces.filter((c) => c !== at).map(short))}`;
  const low = last.pieces[0][0], high = last.pieces[last.pieces.length - 1][1], one = last.pieces.length === 1;
  const more = `${one ? "" : ", though not everything between"}${found.whole ? "" : ", and more for more"}`;
  if (one && low === at) return `For ${cost}, the attacker can raise ${feature} from ${value(at)} to ${value(high)}${more}`;
  if (one && high === at) return `For ${cost}, the attacker can lower ${feature} from ${value(at)} to ${value(low)}${more}`;
  return `For ${cost}, the attacker can move ${feature} = ${value(at)} to values from ${value(low)} to ${value(high)}${more}`;
}

const list = (names) => (names.length < 4 ? names.join(" or ") : `any of ${names.length} others`);

export const subtitle = (kind) =>
  kind === "number"
    ? "Drag the ends of the band (where the rule applies) and of its arrow (what it adds); click its coin (the cost). Below: what it reaches."
    : "Click what may be changed (nothing chosen: anything), and what it becomes; click the coin (the cost). Bars count rows.";

export const OFFLINE = "This page has no Python: rules can be changed, checked for what is typed, and downloaded; what they reach is shown for the rules as they were saved.";
