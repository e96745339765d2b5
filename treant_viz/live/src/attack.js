// Attacks on a tree: choose a row, spend a budget, see which branches open, and play the attack move by move.

import { announcer } from "./announce.js";
import { asked } from "./asking.js";
import { choices } from "./choices.js";
import { coins } from "./coins.js";
import { fact } from "./facts.js";
import { finder } from "./finder.js";
import { nodeName, number, value } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { VERDICT } from "./ledger.js";
import { drawBill } from "./attack/bill.js";
import { WORST, firstMoved, infinite, levelOf, opened, present, rowPlace, valueOf, worstLoss } from "./attack/model.js";
import { drawStrip } from "./attack/strip.js";
import { drawTree } from "./attack/tree.js";
import { subtitle, title } from "./attack/words.js";

export default function attack(root, { facts, state, onState, ask }) {
  root.classList.add("tv-attack"); // scopes what live.css says of this picture
  const view = frame(root, "attack", { long: 60 }), say = announcer(root);
  const two = facts.trees.length > 1; // before and after one more split
  let now = { leaf: WORST, step: VERDICT, ...state }, parts = null, drawn = null, shown = null;

  const budget = coins(view.bar(), (b) => set({ budget: b }));
  const search = finder(view, () => facts, (change) => set(change));
  const which = two
    ? choices(view.bar(), "tree", "tree", facts.trees.map((t, i) => [i, t.heading]), (tree) => set({ tree }))
    : () => {};

  /** The hand has changed something: shown at once, then told to Python. */
  async function set(change) {
    view.complain("");
    const next = { ...now, ...("row" in change || "budget" in change ? { step: VERDICT } : {}), ...change }; // another attack is shown whole
    const missing = `row ${next.row} is not in this page, which holds the rows that lose most`;
    if (rowPlace(facts, next.row) === undefined && !(await asked(view, { ask, question: { row: next.row }, missing, learn }))) return;
    now = fitting(next);
    draw();
    onState(two ? { ...now, leaf: WORST } : { ...now }); // Python compares the worst leaves of two trees
  }

  /** A leaf: the attack on it, paid for if the budget is too small; once more, and it is the worst one again. */
  function aim(path) {
    const found = shown.list.find((a) => a.path === path);
    if (found && !found.open) set({ leaf: path, budget: found.cost });
    else if (found) set({ leaf: now.leaf === path ? WORST : path });
  }

  /** A leaf out of reach becomes the worst one, a step that the attack does not have the verdict. */
  function fitting(next) {
    const { near, moves } = present(facts, next);
    const leaf = near.some((a) => a.path === next.leaf) ? next.leaf : WORST;
    return { ...next, leaf, step: next.step > (leaf === next.leaf ? moves : present(facts, { ...next, leaf }).moves).length ? VERDICT : next.step };
  }

  function learn(more) {
    facts = more;
    drawn = null;
  }

  /** The leaves in reach, the worst first: stops of the slider that chooses one. */
  function chosen() {
    const rank = [...shown.near].sort((a, b) => infinite(b.loss) - infinite(a.loss) || a.place - b.place || a.leaf - b.leaf);
    const list = [WORST, ...rank.map((a) => a.path)];
    const { path, leaf } = shown.shown, at = now.leaf === WORST ? "the worst: " : "";
    return { list, now: Math.max(0, list.indexOf(now.leaf)), path, said: `${at}${nodeName(path)}, prediction ${number(shown.tree.leaves.prediction[leaf])}` };
  }

  function draw({ at_once = false } = {}) {
    shown = present(facts, now);
    const key = `${view.room().width} ${now.tree}`, fresh = drawn !== key;
    if (fresh) parts = layout();
    drawn = key;
    for (const part of parts) part(shown, at_once || fresh);
    budget({ levels: shown.tree.costs, budget: now.budget });
    which(now.tree ?? facts.trees.length - 1);
    search(shown.name);
    const text = title(shown);
    view.words(text, subtitle(shown));
    say(text);
    detail(null);
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), tree = opened(shown.tree);
    const rows = { x0: 0, x1: width, y0: height - 5.6 * font, y1: height };
    const main = { x0: 0, x1: narrow ? width : 0.735 * width, y0: 0.2 * font, y1: (narrow ? 0.52 * height : rows.y0) - 2.2 * font };
    const side = { x0: narrow ? 0 : 0.765 * width, x1: width, y0: narrow ? 0.54 * height : 0, y1: rows.y0 - 0.8 * font };
    const given = { facts, tree, font, set, aim, chosen, hover: detail, ...view.paint() };
    return [[drawTree, main], [drawBill, side], [drawStrip, rows]].map(([make, box]) => {
      const g = svg.append("g");
      return make(g, { ...given, box });
    });
  }

  /** The row under the pointer, or the present one: its values where the tree tests, and what it loses. */
  function detail(hovered) {
    const r = hovered ?? shown.r, line = view.detail(), { tree } = shown, losses = tree.losses[facts.rows.label[r]];
    line.append("b").text(`${facts.rows.name[r]} `);
    const used = new Set(tree.tests.feature);
    const told = facts.features.flatMap((f, i) => (used.has(i) ? [`${f.name} ${value(valueOf(facts, i, r))}`] : []));
    line.append("span").attr("class", "tv-caption").text(`${told.slice(0, 5).join(", ")}${told.length > 5 ? " …" : ""}`);
    if (hovered === null) return;
    line.append("span").text(", loss ");
    const worst = worstLoss(facts, tree, r, levelOf(tree, now.budget));
    fact(line.append("span"), "hovered_loss", losses[tree.home[r]]).text(number(losses[tree.home[r]]));
    line.append("span").text(" → ");
    fact(line.append("span"), "hovered_loss_under_attack", Number.isFinite(worst) ? worst : null).text(number(worst));
  }

  const stop = onResize(root, () => draw({ at_once: true }));
  now = fitting(two ? { tree: firstMoved(facts, now), ...now } : now);
  draw({ at_once: true });
  return {
    set(given) {
      const state = two ? { ...given, leaf: now.leaf } : given;
      if (Object.entries(state).every(([k, v]) => now[k] === v)) return;
      if (rowPlace(facts, state.row ?? now.row) !== undefined) {
        now = fitting({ ...now, ...state });
        draw();
      } else set(state);
    },
    facts(next) {
      learn(next);
      draw();
    },
    destroy: stop,
  };
}
