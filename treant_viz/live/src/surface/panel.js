// Beside the surface, in words: where SLSQP ended, what was best, what it says of itself, and which starts get stuck.

import { select } from "../selection.js";
import { fact } from "../facts.js";
import { counted, number } from "../format.js";
import { mathHtml } from "../text.js";
import { apart, bestPair, leaf, lesson, verdict } from "./words.js";

/** A panel right of x, or below the drawing where that is null; returns update(shown, now). */
export function panel(hold, x) {
  select(hold).selectAll(".tv-panel").remove();
  const root = select(hold).append("div").attr("class", `tv-panel${x === null ? "" : " tv-beside"}`).style("left", `${x}px`);
  return function update(shown, now) {
    root.html(null);
    const { table, run } = shown;
    const head = root.append("h3").text("SLSQP from ");
    put(head, "start", [["start_l", now.start_l], ["start_r", now.start_r]]);
    if (run) told(root, shown, run);
    else root.append("p").attr("class", "tv-thinking").text(table.optimum ? "SLSQP is at work …" : "");
    root.append("p").text(lesson(shown));
    if (table.optimum) basins(root, shown);
  };
}

/** A pair of leaves, each a fact. */
function put(parent, role, [[name_l, l], [name_r, r]], words = [leaf(l), leaf(r)]) {
  const span = parent.append("span").attr("class", `tv-pair tv-pair-${role}`).text("(");
  fact(span.append("span"), name_l, l).text(words[0]);
  span.append("span").text(", ");
  fact(span.append("span"), name_r, r).text(words[1]);
  span.append("span").text(")");
}

/** Start, end and optimum with their losses, as numbers and as bars of one scale. */
function told(root, { table }, run) {
  const [end, least] = apart(run.loss, table.optimum[2]), [l, r, best] = table.optimum;
  const list = root.append("div").attr("class", "tv-losses"), most = Math.max(run.loss, best, run.start_loss) || 1;
  const head = list.append("div").attr("class", "tv-caption");
  head.append("span");
  mathHtml(head.append("span").node(), "ŷ_L, ŷ_R");
  mathHtml(head.append("span").node(), "*L*^A under attack");
  const rows = [
    ["starts at", "start", ["walk_l", run.start_l], ["walk_r", run.start_r], "start_loss", run.start_loss, number(run.start_loss)],
    ["ends at", "end", ["y_l", run.y_l], ["y_r", run.y_r], "loss", run.loss, end],
    ["optimum", "best", ["best_l", l], ["best_r", r], "optimum", best, least],
  ];
  for (const [name, role, left, right, fact_name, loss, words] of rows) {
    const row = list.append("div").attr("class", `tv-loss-${role}`);
    row.append("span").text(name);
    put(row.append("span"), role, [left, right], role === "best" ? bestPair(table) : undefined);
    const cell = row.append("span").attr("class", "tv-loss");
    fact(cell.append("b"), fact_name, loss).text(words);
    cell.append("span").append("i").attr("class", "tv-loss-bar").style("width", `${(100 * loss) / most}%`);
  }
  const p = root.append("p").text(verdict(run));
  if (!run.stuck) return;
  p.append("span").text(" That is ");
  fact(p.append("b"), "difference", run.difference).text(number(run.difference));
  p.append("span").text(" above the optimum.");
}

/** How many of the starts get stuck, as a bar of two parts. */
function basins(root, { starts, stuck }) {
  const reach = starts - stuck, head = root.append("h3"), bar = root.append("div").attr("class", "tv-basins").attr("aria-hidden", true);
  const p = root.append("p").attr("class", "tv-caption"), mark = (sign, name) => p.append("b").attr("class", name).text(sign);
  head.append("span").text("Of ");
  fact(head.append("span"), "starts", starts).text(number(starts));
  head.append("span").text(` ${counted(starts, "start").split(" ").pop()}, `);
  fact(head.append("span"), "stuck", stuck).text(number(stuck));
  head.append("span").text(stuck === 1 ? " gets stuck" : " get stuck");
  for (const [n, name] of [[stuck, "tv-part-stuck"], [reach, "tv-part-reaches"]]) if (n) bar.append("i").attr("class", name).style("flex", n);
  if (stuck) mark("× ", "tv-sign-stuck");
  if (stuck) p.append("span").text("ends above the optimum, ");
  mark("• ", "tv-sign-reaches");
  p.append("span").text(stuck ? "reaches it" : "reaches the optimum");
}
