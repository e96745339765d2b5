// The takeaway of an attack: a sentence that is true of this row at this budget, and how to read the picture.

import { counted, number, shortened, value } from "../format.js";
import { infinite } from "./model.js";

export function testOf(facts, tree, path, longest = 18) {
  const i = tree.test.get(path), feature = facts.features[tree.tests.feature[i]];
  const sign = feature.categories ? "=" : "≤", at = tree.tests.threshold[i];
  return `${shortened(feature.name, longest)} ${sign} ${feature.categories ? shortened(at, longest) : value(at)}`;
}

/** A move in so many letters: the name gives way, the numbers never. */
export function moveIn(m, longest) {
  const change = ` ${shown(m.before, 12)} → ${shown(m.after, 12)}`;
  return `${shortened(m.name, Math.max(4, longest - change.length))}${change}`;
}

export const moveOf = (m, longest = 16) => `${shortened(m.name, longest)} ${shown(m.before, longest)} → ${shown(m.after, longest)}`;
const shown = (x, longest) => (typeof x === "string" ? shortened(x, longest) : value(x));

/** A sentence begins with a capital; names that users gave stay as they are. */
export const title = (state) => sentence(state).replace(/^row (?=\d)/, "Row ");

/** Does nobody lose more at this budget than without an attack? */
function harmless({ tree, level }) {
  const attacked = tree.loss_under_attack[level];
  return attacked !== null && tree.loss !== null && attacked - tree.loss <= 1e-9 * Math.abs(tree.loss);
}

function sentence(state) {
  const { facts, tree, list, hurt, home, shown, moves, step, at, left, budget } = state, name = shortened(state.name, 24);
  if (step === 0) return `Without an attack, ${name} ends in the leaf that predicts ${number(tree.leaves.prediction[home.leaf])}: loss ${number(home.loss)}`;
  if (step > 0) {
    const m = moves[step - 1], loss = tree.losses[state.label][at];
    return `Move ${step} of ${moves.length}: ${moveOf(m)}, cost ${value(m.cost)}; loss ${number(loss)}, ${value(left)} left`;
  }
  const worst = shown.leaf === hurt[0].leaf;
  if (state.verdict && worst) return invariance(state.verdict, name);
  const others = list.filter((a) => a.open && a.leaf !== home.leaf);
  if (worst && harmless(state)) return `No row loses more to a budget of ${value(budget)}: ${name} keeps its loss of ${number(home.loss)}`;
  if (!others.length) return `With ${value(budget)} to spend, the attacker cannot move ${name} to another leaf: its loss stays ${number(home.loss)}`;
  if (shown.leaf !== home.leaf) return `For ${value(shown.cost)}, the attacker pushes ${name} across ${aim(facts, tree, state.edges)}: its loss ${infinite(shown.loss) < infinite(home.loss) ? "falls" : "grows"} from ${number(home.loss)} to ${number(shown.loss)}`;
  const most = others.map((a) => a.loss).sort((a, b) => infinite(b) - infinite(a))[0];
  if (!hurt.some((a) => a.leaf === home.leaf)) return `In its own leaf ${name} loses ${number(home.loss)}; in another leaf in reach it would lose ${number(most)}`;
  if (hurt.length > 1) return `Moving ${name} gains the attacker nothing: its leaf is as bad as any in reach, loss ${number(home.loss)}`;
  return `The attacker leaves ${name} alone: its own leaf is the worst in reach, loss ${number(home.loss)}, elsewhere at most ${number(most)}`;
}

function aim(facts, tree, edges) {
  if (edges.length !== 1) return counted(edges.length, "test");
  return testOf(facts, tree, edges[0].path.slice(0, -1));
}

function invariance(verdict, name) {
  if (verdict === "kept") return `Attack invariance holds for ${name}: one of the two new leaves is its worst`;
  if (verdict === "broken") return `The new split breaks attack invariance for ${name}: its worst leaf is now another one`;
  return `The new split is of no concern to the attack on ${name}: its worst leaf is another one`;
}

export function subtitle({ near, tree }) {
  const all = tree.leaves.path.length, open = `${near.length} of ${number(all)} ${all === 1 ? "leaf" : "leaves"} in reach`;
  return `Line: its way without an attack; hatched: its way under attack, the coin is the price. ${open}. Click coins, leaves, rows.`;
}
