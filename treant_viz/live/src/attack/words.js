// The takeaway of an attack: a sentence that is true of this row at this budget, and how to read the picture.

import { counted, number, shortened, value } from "../format.js";
import { infinite } from "./model.js";

const said = (loss) => number(loss, 4);

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
const shown = (x, longest) => (typeof x === "string" ? shortened(x, longest) : number(x, 4));

/** A sentence begins with a capital; names that users gave stay as they are. */
export const title = (state) => sentence(state).replace(/^row (?=\d)/, "Row ");

/** Does nobody lose more at this budget than without an attack? */
function harmless({ tree, level }) {
  const attacked = tree.loss_under_attack[level];
  return attacked !== null && tree.loss !== null && attacked - tree.loss <= 1e-9 * Math.abs(tree.loss);
}

function sentence(state) {
  const { facts, tree, list, hurt, home, shown, moves, step, at, left, budget } = state, name = shortened(state.name, 24);
  if (step === 0) return `Without an attack, ${name} ends in the leaf that predicts ${number(tree.leaves.prediction[home.leaf], 4)}: loss ${said(home.loss)}`;
  if (step > 0) {
    const m = moves[step - 1], loss = tree.losses[state.label][at];
    return `Move ${step} of ${moves.length}: ${moveOf(m)}, cost ${number(m.cost)}; loss ${said(loss)}, ${number(left)} left`;
  }
  if (state.verdict) return invariance(state.verdict, name);
  const others = list.filter((a) => a.open && a.leaf !== home.leaf);
  if (harmless(state)) return `No row loses more to a budget of ${number(budget)}: ${name} keeps its loss of ${said(home.loss)}`;
  if (!others.length) return `With ${number(budget)} to spend, the attacker cannot move ${name} to another leaf: its loss stays ${said(home.loss)}`;
  if (shown.leaf !== home.leaf) return `For ${number(shown.cost)}, the attacker pushes ${name} across ${aim(facts, tree, state.edges)}: its loss ${infinite(shown.loss) < infinite(home.loss) ? "falls" : "grows"} from ${said(home.loss)} to ${said(shown.loss)}`;
  const most = others.map((a) => a.loss).sort((a, b) => infinite(b) - infinite(a))[0];
  if (!hurt.some((a) => a.leaf === home.leaf)) return `In its own leaf ${name} loses ${said(home.loss)}; in another leaf in reach it would lose ${said(most)}`;
  if (hurt.length > 1) return `Moving ${name} gains the attacker nothing: its leaf is as bad as any in reach, loss ${said(home.loss)}`;
  return `The attacker leaves ${name} alone: its own leaf is the worst in reach, loss ${said(home.loss)}, elsewhere at most ${said(most)}`;
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

export function subtitle({ facts, near, tree }) {
  const all = tree.leaves.path.length, open = `${near.length} of ${number(all)} ${all === 1 ? "leaf" : "leaves"} in reach`;
  const how = facts.trees.length === 1 ? "Click coins, leaves, rows." : "Click coins or rows.";
  return `Line: its way without an attack; hatched: its way under attack, the coin is the price. ${open}. ${how}`;
}
