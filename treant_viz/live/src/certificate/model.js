// What certificates show in a state: looked up in the facts; costs are compared with the budget, no more.

import { SLACK, lastAtMost } from "../facts.js";

/** The value of a step function at a budget. */
export const valueAt = ({ at, value }, budget) => value[Math.max(0, lastAtMost(at, budget * SLACK))];

/** Is there something to change in this row, and does the budget do it: "wrong", "safe", "falls", or "unknown"? */
export function fateOf({ rows }, r, budget) {
  if (rows.stake[r] === "0") return "wrong";
  const within = (cost) => cost !== null && cost <= budget * SLACK;
  return within(rows.changes_at[r]) ? "falls" : within(rows.safe_below[r]) ? "unknown" : "safe";
}

/** Everything that is shown in a state. */
export function present(facts, { row, budget }) {
  const { rows, moves } = facts, r = rows.at.indexOf(row);
  const groups = facts.groups.map((g) => ({ ...g, safe: [valueAt(g.least, budget), valueAt(g.most, budget)] }));
  return {
    facts, r, budget, groups, all: groups[0], name: rows.name[r], label: facts.labelled ? `, ${facts.groups[rows.group[r]].name}` : "", fate: fateOf(facts, r, budget),
    payers: facts.features.map(({ name, paid, uses }) => ({ name, paid: valueAt(paid, budget), uses: valueAt(uses, budget) })),
    moves: rows.moves[r].map((m) => ({ name: facts.features[moves.feature[m]].name, before: moves.before[m], after: moves.after[m], cost: moves.cost[m] })),
    scores: rows.scores[r], safe_below: rows.safe_below[r], changes_at: rows.changes_at[r],
  };
}
