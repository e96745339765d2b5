// The feature that is looked at: its candidates one by one, under the line that can be dragged.

import { scaleLinear } from "../scale.js";
import { bottomAxis, leftAxis } from "../axis.js";
import { dragged } from "../drag.js";
import { fact } from "../facts.js";
import { distinct, number, shortened } from "../format.js";
import { keys } from "../keyboard.js";
import { handle } from "../handle.js";
import { round } from "../steps.js";
import { mathText } from "../text.js";
import { nearest } from "./model.js";
import { across, losses, marks, placeOf, ranks } from "./plot.js";
import { testOf } from "./words.js";
import { put } from "../svg.js";

/** go(i): the i-th candidate of this feature; over(i): it is pointed at (null: nothing is). */
export function large(group, { search, l, font, box, domain, attacked, go, over }) {
  const line = search.lines[l], plot = { x0: box.x0 + 3.6 * font, x1: box.x1 - 0.6 * font, y0: 2.5 * font, y1: box.y1 - 2.9 * font };
  const x = across(line, plot.x0, plot.x1), y = scaleLinear(domain, [plot.y1 - 1.9 * font, plot.y0 + 1.9 * font]);
  const look = { ...plot, top: plot.y0, font, attacked };
  leftAxis(group.append("g"), y, [plot.x0, plot.x1], font);
  leaf(group, search, y, plot, font);
  const pointed = put(group, "line", "tv-pointed", { y1: plot.y0, y2: plot.y1, visibility: "hidden" });
  losses(group.append("g"), line, x, y, look);
  const found = marks(group.append("g"), search, l, x, y, look);
  axis(group, line, x, plot, font);
  const lit = (attacked ? ["plain_loss", "loss_under_attack"] : ["plain_loss"]).map((column) => [column, put(group, "circle", "tv-lit-value", { r: 0.72 * font })]);
  labels(group, found, line, plot, font);

  const at = (event) => toPlace(line, x.invert(event));
  const ground = put(group, "rect", "tv-hit tv-ground", { x: plot.x0, width: plot.x1 - plot.x0, y: plot.y0, height: plot.y1 - plot.y0 });
  const hand = handle(group, plot.y0, plot.y1, font);
  const to = (px) => go(at(px));
  for (const held of [hand.group, ground]) dragged(held, group.node(), to);
  ground.on("click", (event) => to(where(group, event)))
    .on("pointermove", (event) => over(at(where(group, event)))).on("pointerleave", () => over(null));
  let now = 0;
  const steps = line.kind === "category" ? ranks(line) : line.threshold.map((_, i) => i);
  keys(hand.group.node(), { place: () => steps[now], count: () => steps.length, go: (k) => go(steps.indexOf(k)) });

  return {
    point(i) {
      pointed.attr("visibility", i === null ? "hidden" : "visible");
      if (i !== null) pointed.attr("x1", x(placeOf(line, i))).attr("x2", x(placeOf(line, i)));
    },
    update(i) {
      now = i;
      const cx = x(placeOf(line, i)), threshold = line.threshold[i];
      hand.update(cx, testOf({ ...line, threshold }), steps[i], [0, steps.length - 1], plot);
      fact(hand.words, "threshold", threshold);
      for (const [column, mark] of lit) mark.attr("cx", round(cx)).attr("cy", round(line[column][i] === null ? plot.y0 : y(line[column][i])));
    },
  };
}

/** Pixels along the picture, whatever size it is shown at. */
function where(group, event) {
  const frame = group.node().getScreenCTM();
  return (event.clientX - frame.e) / frame.a;
}

const toPlace = (line, t) => nearest(line.kind === "category" ? ranks(line) : line.threshold, t);

/** What the node loses if it stays a leaf. */
function leaf(group, search, y, plot, font) {
  const at = round(search.leaf_loss === null ? plot.y0 : y(search.leaf_loss));
  put(group, "line", "tv-leaf-line", { x1: plot.x0, x2: plot.x1, y1: at, y2: at });
  const words = put(group, "text", "tv-soft tv-halo", { x: plot.x0 + 0.3 * font, y: at - 0.45 * font });
  words.append("tspan").text("without a split: ");
  fact(words.append("tspan"), "leaf_loss", search.leaf_loss).text(number(search.leaf_loss));
}

function axis(group, line, x, plot, font) {
  const g = group.append("g");
  if (line.kind === "number") bottomAxis(g, x, plot.y1, font);
  else named(g, line, x, plot, font);
  put(group, "text", "tv-axis-name", { x: (plot.x0 + plot.x1) / 2, y: plot.y1 + 2.6 * font, "text-anchor": "middle" })
    .text(`${shortened(line.feature, 40)}${line.kind === "category" ? ` (${line.threshold.length} categories, the best first)` : ""}`);
}

/** Names of categories, where there is room for them. */
function named(g, line, x, plot, font) {
  const slot = x(1) - x(0), fit = Math.floor(slot / (0.56 * font));
  if (fit < 8) return;
  const short = distinct(line.threshold, fit - 1);
  line.threshold.forEach((c, i) => put(g, "text", "tv-tick tv-soft", { x: x(ranks(line)[i]), y: plot.y1 + 1.25 * font, "text-anchor": "middle" }).text(short[i]));
}

/** The choices by name: the robust one above the curves, the standard one below; a thin line leads to each. */
function labels(group, found, line, plot, font) {
  for (const { role, i, cx, cy } of found.filter((mark) => mark.role !== "tie")) {
    const up = role === "robust", level = up ? plot.y0 + font : plot.y1 - 0.5 * font;
    const share = (cx - plot.x0) / (plot.x1 - plot.x0), anchor = share < 0.5 ? "start" : "end";
    put(group, "line", "tv-leader", { x1: cx, x2: cx, y1: cy + (up ? -0.6 : 0.6) * font, y2: level + (up ? 0.4 : -1) * font });
    const words = put(group, "text", `tv-halo tv-strong${up ? " tv-attack-ink" : ""}`, { x: cx + (share < 0.5 ? 0.5 : -0.5) * font, y: level, "text-anchor": anchor });
    const loss = number(line[up ? "loss_under_attack" : "plain_loss"][i]), room = Math.max(share, 1 - share) * (plot.x1 - plot.x0);
    const when = up ? "under attack" : role === "best" ? "" : "if nobody attacks", long = `best${when && " "}${when}, loss `;
    mathText(words, room > 18 * font ? long : up ? "attacked: " : "unattacked: ", loss);
  }
  const ties = found.filter((mark) => mark.role === "tie");
  if (!ties.length || found.some((mark) => mark.role === "robust")) return;
  const start = ties[0].cx < 0.5 * plot.x1, look = { x: ties[0].cx + (start ? 0.5 : -0.5) * font, y: plot.y0 + font, "text-anchor": start ? "start" : "end" };
  put(group, "text", "tv-halo tv-strong", look).text(`${ties.length === 1 ? "as" : `${ties.length} tests as`} good under attack`);
}
