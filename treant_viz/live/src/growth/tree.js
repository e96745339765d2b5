// The tree: ribbons as wide as the rows they carry, coins where the attacker pays, cards that slide out of their parents.

import { select } from "../selection.js";
import { keys } from "../keyboard.js";
import { moving } from "../motion.js";
import { value } from "../format.js";
import { fact } from "../facts.js";
import { round } from "../steps.js";
import { ROOMY, card, sizes } from "./cards.js";
import { asks, placed, says, strangers, there, window_of } from "./model.js";
import { spoken, where as where_is } from "./words.js";

/** The path of a band that falls from (x0, y0) to (x1, y1), `size` wide throughout. */
export function fall(x0, y0, x1, y1, size) {
  const m = (y0 + y1) / 2, [a, b, c, d] = [x0, x1, x1 + size, x0 + size].map(round);
  return `M${a},${round(y0)}C${a},${round(m)} ${b},${round(m)} ${b},${round(y1)}H${c}C${c},${round(m)} ${d},${round(m)} ${d},${round(y0)}Z`;
}

/** The tree in a box. `hand`: {light(path), over(path), zoom(path)}. Returns {update, light}. */
export function growing(group, { facts, tree, font, box, fills, hand }) {
  const wide = box.x1 - box.x0, room = Math.max(2, Math.floor(wide / (3.1 * font)));
  const flows = group.append("g"), lights = group.append("g").attr("class", "tv-through"), cards = group.append("g").attr("role", "group").attr("aria-label", "the tree").attr("data-control", "node");
  const coins = group.append("g");
  const marks = cards.selectAll("g").data(tree.nodes).join("g").attr("class", "tv-node").attr("role", "button").attr("tabindex", -1).attr("data-node", (n) => n.path)
    .on("click", (event, n) => hand.light(n.path)).on("dblclick", (event, n) => hand.zoom(n.path))
    .on("pointerenter", (event, n) => hand.over(n.path)).on("pointerleave", () => hand.over(null))
    .on("focus", (event, n) => hand.over(n.path)).on("blur", () => hand.over(null));
  const inner = tree.nodes.filter((n) => n.parent);
  const bands = flows.selectAll("g").data(inner).join("g");
  const sure = bands.append("path").attr("fill", (n) => fills[n.path.endsWith("l") ? 0 : 2]).attr("class", "tv-flow");
  const theirs = bands.append("path").attr("fill", fills[1]);
  const lit = lights.selectAll("path").data(inner).join("path").attr("class", "tv-lit-rows");
  const homes = lights.append("g");
  const paid = coins.selectAll("g").data(inner.filter((n) => n.flow.pushed)).join("g").attr("class", "tv-coin-mark tv-press")
    .on("click", (event, n) => hand.light(n.path)).on("pointerenter", (event, n) => hand.over(n.path)).on("pointerleave", () => hand.over(null));
  paid.append("circle").attr("r", 0.9 * font);
  paid.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").text((n) => `${value(n.flow.costs[0])}${n.flow.costs.length > 1 ? "+" : ""}`);
  paid.append("text").attr("class", "tv-who tv-halo").attr("x", 1.2 * font).attr("dy", "0.35em").text((n) => n.flow.who || (n.flow.pushed > 1 ? `× ${n.flow.pushed}` : ""));
  const from = group.append("text").attr("class", "tv-soft").attr("x", box.x0).attr("y", box.y0 + 1.2 * font);
  let now = null, where = null, size = null, per_row = 0, last = [], looks = [], put = [], shape = "", lighted = null;

  const spot = (n) => ({ x: last[4 * n.i], y: last[4 * n.i + 1], on: last[4 * n.i + 2], says: last[4 * n.i + 3] });
  const seen = (n) => where.has(n.i) && there(n, now.step);
  const open = (n) => asks(n, now.step) && n.children.some((c) => where.has(c.i));

  /** Where the parts of a node's ribbon begin, at its parent's foot and at its own head. */
  function ends(n) {
    const p = spot(n.parent), c = spot(n), left = n.path.endsWith("l"), gap = 0.35 * font;
    const all = n.parent.rows * per_row + gap, from = p.x - all / 2, { sure: s, unknown: u } = n.flow;
    const start = left ? from : from + all - n.rows * per_row, end = c.x - (n.rows * per_row) / 2;
    const order = left ? [0, s] : [u, 0]; // the attacker's rows are in the middle
    return { order: order.map((rows) => rows * per_row), start, end, y0: p.y + size.node, y1: c.y, widths: [s * per_row, u * per_row] };
  }

  const to = moving((numbers) => {
    last = numbers;
    const turned = tree.nodes.map((n) => [0, 1, 2].some((k) => put[4 * n.i + k] !== numbers[4 * n.i + k]));
    const drawn = (n) => (seen(n) || numbers[4 * n.i + 2] > 0) && (turned[n.i] || (n.parent && turned[n.parent.i]));
    put = numbers.slice();
    marks.filter(drawn).attr("transform", (n) => `translate(${round(spot(n).x)},${round(spot(n).y)})`).attr("opacity", (n) => round(spot(n).on));
    bands.filter(drawn).each(function flow(n) {
      const e = ends(n);
      this.style.opacity = spot(n).on;
      this.firstChild.setAttribute("d", e.widths[0] ? fall(e.start + e.order[0], e.y0, e.end + e.order[0], e.y1, e.widths[0]) : "");
      this.lastChild.setAttribute("d", e.widths[1] ? fall(e.start + e.order[1], e.y0, e.end + e.order[1], e.y1, e.widths[1]) : "");
    });
    paid.filter(drawn).attr("transform", (n) => {
      const e = ends(n), x = (e.start + e.end) / 2 + e.order[1] + e.widths[1] / 2;
      return `translate(${round(x)},${round((e.y0 + e.y1) / 2)})`;
    }).attr("opacity", (n) => spot(n).on);
    const [low, high] = facts.ends;
    cards.selectAll(".tv-moves").attr("transform", function place() {
      const n = this.parentNode.__data__, width = widthOf(n) - 0.8 * font;
      return `translate(${round(-width / 2 + (width * (Math.min(high, Math.max(low, spot(n).says)) - low)) / (high - low))},${this.dataset.y})`;
    });
  });
  const widthOf = (n) => {
    const { slot, room: most } = where.get(n.i) ?? { slot: 0, room: 0 };
    return asks(n, now.step) ? Math.min(most, 20 * font, Math.max(6 * font, 0.6 * font * (n.split.feature.length + 12))) : Math.min(slot - 0.3 * font, 11.5 * font);
  };

  function layout() {
    const part = window_of(tree, now.focus, now.node, room), spots = placed(part);
    const slot = wide / part.leaves, levels = Math.max(1, ...[...spots.values()].map((p) => p.level));
    size = sizes(slot, font);
    from.text(part.top.path ? `from ${where_is(part.top)} down` : "");
    const step = Math.min((box.y1 - box.y0 - size.leaf - 0.3 * font) / levels, 14 * font);
    per_row = Math.min((0.14 * wide) / facts.rows, ...[...spots].map(([i, p]) => (p.span * slot - 0.6 * font) / tree.nodes[i].rows));
    if (shape !== `${part.top.path} ${[...part.open]}`) put = []; // another scale: all is placed anew
    shape = `${part.top.path} ${[...part.open]}`;
    where = new Map([...spots].map(([i, p]) => [i, { x: box.x0 + p.x * slot, y: box.y0 + 0.2 * font + p.level * step, slot: p.span * slot, room: 2 * Math.min(p.x - p.from, p.from + p.span - p.x) * slot - 0.3 * font }]));
  }

  /** The numbers to move to: hidden nodes stand in their nearest parent that is seen. */
  function target() {
    return tree.nodes.flatMap((n) => {
      let at = n;
      while (at.parent && !(where.has(at.i) && there(at, now.step))) at = at.parent;
      const p = where.get(at.i) ?? { x: box.x0 + wide / 2, y: box.y0 };
      const on = at === n && where.has(n.i) ? 1 : 0;
      return [p.x, p.y, on, there(n, now.step) ? says(n, now.step) : n.mean];
    });
  }

  function words() {
    marks.each(function write(n) {
      const show = seen(n), look = show ? `${asks(n, now.step)} ${n.step <= now.step} ${n === now.node} ${open(n)} ${widthOf(n)} ${says(n, now.step)} ${n.feasible}` : "";
      this.style.display = show ? "" : "none";
      if (show && look !== looks[n.i]) {
        this.setAttribute("aria-description", spoken(n, now.step, says(n, now.step)));
        const grown = widthOf(n) >= (ROOMY - 0.3) * font && where.get(n.i).y + 8.4 * font < box.y1 ? sizes(ROOMY * font, font) : size; // while nothing stands below
        card(select(this), n, { step: now.step, now: n === now.node, folded: !open(n), width: widthOf(n), size: grown, font, facts, fills });
      }
      looks[n.i] = look;
    });
    marks.attr("tabindex", (n) => (n === now.node || (!seen(now.node) && !n.parent) ? 0 : -1));
    bands.style("display", (n) => (seen(n) ? "" : "none"));
    paid.style("display", (n) => (seen(n) ? "" : "none"));
  }

  marks.each(function walk(n) {
    const near = { ArrowUp: () => n.parent, ArrowDown: () => (asks(n, now.step) ? n.children[0] : null), ArrowLeft: () => beside(n, -1), ArrowRight: () => beside(n, 1) };
    this.addEventListener("keydown", (event) => {
      const next = near[event.key]?.();
      if (!near[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      if (next && seen(next)) marks.filter((m) => m === next).node().focus();
    });
    keys(this, { place: () => 0, count: () => 0, go: () => {}, enter: () => hand.light(n.path), escape: () => hand.zoom(null) });
  });

  /** The next node on the same level. */
  function beside(n, way) {
    const level = tree.nodes.filter((m) => m.depth === n.depth && seen(m)).sort((a, b) => where.get(a.i).x - where.get(b.i).x);
    return level[level.indexOf(n) + way] ?? null;
  }

  return {
    update(state, at_once) {
      now = state;
      layout();
      words();
      to(target(), { at_once });
    },
    /** The rows of a node, wherever they flow; and where they would be if nobody pushed them. */
    light(node) {
      if (!node && !lighted) return;
      lighted = node;
      const mine = (n) => node && seen(n) && spot(n).on >= 0 && (n.path.startsWith(node.path) || node.path.startsWith(n.path));
      marks.classed("tv-lit", (n) => Boolean(node) && n === node).attr("aria-pressed", (n) => n === node);
      const goal = node ? target() : null;
      lit.attr("d", (n) => {
        if (!mine(n)) return "";
        const held = last;
        last = goal;
        const e = ends(n);
        last = held;
        const size = Math.min(n.rows, node.rows) * per_row, spare = (n.rows * per_row - size) / 2;
        return fall(e.start + spare, e.y0, e.end + spare, e.y1, size);
      });
      const from = node ? [...strangers(facts, tree, node, (n) => seen(n) && !open(n))] : [];
      const spots = homes.selectAll("text").data(from).join("text").attr("class", "tv-home tv-halo").attr("text-anchor", "middle")
        .attr("x", ([i]) => where.get(i).x).attr("y", ([i]) => where.get(i).y - 0.35 * font);
      spots.each(function count([i, n]) { this.textContent = `${n} came from here`; });
      for (const [i, n] of from) fact(spots.filter((d) => d[0] === i), `from@${tree.nodes[i].path}`, n);
    },
  };
}
