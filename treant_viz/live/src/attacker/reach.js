// What the budget makes of a row: bars from the dearest to the cheapest on a number line, or arrows from category to
// category; a coin says for how much.

import { fact } from "../facts.js";
import { number, value } from "../format.js";
import { shownStages } from "./model.js";

/** Bars below an axis. */
export function reachLane(group, { x, font, paint }) {
  const [a, b] = x.domain(), at = (v) => x(Math.min(b, Math.max(a, v)));
  group.append("text").attr("class", "tv-soft").attr("x", x.range()[1] + 4 * font).attr("text-anchor", "end").attr("dy", "0.35em").text("reach");
  const bars = group.append("g"), coins = group.append("g"), dot = group.append("circle").attr("class", "tv-dot").attr("r", 0.42 * font);
  return function update(own, found) {
    const shown = found ? shownStages(found.stages) : [], n = shown.length;
    const tall = 1.1 * font, paid = (k) => (n > 1 ? 0.85 - (0.5 * k) / (n - 1) : 0.85); // what is cheap is strong
    const pieces = shown.flatMap((s, k) => s.pieces.map((p, j) => ({ k, j, p, last: j === s.pieces.length - 1 }))).reverse();
    bars.selectAll("rect").data(pieces).join("rect").attr("class", "tv-reach").style("fill", "var(--coin)").style("fill-opacity", (d) => paid(d.k)).attr("x", (d) => at(d.p[0])).attr("width", (d) => Math.max(at(d.p[1]) - at(d.p[0]), 2))
      .attr("y", -tall / 2).attr("height", tall).attr("data-fact", null)
      .filter((d) => d.j === 0).each(function (d) { this.setAttribute("data-fact", `low_${d.k}`); this.setAttribute("data-value", d.p[0]); });
    coins.selectAll("g").data(shown).join((enter) => {
      const g = enter.append("g").attr("class", "tv-coin-mark");
      g.append("circle").attr("r", 1.05 * font);
      g.append("text").attr("text-anchor", "middle").attr("dy", "0.35em");
      return g;
    }).each(function (s, k) {
      const before = k ? shown[k - 1].pieces : [[own, own]], high = s.pieces[s.pieces.length - 1][1];
      this.setAttribute("transform", `translate(${at(high > before[before.length - 1][1] ? high : s.pieces[0][0])},0)`);
      this.setAttribute("data-fact", `high_${k}`);
      this.setAttribute("data-value", high);
      this.lastChild.textContent = value(s.cost);
      this.lastChild.setAttribute("data-fact", `stage_${k}`);
      this.lastChild.setAttribute("data-value", s.cost);
    });
    let free = null; // of coins on each other the dearest is seen
    for (const coin of coins.selectAll("g").nodes().reverse()) {
      const place = coin.transform.baseVal[0].matrix.e, seen = free === null || Math.abs(place - free) > 1.7 * font;
      coin.setAttribute("visibility", seen ? "visible" : "hidden");
      if (seen) free = place;
    }
    fact(dot.attr("cx", at(own)), "row_value", own);
  };
}

/** Arrows from a category to those that the budget turns it into. */
export function reachArrows(svg, { font, width, short }) {
  const group = svg.append("g").attr("transform", `translate(0,${1.4 * font})`);
  return function update(own, found) {
    group.selectAll("*").remove();
    let x = pill(group, 0, short(own), font);
    fact(group.select(".tv-chip"), "row_value", String(own));
    if (!found || found.stages.length < 2) {
      group.append("text").attr("class", "tv-soft").attr("x", x + font).attr("dy", "0.35em").text(found ? "stays what it is" : "becomes: takes Python to say");
      return;
    }
    let before = found.stages[0].pieces, k = 0;
    for (const stage of found.stages.slice(1)) {
      const fresh = stage.pieces.filter((c) => !before.includes(c)).map(short);
      before = stage.pieces;
      group.append("path").attr("class", "tv-change").attr("d", `M${x + 0.4 * font},0H${x + 3.6 * font}m${-0.45 * font},${-0.45 * font}l${0.45 * font},${0.45 * font}l${-0.45 * font},${0.45 * font}`);
      const coin = group.append("g").attr("class", "tv-coin-mark").attr("transform", `translate(${x + 1.8 * font},0)`);
      coin.append("circle").attr("r", 1.05 * font);
      fact(coin.append("text").attr("text-anchor", "middle").attr("dy", "0.35em"), `stage_${k++}`, stage.cost).text(value(stage.cost));
      x = pill(group, x + 4 * font, fresh.length > 2 ? `any of ${fresh.length}` : fresh.join(" or "), font);
      if (x > width - 12 * font) break;
    }
  };
}

/** A category in a rounded box from x on; returns where it ends. */
function pill(group, x, text, font) {
  const g = group.append("g").attr("class", "tv-chip").attr("transform", `translate(${x},0)`);
  const box = g.append("rect").attr("y", -0.95 * font).attr("height", 1.9 * font).attr("rx", 0.95 * font);
  const words = g.append("text").attr("x", 0.8 * font).attr("dy", "0.35em").text(text);
  const wide = words.node().getComputedTextLength() + 1.6 * font;
  box.attr("width", wide);
  return x + wide;
}
