// The takeaway: a sentence that is true of this picture in this state, and how to read it.

import { counted, number, shortened, value } from "../format.js";

export const testOf = (table, name, threshold) =>
  `${shortened(name, 22)} ${table.kind === "category" ? "=" : "≤"} ${table.kind === "category" ? shortened(threshold, 18) : value(threshold)}`;

/** who: names of the unknown rows, if there are few. */
export function title({ table, level, shown, name, who }) {
  const n = shown.left + shown.unknown + shown.right;
  if (shown.unknown === 0) {
    if (level.cost === 0 && table.levels.length === 1) return `No rule changes ${shortened(name)}: the attacker decides for nobody`;
    if (level.cost === 0) return "With this budget nothing moves: the attacker decides for nobody";
    return table.kind === "category"
      ? "No row can change its side: the attacker decides for nobody"
      : "No bar crosses the line: the attacker decides for nobody";
  }
  if (shown.unknown === n) return `The attacker decides for all ${counted(n, "row")}`;
  if (shown.unknown === 1 && who.length === 1) return `The attacker decides for ${who[0]} alone`;
  return `The attacker decides for ${number(shown.unknown)} of ${counted(n, "row")}`;
}

export function subtitle({ table }) {
  return table.kind === "category"
    ? "Click a category to ask for it. An arrow says what the attacker can make of a row for this budget."
    : "Drag the line. A bar is how far the attacker can move a row for this budget; whose bar crosses the line is up to the attacker.";
}

/** What the plan makes of it, in a sentence. */
export function verdict({ shown, level }, plan) {
  const planned = { standard: "planned as if nobody attacked", "four-case": "planned for four cases", robust: "planned for the attacker" }[plan];
  return `${planned}: loss ${number(shown.loss)}, under attack ${number(shown.loss_under_attack)}`;
}

export const CASES = ["nobody attacks", "all that can swap sides", "all go left", "all go right"];
