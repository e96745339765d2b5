// What the growth shows at a step: looked up in the facts, never computed. The browser knows no definition of the paper.

export const DEEPEST = 5; // levels of tests that can be read at once

/** The nodes of the grown tree, with their parents and children; and the last leaf that each row comes to. */
export function opened(facts) {
  const columns = Object.entries(facts.nodes), places = new Map(facts.nodes.path.map((path, i) => [path, i]));
  const nodes = facts.nodes.path.map((path, i) => ({ ...Object.fromEntries(columns.map(([key, values]) => [key, values[i]])), i, depth: path.length }));
  for (const node of nodes) {
    node.parent = node.path ? nodes[places.get(node.path.slice(0, -1))] : null;
    node.children = node.split ? ["l", "r"].map((side) => nodes[places.get(node.path + side)]) : [];
  }
  for (const node of [...nodes].reverse())
    node.leaves = node.children.reduce((n, child) => n + child.leaves, 0) || 1;
  return { nodes, at: (path) => nodes[places.get(path)] };
}

/** Is it there after a step, does it ask, what does it say, and what does it cost? */
export const there = (node, step) => node.born <= step;
export const asks = (node, step) => node.split !== null && node.step <= step;
export const settled = (node, step) => node.step <= step;
export const says = (node, step) => (settled(node, step) ? node.leaf : node.waiting);
export const costs = (node, step) => (settled(node, step) ? node.leaf_loss : node.waiting_loss);

/** The node of a step, and the losses before and after it. */
export function present(facts, tree, step) {
  const s = facts.steps, node = tree.nodes[s.node[step]];
  return {
    node, step, last: s.node.length - 1, reason: s.reason[step], taken: node.split !== null, candidates: facts.candidates[step],
    before: s.loss_under_attack[step], after: s.loss_under_attack[step + 1],
    loss: s.loss ? s.loss[step] : undefined, true_loss: s.true ? s.true[step] : undefined,
  };
}

/**
 * Which part of the grown tree is drawn: what opens below `focus`, so that at most `room` leaves stand side by side.
 * The way to the node of the step is open; then the nodes with most rows. Returns {top, open: set of places}.
 */
export function window_of(tree, focus, node, room) {
  let top = tree.at(focus);
  const inside = node.path.startsWith(top.path);
  if (inside) while (node.depth - top.depth >= DEEPEST) top = tree.at(node.path.slice(0, top.depth + 1));
  const open = new Set();
  let leaves = 1;
  const add = (n) => {
    if (open.has(n.i) || !n.children.length || leaves >= room || n.depth - top.depth >= DEEPEST) return;
    open.add(n.i);
    leaves += 1;
  };
  if (inside) for (let d = top.depth; d <= node.depth; d++) add(tree.at(node.path.slice(0, d)));
  const waiting = [top];
  while (waiting.length) {
    waiting.sort((a, b) => a.depth - b.depth || b.rows - a.rows);
    const next = waiting.shift();
    add(next);
    if (open.has(next.i)) waiting.push(...next.children);
  }
  return { top, open, leaves };
}

/** Where the nodes of a window stand: x in slots of a leaf, span in slots, level below the top. */
export function placed({ top, open }) {
  const out = new Map();
  let slot = 0;
  (function visit(node) {
    const from = slot;
    if (open.has(node.i)) node.children.forEach(visit);
    else slot += 1;
    const xs = open.has(node.i) ? node.children.map((c) => out.get(c.i).x) : [from + 0.5];
    out.set(node.i, { x: xs.reduce((a, b) => a + b) / xs.length, from, span: slot - from, level: node.depth - top.depth });
  })(top);
  return out;
}

/** Of the rows in a node: how many are at home in each node that `seen` says is drawn, but were sent here. */
export function strangers(facts, tree, node, seen) {
  const out = new Map();
  facts.sent_to.forEach((end, row) => {
    if (end < 0 || !tree.nodes[end].path.startsWith(node.path)) return;
    const home = tree.nodes[facts.at_home[row]];
    if (home.path.startsWith(node.path)) return;
    for (let n = home; n; n = n.parent)
      if (seen(n)) {
        out.set(n.i, (out.get(n.i) ?? 0) + 1);
        break;
      }
  });
  return out;
}

/** The candidates in the wanted order: what is no number comes last, equals stay in the order that decides ties. */
export function sorted(candidates, by, ascending) {
  const column = candidates[by], all = column.map((_, i) => i), text = column.some((x) => typeof x === "string" && x !== "none");
  const known = (i) => column[i] !== "none", key = (i) => (column[i] === null ? Infinity : column[i]);
  const order = (a, b) => {
    if (text && typeof key(a) !== typeof key(b)) return typeof key(a) === "string" ? 1 : -1;
    return (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (ascending ? 1 : -1);
  };
  return [...all.filter(known).sort(order), ...all.filter((i) => !known(i))];
}
