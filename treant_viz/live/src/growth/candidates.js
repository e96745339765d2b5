// The candidates of a step: what each would cost, unattacked (hollow) and under attack (full); which one is taken.

import { scaleLinear } from "../scale.js";
import { fact } from "../facts.js";
import { counted, number, value } from "../format.js";
import { keys } from "../keyboard.js";
import { mathText } from "../text.js";
import { sorted } from "./model.js";
import { test } from "./words.js";

const NAMES = ["left", "unknown", "right", "y_l", "y_r", "loss", "loss_under_attack", "plain_loss", "plain_loss_under_attack"];

export function search(group, { font, box, over }) {
  const head = group.append("text").attr("class", "tv-strong").attr("x", box.x0).attr("y", box.y0 + 1.1 * font);
  const key = group.append("g").attr("transform", `translate(${box.x0},${box.y0 + 2.4 * font})`);
  key.append("circle").attr("class", "tv-mark").attr("cx", 0.5 * font).attr("r", 0.36 * font);
  mathText(key.append("text").attr("class", "tv-soft").attr("x", 1.2 * font).attr("dy", "0.35em"), "*L*");
  key.append("circle").attr("class", "tv-full").attr("cx", 3.3 * font).attr("r", 0.36 * font);
  mathText(key.append("text").attr("class", "tv-soft").attr("x", 4 * font).attr("dy", "0.35em"), "*L*^A");
  const ends = key.append("text").attr("class", "tv-soft").attr("x", box.x1 - box.x0).attr("text-anchor", "end").attr("dy", "0.35em");
  const list = group.append("g").attr("role", "listbox").attr("aria-label", "candidate tests").attr("data-control", "candidate").attr("tabindex", 0).attr("class", "tv-search");
  const none = group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", box.y0 + 2.8 * font);
  const room = Math.max(1, Math.min(8, Math.floor((box.y1 - box.y0 - 3.2 * font) / (2.3 * font))));
  let order = [], place = -1;
  keys(list.node(), { place: () => place, count: () => order.length, go: (i) => point(i), escape: () => point(-1), down: true });
  list.on("blur", () => point(-1));
  function point(i) {
    place = i;
    list.selectAll("g").classed("tv-lit", (_, k) => k === i).attr("aria-selected", (_, k) => k === i);
    over(i < 0 ? null : order[i]);
  }

  return function update(shown, by, ascending) {
    const c = shown.candidates;
    place = -1;
    list.selectAll("*").remove();
    list.style("display", c ? "" : "none");
    key.style("display", c ? "" : "none");
    none.text(c ? "" : `${shown.reason}.`);
    head.attr("data-fact", null).attr("data-value", null).text(c ? "" : "No test was tried here:");
    if (!c) return (order = []);
    const all = sorted(c, by, ascending);
    order = all.slice(0, room);
    if (c.best >= 0 && !order.includes(c.best)) order[room - 1] = c.best; // the chosen one is always in
    fact(head, "tried", c.tried).text(order.length === c.tried ? counted(c.tried, "candidate test") : `${order.length} of ${counted(c.tried, "candidate test")}`);
    const numbers = order.flatMap((i) => [c.loss[i], c.loss_under_attack[i]]).filter((v) => typeof v === "number");
    const low = Math.min(...numbers), high = Math.max(...numbers), x0 = box.x0 + 0.6 * font;
    const x = scaleLinear([low, high > low ? high : low + 1], [x0, box.x1 - 0.6 * font]);
    ends.text(high > low ? `${number(low)} to ${number(high)}` : number(low));
    order.forEach((i, k) => one(c, i, k, x, shown.taken));
  };

  function one(c, i, k, x, taken) {
    const y = box.y0 + (3.4 + 2.3 * k) * font, best = i === c.best;
    const g = list.append("g").attr("class", `tv-candidate${best ? " tv-best" : ""}${c.admissible[i] ? "" : " tv-off"}`).attr("role", "option").attr("aria-selected", false)
      .on("pointerenter", () => over(i)).on("pointerleave", () => over(null)).on("click", () => point(k));
    g.append("rect").attr("class", "tv-hit").attr("x", box.x0 - 0.4 * font).attr("width", box.x1 - box.x0 + 0.8 * font).attr("y", y - 0.1 * font).attr("height", 2.2 * font).attr("rx", 0.3 * font);
    const note = best ? (taken ? "chosen" : "best") : c.tied[i] ? "tied" : c.admissible[i] ? "" : "one side empty";
    const name = test({ feature: c.feature[i], sign: c.sign[i], threshold: c.threshold[i] }, note ? 16 : 20);
    g.append("text").attr("class", best ? "tv-strong" : "").attr("x", box.x0).attr("y", y + font).text(name);
    const end = g.append("text").attr("text-anchor", "end").attr("x", box.x1).attr("y", y + font);
    if (note) end.append("tspan").attr("class", "tv-strong").text(`${note}  `);
    fact(end.append("tspan"), `candidate_loss_under_attack@${c.order[i]}`, c.loss_under_attack[i]).text(shown(c.loss_under_attack[i]));
    g.attr("aria-description", `${name}: ${shown(c.loss[i])} unattacked, ${shown(c.loss_under_attack[i])} under attack${note ? `, ${note}` : ""}`);
    const level = y + 1.6 * font;
    g.append("line").attr("class", "tv-base").attr("x1", box.x0).attr("x2", box.x1).attr("y1", level).attr("y2", level);
    const pair = [c.loss[i], c.loss_under_attack[i]];
    if (pair.some((v) => typeof v !== "number")) return;
    g.append("line").attr("class", "tv-between").attr("x1", x(pair[0])).attr("x2", x(pair[1])).attr("y1", level).attr("y2", level);
    g.append("circle").attr("class", "tv-full").attr("cx", x(pair[1])).attr("cy", level).attr("r", (best ? 0.5 : 0.36) * font);
    fact(g.append("circle").attr("class", "tv-mark").attr("cx", x(pair[0])).attr("cy", level).attr("r", 0.36 * font), `candidate_loss@${c.order[i]}`, c.loss[i]);
  }
}

const shown = (x) => (typeof x === "string" ? x : number(x));
export const said = (name, x) => (typeof x === "string" ? x : name === "threshold" ? value(x) : number(x));

/** All numbers of a candidate, in the line of detail. */
export function numbersOf(line, c, i) {
  line.append("b").text(`${test({ feature: c.feature[i], sign: c.sign[i], threshold: c.threshold[i] }, 60)} `);
  const put = (markup, name) => {
    const span = line.append("span").text(` ${markup} `);
    fact(span.append("span"), `candidate_${name}@${c.order[i]}`, c[name][i]).text(shown(c[name][i]));
  };
  NAMES.slice(0, 3).forEach((name, k) => put("LUR"[k], name));
  put("· leaves", "y_l");
  put("and", "y_r");
  put("· unattacked", "loss");
  put("under attack", "loss_under_attack");
  put("· with standard leaves", "plain_loss");
  put("under attack", "plain_loss_under_attack");
}
