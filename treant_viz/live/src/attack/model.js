// What attacks on a tree show in a state: looked up in the facts; costs are compared with the budget, no more.

import { SLACK, lastAtMost } from "../facts.js";
import { VERDICT } from "../ledger.js";

export const WORST = "worst";

/** A tree with what drawing needs: nodes by path, leaves below a path. */
export function opened(tree) {
  if (tree.opened) return tree;
  tree.test = new Map(tree.tests.path.map((path, i) => [path, i]));
  tree.deep = Math.max(...tree.leaves.path.map((path) => path.length));
  tree.below = new Map();
  tree.leaves.path.forEach((path, i) => {
    for (let k = 0; k <= path.length; k++) {
      const above = path.slice(0, k);
      if (!tree.below.has(above)) tree.below.set(above, []);
      tree.below.get(above).push(i);
    }
  });
  tree.carried = new Map([...tree.below].map(([path, list]) => [path, list.reduce((sum, i) => sum + tree.leaves.rows[i], 0)]));
  tree.opened = true;
  return tree;
}

export const infinite = (loss) => (loss === null ? Infinity : loss);
export const levelOf = (tree, budget) => Math.max(0, lastAtMost(tree.costs, budget * SLACK));
export const rowPlace = (facts, row) => (facts.places ??= new Map(facts.rows.at.map((at, i) => [at, i]))).get(row);

/** Does the row in place r pass the test at this path by itself? */
export function passes(tree, r, path) {
  const i = tree.test.get(path);
  return ((parseInt(tree.own[r][i >> 2], 16) >> (3 - (i & 3))) & 1) === 1;
}

/** All attacks on the row in place r, dear ones too: leaf, cost, moves, whether the level affords it, its loss. */
export function attacks(facts, tree, r, level) {
  const losses = tree.losses[facts.rows.label[r]];
  return tree.leaf[r].map((leaf, k) => ({
    leaf, path: tree.leaves.path[leaf], place: tree.cost[r][k], cost: tree.costs[tree.cost[r][k]],
    open: tree.cost[r][k] <= level, loss: losses[leaf], chains: tree.attack[r][k], stops: tree.stops[r][k],
  }));
}

/** Of the attacks that can be paid those that hurt most: among them, first the cheapest one. */
export function worst(list) {
  const near = list.filter((a) => a.open);
  const most = near.reduce((m, a) => Math.max(m, infinite(a.loss)), -Infinity);
  const least = Number.isFinite(most) ? most - 1e-9 * Math.abs(most) : most;
  return near.filter((a) => infinite(a.loss) >= least).sort((a, b) => a.place - b.place || a.leaf - b.leaf);
}

/** The greatest loss of the row in place r at a level. */
export function worstLoss(facts, tree, r, level) {
  const losses = tree.losses[facts.rows.label[r]];
  let most = -Infinity;
  tree.leaf[r].forEach((leaf, k) => {
    if (tree.cost[r][k] <= level) most = Math.max(most, infinite(losses[leaf]));
  });
  return most;
}

/** Everything that is shown in a state. */
export function present(facts, state) {
  const tree = opened(facts.trees[state.tree ?? facts.trees.length - 1]), r = rowPlace(facts, state.row);
  const level = levelOf(tree, state.budget), list = attacks(facts, tree, r, level), hurt = worst(list);
  const home = list.find((a) => a.leaf === tree.home[r]);
  const shown = list.find((a) => a.open && a.path === state.leaf) ?? hurt[0];
  const chains = shown.chains.map((id) => facts.chains[id].map((m) => moveAt(facts, m)));
  const moves = chains.flat(), step = state.step === VERDICT ? VERDICT : Math.min(state.step, moves.length);
  const made = step === VERDICT ? moves.length : step;
  const at = made === 0 ? home.leaf : made >= moves.length ? shown.leaf : shown.stops[made - 1];
  const spent = made >= moves.length ? shown.cost : moves.slice(0, made).reduce((sum, m) => sum + m.cost, 0);
  return {
    facts, tree, r, level, list, hurt, home, shown, chains, moves, step, made, at, spent, left: Math.max(0, state.budget - spent),
    budget: state.budget, name: facts.rows.name[r], label: facts.rows.label[r], verdict: verdictOf(facts, state, r),
    near: list.filter((a) => a.open), edges: bought(facts, tree, r, shown, chains),
  };
}

/** Which of two trees to begin with: the first in which the attacker really moves the row, else the last. */
export function firstMoved(facts, state) {
  const moved = facts.trees.findIndex((_, tree) => present(facts, { ...state, tree, leaf: WORST }).moves.length);
  return moved < 0 ? facts.trees.length - 1 : moved;
}

function moveAt(facts, m) {
  const feature = facts.moves.feature[m];
  return { feature, name: facts.features[feature].name, before: facts.moves.before[m], after: facts.moves.after[m], cost: facts.moves.cost[m] };
}

/** The edges that must be bought on the way to a leaf; the chain on a feature is paid on the first of them. */
function bought(facts, tree, r, attack, chains) {
  const paid = new Set(), out = [];
  for (let k = 0; k < attack.path.length; k++) {
    const path = attack.path.slice(0, k), way = attack.path[k];
    if (passes(tree, r, path) === (way === "l")) continue;
    const feature = tree.tests.feature[tree.test.get(path)];
    const chain = paid.has(feature) ? null : chains.find((c) => c[0].feature === feature) ?? null;
    paid.add(feature);
    out.push({ path: path + way, chain });
  }
  return out;
}

/** Is attack invariance kept, broken or silent about the row? Only said of the tree after one more split. */
function verdictOf(facts, state, r) {
  const known = facts.invariance;
  if (!known || (state.tree ?? 1) === 0) return null;
  const place = Math.max(0, lastAtMost(known.costs, state.budget * SLACK));
  return { k: "kept", b: "broken", s: "silent" }[known.verdict[r][place]];
}

/** The value of a feature of the row in place r. */
export function valueOf(facts, feature, r) {
  const { categories, values } = facts.features[feature];
  return categories ? categories[values[r]] : values[r];
}
