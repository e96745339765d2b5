// What a forest under attack shows in a state: looked up in the facts; costs are compared with the budget, no more.

import { rowPlace } from "../attack/model.js";
import { SLACK, lastAtMost } from "../facts.js";
import { VERDICT } from "../ledger.js";


/** All attacks on a row; undefined where they are not known here. */
export const playedOn = (facts, row) => (facts.played ??= new Map(facts.details.map((d) => [d.row, d]))).get(row);

/** The place of what each tree says in a state of a row. */
function placesIn(detail, state) {
  const out = detail.own.slice(), { trees, values } = detail.states;
  trees[state].forEach((t, i) => { out[t] = values[state][i]; });
  return out;
}

const secondSide = (facts, places) => (facts.sides ? places.map((p) => facts.second[p] === "1") : null);

/** The trees in the order of their lanes: by what they say themselves, then by what the dearest attack makes of it. */
function ordered(facts, detail) {
  const last = placesIn(detail, detail.attacks.states.at(-1).at(-1)), say = (places, t) => facts.values[places[t]];
  const by = (a, b) => say(detail.own, a) - say(detail.own, b) || say(last, a) - say(last, b) || a - b;
  return detail.own.map((_, t) => t).sort(by);
}

/** Everything that is shown in a state. */
export function present(facts, state) {
  const detail = playedOn(facts, state.row), r = rowPlace(facts, state.row), { attacks, states } = detail;
  const level = Math.max(0, lastAtMost(attacks.cost, state.budget * SLACK)), stops = attacks.states[level];
  const moves = attacks.moves[level].map((m) => moveAt(facts, m));
  const step = state.move === VERDICT ? VERDICT : Math.min(state.move, moves.length), made = step === VERDICT ? moves.length : step;
  const places = stops.map((s) => placesIn(detail, s)), sides = places.map((p) => secondSide(facts, p));
  const differ = (a, b) => (sides[a] ? sides[a].flatMap((side, t) => (side === sides[b][t] ? [] : [t])) : []);
  const spent = step === VERDICT ? attacks.cost[level] : moves.slice(0, made).reduce((sum, m) => sum + m.cost, 0);
  return {
    facts, detail, r, level, moves, step, made, spent, left: Math.max(0, state.budget - spent), budget: state.budget,
    name: facts.rows.name[r], label: facts.rows.label[r], exact: attacks.exact[level], costs: attacks.cost,
    order: (detail.order ??= ordered(facts, detail)),
    own: detail.own.map((p) => facts.values[p]), now: places[made].map((p) => facts.values[p]), second: sides[made],
    turned: differ(0, made), moved: places[made].flatMap((p, t) => (p === detail.own[t] ? [] : [t])),
    turns: stops.map((_, k) => (k ? differ(k - 1, k) : [])), stops, states, at: stops[made],
    ones: sides.map((side) => (side ? side.filter(Boolean).length : 0)),
  };
}

function moveAt(facts, m) {
  const { feature, before, after, cost } = facts.moves;
  return { name: facts.features[feature[m]], before: before[m], after: after[m], cost: cost[m] };
}

/** Middles of words, given how wide they are, moved so that they touch neither each other nor the ends [low, high]. */
export function apart(middles, widths, [low, high]) {
  const order = middles.map((_, i) => i).sort((a, b) => middles[a] - middles[b]), out = middles.slice();
  let end = low;
  for (const i of order) end = (out[i] = Math.max(out[i], end + widths[i] / 2)) + widths[i] / 2;
  end = high;
  for (const i of order.reverse()) end = (out[i] = Math.min(out[i], end - widths[i] / 2)) - widths[i] / 2;
  return out;
}
