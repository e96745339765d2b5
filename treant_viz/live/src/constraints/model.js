// What constraints leave to leaves, in every state that is known: looked up; whether a value lies in an interval is all we ask.

import { opened } from "../growth/model.js";

export const WHOLE = "whole";
const HAIR = 1e-9;

/** What is known of a choice of constraints that are off; undefined: it has to be asked for. */
export function stateOf(facts, off) {
  facts.known ??= new Map(facts.states.map((s) => [s.off.join(), s]));
  return facts.known.get([...off].sort((a, b) => a - b).join());
}

export function learn(facts, states) {
  for (const state of states) facts.known.set(state.off.join(), state);
}

/** A leaf of a tree: what is legal, what it predicts, what that costs, and its best value without constraints. */
export function leafAt(facts, path, leaf, off) {
  const find = (state) => (path === null && state.leaves[`${WHOLE} ${leaf}`]) || state.leaves[leaf];
  const [legal, prediction, loss, best] = find(stateOf(facts, off)) ?? find(stateOf(facts, []));
  return { legal, prediction, loss, best, forbidden: best !== null && !within(legal, best) };
}

/** What the leaves of a tree add up to, and what the attacker can cause (unknown with weights). */
export function lossesOf(facts, path, off) {
  const [counted, attacked] = stateOf(facts, off).trees[path ?? WHOLE] ?? stateOf(facts, []).trees[path ?? WHOLE];
  return { counted, attacked };
}

/** By what a trial is known: what is off of what holds this tree, the tree, and the leaf. */
export function trialOf(facts, tree, { path, leaf, off }) {
  const held = new Set(tree.nodes.filter((n) => !n.split).flatMap((n) => heldBy(facts, n.path).map((c) => c.i)));
  return `${off.filter((i) => held.has(i)).sort((a, b) => a - b)}|${path ?? WHOLE}|${leaf}`;
}

/** What the leaves add up to and the attacker can cause while the hand tries a prediction; undefined: it has to be asked for. */
function lossesTried(facts, tree, now, tried, { attacked }) {
  const counted = tree.nodes.filter((n) => !n.split).reduce((sum, n) => (sum === null || n.leaf_loss === null ? null : sum + n.leaf_loss), 0);
  return { counted, attacked: attacked === "unknown" ? attacked : facts.trials[trialOf(facts, tree, now)]?.[tried.i] };
}

export const within = (pieces, p) => pieces.some(([a, b]) => p >= a - HAIR && p <= b + HAIR);

/** Is the prediction the legal value that is nearest to the best one? */
export function nearest({ legal, prediction, best }) {
  const least = Math.min(...legal.flat().map((v) => Math.abs(v - best)));
  return Math.abs(Math.abs(prediction - best) - least) <= HAIR;
}

/** How many of the constraints that count allow each stretch of the line: [[from, to, count], ...]. */
export function density(held, [low, high]) {
  const ends = [...new Set([low, high, ...held.flatMap((c) => c.allowed.flat())])].sort((a, b) => a - b);
  return ends.slice(1).map((b, i) => [ends[i], b, held.filter((c) => c.allowed.some((p) => p[0] <= ends[i] && b <= p[1])).length]);
}

/** The tree of the splits on the way to a path and at it (null: the grown one), its leaves as they stand there. */
export function treeOf(facts, path) {
  const all = opened(facts), asks = (n) => n.split !== null && (path === null || path.startsWith(n.path));
  const inside = all.nodes.filter((n) => [...n.path].every((_, k) => asks(all.at(n.path.slice(0, k)))));
  const nodes = {};
  for (const key of Object.keys(facts.nodes)) nodes[key] = inside.map((n) => n[key]);
  nodes.born = inside.map(() => 0);
  nodes.step = inside.map((n) => (asks(n) || n.split === null ? 0 : 1)); // 1: it is split further when its turn comes
  nodes.split = inside.map((n) => (asks(n) ? n.split : null));
  return opened({ nodes });
}

/** Writes into the leaves of a tree what is so with these constraints off, and into one what the hand tries. */
export function settle(facts, tree, { path, off, leaf: at }, tried = null) {
  for (const node of tree.nodes.filter((n) => !n.split)) {
    const { legal, prediction, loss, best } = leafAt(facts, path, node.path, off);
    Object.assign(node, { leaf: prediction ?? node.leaf, waiting: prediction ?? node.waiting, leaf_loss: loss, waiting_loss: loss, mean: best ?? node.mean });
    if (tried && node.path === at) node.leaf = node.waiting = tried.p, node.leaf_loss = node.waiting_loss = tried.loss;
    node.feasible = heldBy(facts, node.path).length ? legal : null;
  }
}

/** The constraints on a leaf, with whose they are. */
export function heldBy(facts, leaf) {
  const { row, name, y, said, origin } = facts.made;
  return facts.held[facts.nodes.path.indexOf(leaf)].map(([i, sense, gamma, spent, allowed]) => (
    { i, sense, gamma, spent, allowed, row: row[i], name: name[i], y: y[i], said: said[i], origin: origin[i] }));
}

/** All that is shown in a state. */
export function present(facts, tree, now, tried) {
  const { path, leaf, off } = now, all = heldBy(facts, leaf), held = all.map((c) => ({ ...c, off: off.includes(c.i) })), losses = lossesOf(facts, path, off);
  return {
    ...now, tree, node: tree.at(leaf), held, on: held.filter((c) => !c.off), at: leafAt(facts, path, leaf, off), was: leafAt(facts, path, leaf, []),
    losses: tried ? lossesTried(facts, tree, now, tried, losses) : losses, before: lossesOf(facts, path, []), curve: facts.curves[facts.nodes.path.indexOf(leaf)], tried,
    some: facts.made.row.length > 0,
  };
}

/** Leaves whose best value is forbidden, in the order of the tree. */
export function bound(facts) {
  return facts.nodes.path.filter((p) => stateOf(facts, []).leaves[p] && leafAt(facts, "", p, []).forbidden);
}

/** A leaf of interest after this one: one that is bound, else one with constraints; null if there is none. */
export function next(facts, leaf) {
  const binding = bound(facts), held = facts.nodes.path.filter((p, i) => facts.held[i].length);
  const list = binding.length ? binding : held;
  const order = [...list.filter((p) => facts.nodes.path.indexOf(p) > facts.nodes.path.indexOf(leaf)), ...list];
  return order.find((p) => p !== leaf) ?? null;
}

/** All that splits made of a row. */
export const ofRow = (facts, row) => facts.made.row.flatMap((r, i) => (r === row ? [i] : []));

/** The loss of a leaf that predicts p: between the points that were worked out, a straight line. */
export function lossAt(curve, [low, high], p) {
  const place = ((p - low) / (high - low)) * (curve.length - 1), i = Math.max(0, Math.min(curve.length - 2, Math.floor(place)));
  const [a, b] = [curve[i] ?? curve[i + 1], curve[i + 1] ?? curve[i]];
  return a + (b - a) * (place - i);
}

/** The place of the point nearest to p, and the prediction of a point. */
export const pointAt = (curve, [low, high], p) => Math.max(0, Math.min(curve.length - 1, Math.round(((p - low) / (high - low)) * (curve.length - 1))));
export const predictionAt = (curve, [low, high], i) => low + ((high - low) * i) / (curve.length - 1);
