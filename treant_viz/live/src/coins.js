// The budget as coins: click one to have that much, click it again to have less; a slider to the keyboard.

import { select } from "./selection.js";
import { SLACK, fact, lastAtMost } from "./facts.js";
import { value } from "./format.js";
import { keys } from "./keyboard.js";


/** A budget control in `node`; levels are the costs that matter, 0 first. Returns update({levels, budget}). */
export function coins(node, set) {
  const group = select(node).attr("class", "tv-budget").attr("role", "slider").attr("tabindex", 0)
    .attr("aria-label", "budget of the attacker").attr("data-control", "budget");
  group.append("span").attr("class", "tv-caption").text("budget");
  const amount = group.append("output").attr("class", "tv-amount"), row = group.append("span").attr("class", "tv-coins");
  let levels = [0], budget = 0;
  const place = () => lastAtMost(levels, budget * SLACK);
  keys(node, { place, count: () => levels.length, go: (i) => set(levels[i]) });
  return function update(next) {
    ({ levels, budget } = next);
    const owned = place(), paid = levels.slice(1);
    fact(amount, "budget", budget).text(value(budget));
    group.classed("tv-many-coins", paid.length > 12).attr("aria-valuemin", 0).attr("aria-valuemax", levels[levels.length - 1])
      .attr("aria-valuenow", budget).attr("aria-valuetext", value(budget));
    row.selectAll("span").data(paid).join("span").attr("class", (_, i) => (i < owned ? "tv-coin tv-owned" : "tv-coin"))
      .attr("title", (c) => `budget ${value(c)}`).text((c) => (paid.length > 12 ? "" : value(c)))
      .on("click", (event, c) => set(c === levels[owned] ? levels[owned - 1] : c));
  };
}
