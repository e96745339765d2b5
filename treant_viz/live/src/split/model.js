// What the split shows in a state: looked up in the facts, never computed. The browser knows no definition of the paper.

import { SLACK, lastAtMost } from "../facts.js";

export const SIDES = ["L", "U", "R"]; // in class names
export const MARKS = ["←", "↔", "→"]; // where there is no room for words
export const WORDS = ["surely left", "up to the attacker", "surely right"];
export const PLANS = [["standard", "standard"], ["four-case", "four cases"], ["robust", "robust"]];

/** A table with what drawing needs beside it: positions by level, the range of the axis, the largest loss. */
export function opened(table) {
  if (table.opened) return table;
  const numbers = table.kind === "number";
  const at = (p) => (p < 0 ? -Infinity : p >= table.points.length ? Infinity : table.points[p]);
  for (const level of table.levels) {
    level.thresholds = numbers ? level.at.map(at) : level.at;
    level.robust ??= level.standard; // nobody is unknown anywhere
    if (level.cases.length === 1) level.cases = Array(4).fill(level.cases[0]);
  }
  table.range = { standard: range(table.levels, "standard"), robust: range(table.levels, "robust") };
  table.sizes = table.values.map(() => 0);
  for (const c of table.codes) table.sizes[c] += 1;
  table.position = at;
  table.costs = table.levels.map((level) => level.cost);
  table.opened = true;
  return table;
}

/** The least and the greatest loss of a plan, over all levels and thresholds: axes stay put while a slider moves. */
function range(levels, plan) {
  const all = levels.flatMap((level) => [...level[plan].loss, ...level[plan].loss_under_attack]).filter((l) => l !== null);
  return [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), 0) || 1];
}

/** Where an axis of losses begins and ends: at nothing, unless all of them are far from it. */
export function domainOf(table, plan) {
  const [least, most] = table.range[planKey(plan)], room = 0.06 * (most - least || most);
  return least > 0.4 * most ? [least - 3 * room, most + room] : [0, most + room];
}

/** The four cases are scored in another way, but their leaves are the standard ones. */
export const planKey = (plan) => (plan === "robust" ? "robust" : "standard");

/** The state in the facts: its level, the place of its threshold, and every number that is shown, by name. */
export function present(facts, state) {
  const table = opened(facts.tables[state.feature]);
  const level = table.levels[Math.max(0, lastAtMost(table.costs, state.budget * SLACK))];
  const i = placeOf(table, level, state.threshold);
  const plan = level[planKey(state.plan)];
  const shown = { threshold: state.threshold, budget: state.budget };
  for (const name of ["left", "unknown", "right"]) shown[name] = level[name][i];
  for (const name of ["y_l", "y_r", "loss", "loss_under_attack"]) shown[name] = plan[name][i];
  for (const name of FLOWS) shown[name] = plan[name][i];
  shown.standard_loss_under_attack = level.standard.loss_under_attack[i];
  level.cases.forEach((column, k) => { shown[`case_${k}`] = column[i]; });
  if (state.tried) Object.assign(shown, state.tried); // leaves of one's own: Python has worked out what they cost
  return { table, level, i, plan, shown, name: facts.features[state.feature].name };
}

export const FLOWS = ["left_left", "left_right", "right_left", "right_right"];

/** The place of a threshold among those of a level: of a number, the last one that is not above it. */
export function placeOf(table, level, threshold) {
  if (table.kind === "category") return Math.max(0, table.points.indexOf(threshold));
  return Math.max(0, lastAtMost(level.thresholds, threshold));
}

/** The threshold nearest to a position, among those where something changes. */
export function nearest(level, x) {
  const after = lastAtMost(level.thresholds, x), t = level.thresholds;
  if (after < 1) return t[1];
  return after + 1 < t.length && t[after + 1] - x < x - t[after] ? t[after + 1] : t[after];
}

/** By distinct value (or category): 0 surely left, 1 the attacker's, 2 surely right. */
export function sides(table, level, i) {
  const v = level.at[i];
  if (table.kind === "category")
    return level.reach.map((row, c) => (row[v] ? (row.some((can, z) => can && z !== v) ? 1 : 0) : 2));
  return level.low.map((low, c) => (low <= v ? (level.high[c] > v ? 1 : 0) : 2));
}

/** What it costs to bring value c to the other side of the test; null if no budget here does. */
export function crossing(table, i_level, v, c) {
  const home = table.kind === "category" ? c === v : table.values[c] <= v;
  for (const level of table.levels) {
    const crosses = table.kind === "category"
      ? level.reach[c].some((can, z) => can && (z === v) !== home)
      : home ? level.high[c] > v : level.low[c] <= v;
    if (crosses) return level.cost;
  }
  return null;
}
