// The takeaway of an attack on a forest: a sentence that is true of this row at this budget, and how to read the picture.

import { moveOf } from "../attack/words.js";
import { counted, number, shortened, value } from "../format.js";
import { VERDICT } from "../ledger.js";

export const does = (facts) => (facts.averaged ? (facts.sides ? "votes" : "says") : "adds");
export const what = (facts) => (facts.sides ? "score" : "prediction");
const verb = (n, one, many) => (n === 1 ? one : many);
const share = (n, facts) => `${number(n)} of ${counted(facts.trees, "tree")}`;

export function title(state) {
  const { facts, detail, moves, step, made, at, turned, moved, budget, exact } = state, name = shortened(state.name, 24), said = what(facts);
  const score = (s) => number(detail.states.score[s]), start = score(state.stops[0]), change = `${said} ${start} → ${score(at)}`;
  if (step === 0) return `Without an attack, ${name} has the ${said} ${start}${majority(state)}`;
  if (!moves.length) return `No attack for ${value(budget)} ${exact ? "hurts" : "was found that hurts"} ${name}: the ${said} stays ${start}`;
  if (step !== VERDICT) {
    const m = moves[made - 1], n = state.turns[made].length, turns = facts.sides ? ` ${n ? counted(n, "tree") : "no tree"} ${n > 1 ? "change" : "changes"} sides,` : "";
    return `Move ${made} of ${moves.length}: ${moveOf(m)}, cost ${value(m.cost)},${turns} ${said} ${score(state.stops[made - 1])} → ${score(at)}`;
  }
  if (!facts.sides) return `The attack moves ${share(moved.length, facts)}: ${change}`;
  return `${verdict(state, turned.length)}: ${change}`;
}

function verdict({ facts, detail, stops, at, label }, n) {
  const trees = `${n ? share(n, facts) : "No tree"} ${n > 1 ? "change" : "changes"} sides`;
  const [first, last] = [stops[0], at].map((s) => detail.states.second[s]);
  if (first !== last) return n ? `${trees}, and with ${verb(n, "it", "them")} the prediction` : `${trees}, and yet the prediction does`;
  if ((first === 1) !== facts.labels.y[label] > 0.5) return `${trees}; the prediction was wrong already`;
  return `${trees}, but the prediction stays ${facts.sides.names[last]}`;
}

function majority({ facts, ones }) {
  return facts.sides ? `: ${share(ones[0], facts)} ${verb(ones[0], "says", "say")} ${facts.sides.names[1]}` : "";
}

export function subtitle({ facts, turned, exact }) {
  const says = does(facts), turn = turned.length ? ", a diamond if on another side" : "";
  const decides = facts.averaged ? "The mean decides" : "The sum decides", doubt = exact ? "" : " The search was stopped early: worse may exist.";
  return `Hollow: what a tree ${says} without an attack; solid: under attack${turn}. ${decides}. Click coins, moves, rows.${doubt}`;
}
