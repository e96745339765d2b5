// Votes of a forest: choose a row, spend a budget, play the attack, and see which trees turn and the mean that decides.

import { announcer } from "./announce.js";
import { asked } from "./asking.js";
import { rowPlace } from "./attack/model.js";
import { moveOf } from "./attack/words.js";
import { coins } from "./coins.js";
import { fact } from "./facts.js";
import { finder } from "./finder.js";
import { number } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { VERDICT } from "./ledger.js";
import { drawLanes } from "./votes/lanes.js";
import { playedOn, present } from "./votes/model.js";
import { drawRows } from "./votes/rows.js";
import { drawSide } from "./votes/side.js";
import { subtitle, title, what } from "./votes/words.js";

export default function votes(root, { facts, state, onState, ask }) {
  root.classList.add("tv-votes"); // scopes what live.css says of this picture
  const view = frame(root, "votes", { long: 58 }), say = announcer(root);
  let now = { move: VERDICT, ...state }, parts = null, drawn = null, shown = null;
  let kept = null, pointed = { tree: null, move: null, row: null }; // a tree that stays lit, and what is under the pointer

  const budget = coins(view.bar(), (b) => set({ budget: b }));
  const search = finder(view, () => facts, (change) => set(change));

  /** The hand has changed something: shown at once, then told to Python. */
  async function set(change) {
    view.complain("");
    const next = { ...now, ...change };
    const missing = `row ${next.row} is not in this page, which holds the rows that change most`;
    if (!playedOn(facts, next.row) && !(await asked(view, { ask, question: { row: next.row }, missing, learn }))) return;
    now = fitting(next);
    draw();
    onState({ ...now });
  }

  /** A move that the attack does not have becomes the verdict. */
  const fitting = (next) => (next.move > present(facts, next).moves.length ? { ...next, move: VERDICT } : next);

  function learn(more) {
    if (more.rows.at.join() !== facts.rows.at.join() || more.trees !== facts.trees) drawn = null;
    facts = more;
  }

  /** What is lit: a tree (for good if `keep`), the trees that turn at a move, a row. */
  function light({ keep = false, ...change }) {
    const old = bright(), r = pointed.row;
    if (keep) kept = kept === change.tree ? null : change.tree;
    pointed = { ...pointed, ...change };
    const next = bright();
    if (next.trees.join() === old.trees.join() && next.tree === old.tree && r === pointed.row) return;
    for (const part of parts) part(shown, false, next);
    detail();
  }

  function bright() {
    const tree = pointed.tree ?? kept, { turns, turned, moves } = shown, i = pointed.move;
    const trees = tree !== null ? [tree] : i === null || i === 0 ? [] : i > moves.length ? turned : turns[i];
    return { tree, trees };
  }

  function draw({ at_once = false } = {}) {
    shown = present(facts, now);
    const fresh = drawn !== view.room().width;
    if (fresh) parts = layout();
    drawn = view.room().width;
    for (const part of parts) part(shown, at_once || fresh, bright());
    budget({ levels: shown.costs, budget: now.budget });
    search(shown.name);
    const text = title(shown);
    view.words(text, subtitle(shown));
    say(text);
    detail();
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room();
    const rows = { x0: 0, x1: width, y0: height - 5.6 * font, y1: height };
    const main = { x0: 0, x1: narrow ? width : 0.69 * width, y0: 0.2 * font, y1: (narrow ? 0.56 * height : rows.y0) - 0.6 * font };
    const side = { x0: narrow ? 0 : 0.72 * width, x1: width, y0: narrow ? 0.57 * height : 0, y1: rows.y0 - 0.6 * font };
    return [[drawLanes, main], [drawSide, side], [drawRows, rows]].map(([make, box]) => make(svg.append("g"), { facts, box, font, narrow, set, light }));
  }

  /** The lit tree and when it turns; else the row under the pointer; else who has turned. */
  function detail() {
    const line = view.detail(), { tree } = bright(), r = pointed.row;
    const change = (name, a, b) => {
      fact(line.append("span"), `${name}_before`, a).text(number(a));
      line.append("span").text(" → ");
      fact(line.append("span"), `${name}_after`, b).text(number(b));
    };
    if (tree !== null) {
      line.append("b").text(`tree ${tree} `);
      change("lit", shown.own[tree], shown.now[tree]);
      const when = shown.turns.flatMap((list, k) => (list.includes(tree) ? [`changes sides at move ${k} (${moveOf(shown.moves[k - 1])})`] : []));
      line.append("span").attr("class", "tv-caption").text(`${facts.sides ? ` ${when.join(", ") || "does not change sides"}` : ""}`);
    } else if (r !== null) {
      line.append("b").text(`${facts.rows.name[r]} `);
      line.append("span").text(`label ${facts.labels.name[facts.rows.label[r]]}, ${what(facts)} `);
      change("hovered", facts.rows.before[r], facts.rows.after[r]);
    } else {
      const list = facts.sides ? shown.turned : shown.moved, some = list.slice(0, 16);
      const told = some.length ? `${facts.sides ? "on another side" : "moved"}: tree${some.length > 1 ? "s" : ""} ${some.join(", ")}${list.length > 16 ? ` and ${list.length - 16} more` : ""}` : "";
      line.append("span").attr("class", "tv-caption").text(told);
    }
  }

  const stop = onResize(root, () => draw({ at_once: true }));
  now = fitting(now);
  draw({ at_once: true });
  return {
    set(state) {
      if (Object.entries(state).every(([k, v]) => now[k] === v)) return;
      if (playedOn(facts, state.row ?? now.row)) {
        now = fitting({ ...now, ...state });
        draw();
      } else set(state);
    },
    facts(next) {
      learn(next);
      if (playedOn(facts, now.row)) draw();
    },
    destroy: stop,
  };
}
