// The bill: the row without an attack, move after move with what is left, and what it comes to; a click plays up to there.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { number, shortened } from "../format.js";
import { VERDICT, ledger } from "../ledger.js";
import { moving } from "../motion.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { infinite } from "./model.js";
import { moveIn } from "./words.js";

export function drawBill(group, { box, font, set, facts }) {
  const who = group.append("text").attr("x", box.x0).attr("y", box.y0 + font).attr("class", "tv-strong");
  const lines = ledger(group, { box, font, set: (step) => set({ step }), below: 14.2 * font }), bars = lossBars(group, { box, font, facts });
  return function update(state, at_once) {
    who.text(`${shortened(state.name, 18)}, true label `);
    fact(who.append("tspan"), "row_y", facts.labels.y[state.label]).text(shortened(facts.labels.name[state.label], 12));
    lines({ ...state, entries: entries(state), place: state.step === VERDICT ? state.moves.length + 1 : state.step });
    bars(state, at_once);
  };
}

function entries({ moves, home, shown, tree }) {
  const says = (leaf) => `ŷ = ${number(tree.leaves.prediction[leaf])}`;
  return [{ words: `without attack: ${says(home.leaf)}`, cost: null }, ...moves.map((m) => ({ words: (longest) => moveIn(m, longest), cost: m.cost })), { words: `under attack: ${says(shown.leaf)}`, cost: null }];
}

/** The row's loss, and that of all rows: without an attack and under attack, each pair on a scale of its own. */
function lossBars(group, { box, font, facts }) {
  const given = [
    ["row_loss", "row_loss_under_attack", "loss of the row", "before", "now"],
    ["loss", "loss_under_attack", `loss of all ${number(facts.n)} rows`, "before", "attacked"],
  ];
  const parts = given.flatMap(([a, b, heading, one, other], k) => {
    const y = box.y1 - (10.1 - 5.2 * k) * font, x = scaleLinear().range([box.x0 + 4.4 * font, box.x1 - 4.6 * font]);
    group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", y).text(heading);
    return [[a, one, "tv-plain"], [b, other, "tv-attacked"]].map(([name, words, look], j) => {
      const top = y + (0.5 + 1.7 * j) * font;
      mathText(group.append("text").attr("x", box.x0).attr("y", top + 0.95 * font), words);
      const bar = group.append("rect").attr("class", `tv-bar ${look}`).attr("x", x(0)).attr("y", top).attr("height", 1.15 * font).attr("rx", 2);
      const text = group.append("text").attr("y", top + 0.95 * font).attr("class", "tv-strong");
      const to = moving(([end]) => (bar.attr("width", round(Math.max(0, end - x.range()[0]))), text.attr("x", round(end + 0.4 * font))));
      return { name, bar, text, to, x };
    });
  });
  return function update({ tree, level, home, label, at }, at_once) {
    const losses = tree.losses[label], now = { row_loss: home.loss, row_loss_under_attack: losses[at], loss: tree.loss, loss_under_attack: tree.loss_under_attack[level] };
    const finite = (list) => Math.max(1e-12, ...list.filter((l) => l !== null));
    const ends = { row_loss: finite(losses), loss: finite([tree.loss, ...tree.loss_under_attack]) };
    ends.row_loss_under_attack = ends.row_loss, ends.loss_under_attack = ends.loss;
    for (const { name, bar, text, to, x } of parts) {
      x.domain([0, ends[name]]);
      fact(text, name, now[name]).text(number(now[name]));
      bar.classed("tv-endless", infinite(now[name]) === Infinity);
      to([x(now[name] ?? ends[name])], { at_once });
    }
  };
}
