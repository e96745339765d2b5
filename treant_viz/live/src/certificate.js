// Certificates: drag the budget over the steps of what stays safe, see who pays, pick a row and read what it takes.

import { announcer } from "./announce.js";
import { asked } from "./asking.js";
import { fact } from "./facts.js";
import { finder } from "./finder.js";
import { number, value } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { present } from "./certificate/model.js";
import { drawPlot } from "./certificate/plot.js";
import { drawRows } from "./certificate/rows.js";
import { drawBill, drawPayers } from "./certificate/side.js";
import { between, subtitle, title } from "./certificate/words.js";

export default function certificate(root, { facts, state, onState, ask }) {
  root.classList.add("tv-certificate"); // scopes what live.css says of this picture
  const view = frame(root, "certificate"), say = announcer(root);
  let now = { ...state }, parts = null, drawn = null, pointed = null;
  const search = finder(view, () => facts, (change) => set(change));

  /** The hand has changed something: shown at once, then told to Python. */
  async function set(change) {
    view.complain("");
    const next = { ...now, ...change };
    const missing = `row ${next.row} is not in this page, which holds ${number(facts.rows.at.length)} of ${number(facts.n)} rows`;
    if (!facts.rows.at.includes(next.row) && !(await asked(view, { ask, question: { row: next.row }, missing, learn }))) return;
    now = next;
    draw();
    onState({ ...now });
  }

  function learn(more) {
    [facts, drawn] = [more, null];
  }

  function draw() {
    const shown = present(facts, now), { width } = view.room(), text = title(shown);
    if (drawn !== width) parts = layout();
    drawn = width;
    for (const part of parts) part(shown);
    search(shown.name);
    view.words(text, subtitle(shown));
    say(text);
    detail(shown);
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), bottom = height - 6.2 * font;
    const wide = { plot: [0, 0.5 * width, 0, bottom], payers: [0.52 * width, 0.72 * width, 0, bottom], bill: [0.745 * width, width, 0, bottom] };
    const tall = { plot: [0, width, 0, 18 * font], payers: [0, width, 18.5 * font, 27 * font], bill: [0, width, 27.5 * font, bottom] };
    const box = Object.fromEntries(Object.entries(narrow ? tall : wide).map(([name, [x0, x1, y0, y1]]) => [name, { x0, x1, y0, y1: y1 - font }]));
    box.rows = { x0: 0, x1: width, y0: height - 5.6 * font, y1: height };
    const makers = [[drawPlot, "plot"], [drawPayers, "payers"], [drawBill, "bill"], [drawRows, "rows"]];
    return makers.map(([make, name]) => make(svg.append("g"), { facts, box: box[name], font, set, point }));
  }

  function point(i) {
    pointed = i;
    detail(present(facts, now));
  }

  /** The row under the pointer, or else how many rows are safe. */
  function detail({ groups, budget }) {
    const line = view.detail(), { rows } = facts, put = (words, name, value, text) => fact(line.append("span").text(words).append("span"), name, value).text(text);
    if (pointed !== null) {
      line.append("b").text(`${rows.name[pointed]} `);
      const cost = rows.safe_below[pointed];
      put(facts.labelled ? `${facts.groups[rows.group[pointed]].name}, safe below ` : "safe below ", "hovered", cost, value(cost));
      return;
    }
    line.append("span").text(`safe for ${value(budget)}: `);
    groups.forEach((g, k) => {
      put(k ? ", " : "", `safe_${k}`, g.safe[0], between(g.safe));
      line.append("span").text(` of ${number(g.n)} ${k ? `with ${g.name}` : "rows"}`);
    });
  }

  const stop = onResize(root, draw);
  draw();
  return {
    set(state) {
      const next = { ...now, ...state };
      if (next.row === now.row && next.budget === now.budget) return;
      if (!facts.rows.at.includes(next.row)) return void set(state);
      now = next;
      draw();
    },
    facts(next) {
      learn(next);
      if (facts.rows.at.includes(now.row)) draw();
    },
    destroy: stop,
  };
}
