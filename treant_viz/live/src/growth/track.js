// The losses of the tree after each step; the track that scrubs through the growth.

import { scaleLinear } from "../scale.js";
import { dragged } from "../drag.js";
import { fact } from "../facts.js";
import { number } from "../format.js";
import { keys } from "../keyboard.js";
import { round, stepPath } from "../steps.js";
import { mathText } from "../text.js";

const HALF = 4; // of the width of the label, in letters

export function track(group, { facts, font, box, go }) {
  const { loss, loss_under_attack: attacked, true: real } = facts.steps, last = attacked.length - 2;
  const top = box.y0 + 3.6 * font, foot = box.y1 - 1.7 * font;
  const most = Math.max(...attacked, ...(loss ?? []), ...(real ?? [])) || 1;
  const x = scaleLinear([0, last + 1], [box.x0, box.x1 - 0.5 * font]), y = scaleLinear([0, most * 1.04], [foot, top]);
  const head = group.append("text").attr("class", "tv-strong tv-large").attr("x", box.x0).attr("y", box.y0 + 1.3 * font);
  const under = group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", box.y0 + 2.9 * font);
  group.append("line").attr("class", "tv-base").attr("x1", box.x0).attr("x2", box.x1).attr("y1", foot).attr("y2", foot);
  const at = attacked.map((_, i) => x(i));
  if (loss) group.append("path").attr("class", "tv-curve tv-plain").attr("d", stepPath(loss.map((_, i) => x(i + 1)), loss.map(y), x(last + 1)));
  if (real) group.append("path").attr("class", "tv-curve tv-real").attr("d", stepPath(real.map((_, i) => x(i + 1)), real.map(y), x(last + 1)));
  group.append("path").attr("class", "tv-curve tv-attacked").attr("d", stepPath(at, attacked.map(y), x(last + 1)));
  const handle = group.append("g").attr("class", "tv-handle").attr("data-control", "step").attr("role", "slider").attr("tabindex", 0).attr("aria-label", "step")
    .attr("aria-valuemin", 1).attr("aria-valuemax", last + 1);
  handle.append("rect").attr("class", "tv-hit").attr("x", box.x0).attr("width", box.x1 - box.x0).attr("y", top).attr("height", foot - top + 1.6 * font);
  const line = handle.append("line").attr("class", "tv-line").attr("y1", top).attr("y2", foot);
  const dot = handle.append("circle").attr("class", "tv-mark tv-strong").attr("r", 0.4 * font);
  const pill = handle.append("g").attr("class", "tv-pill");
  pill.append("rect").attr("class", "tv-chosen-pill").attr("x", -HALF * font).attr("width", 2 * HALF * font).attr("height", 1.6 * font).attr("rx", 0.8 * font);
  const words = pill.append("text").attr("text-anchor", "middle").attr("y", 1.15 * font);
  let now = 0;
  const nearest = (px) => Math.max(0, Math.min(last, Math.round(x.invert(px)) - 1));
  dragged(handle, group.node(), (px) => { if (nearest(px) !== now) go(nearest(px)); });
  handle.on("click", (event) => {
    const svg = group.node().ownerSVGElement, point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    go(nearest(point.x));
  });
  keys(handle.node(), { place: () => now, count: () => last + 1, go });
  return function update(shown) {
    now = shown.step;
    const px = x(now + 1), middle = Math.max(box.x0 + HALF * font, Math.min(box.x1 - HALF * font, px));
    line.attr("x1", px).attr("x2", px);
    dot.attr("cx", px).attr("cy", y(shown.after));
    pill.attr("transform", `translate(${round(middle)},${foot + 0.1 * font})`);
    words.text("step ");
    fact(words.append("tspan"), "step", now).text(now + 1);
    words.append("tspan").text(` of ${last + 1}`);
    handle.attr("aria-valuenow", now + 1).attr("aria-valuetext", `${now + 1} of ${last + 1}, ${number(shown.before)} to ${number(shown.after)}`);
    mathText(head, facts.attacked ? "*L*^A " : "*L* ");
    fact(head.append("tspan"), "loss_before", shown.before).text(number(shown.before));
    head.append("tspan").text(" → ");
    fact(head.append("tspan"), "loss_under_attack", shown.after).text(number(shown.after));
    under.text(`${facts.loss}, sum`);
    if (shown.loss === undefined) return;
    mathText(under, "unattacked *L* = ");
    fact(under.append("tspan"), "loss", shown.loss).text(number(shown.loss));
    if (shown.true_loss !== undefined) {
      under.append("tspan").text("; the attacker can cause ");
      fact(under.append("tspan"), "true_loss", shown.true_loss).text(number(shown.true_loss));
    }
  };
}
