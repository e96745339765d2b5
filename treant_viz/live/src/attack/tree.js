// The tree: ribbons as wide as their rows, open where the row can be brought; its own way, and the one that is bought.

import { number, shortened, value } from "../format.js";
import { keys } from "../keyboard.js";
import { moving } from "../motion.js";
import { round } from "../steps.js";
import { WORST, valueOf } from "./model.js";
import { moveOf, testOf } from "./words.js";

const EM = 0.64; // width of a bold letter

/** Where everything stands: leaves side by side, a test in the middle above its own. */
export function geometry(tree, box, font) {
  const n = tree.leaves.path.length, slot = (box.x1 - box.x0) / n;
  const card = { w: Math.min(slot - 0.3 * font, 7.4 * font), h: 3.1 * font };
  const test = 2.5 * font, wide = Math.min(7 * font, 0.5 * (box.x1 - box.x0)), step = (box.y1 - box.y0 - card.h) / Math.max(tree.deep, 1);
  const place = new Map();
  for (const [path, list] of tree.below) {
    if (tree.test.has(path)) continue;
    place.set(path, { x: box.x0 + (list[0] + 0.5) * slot, y: box.y0 + path.length * step, h: card.h, mid: box.y0 + path.length * step });
  }
  for (const path of [...tree.tests.path].sort((a, b) => b.length - a.length)) {
    const x = (place.get(`${path}l`).x + place.get(`${path}r`).x) / 2;
    place.set(path, { x, y: box.y0 + path.length * step, h: test, mid: box.y0 + path.length * step + test / 2 });
  }
  return { box, place, slot, card, starts: new Map(), unit: wide / Math.max(1, tree.carried.get("")) };
}

/** A band from one place down to another, `size` wide throughout. */
function band(x0, y0, x1, y1, size) {
  const m = (y0 + y1) / 2, h = size / 2, [a, b, c, d] = [x0 - h, x1 - h, x1 + h, x0 + h].map(round);
  return `M${a},${round(y0)}C${a},${round(m)} ${b},${round(m)} ${b},${round(y1)}H${c}C${c},${round(m)} ${d},${round(m)} ${d},${round(y0)}Z`;
}

export function drawTree(group, { tree, box, font, fills, set, aim, chosen }) {
  const g = geometry(tree, box, font), at = (path) => g.place.get(path);
  const edges = [...g.place.keys()].filter((path) => path).map((path) => edgeOf(tree, g, path));
  const ribbons = group.append("g").selectAll("path").data(edges).join("path").attr("class", "tv-branch").attr("d", (e) => e.d);
  const bought = group.append("path").attr("class", "tv-bought").attr("stroke", fills[1]).attr("stroke-width", 0.62 * font);
  const own = group.append("path").attr("class", "tv-own");
  const tests = group.append("g").selectAll("g").data(tree.tests.path).join("g").attr("class", "tv-test")
    .attr("transform", (p) => `translate(${round(at(p).x)},${round(at(p).y)})`);
  tests.append("rect"), tests.append("text").attr("class", "tv-strong").attr("text-anchor", "middle"), tests.append("text").attr("class", "tv-soft").attr("text-anchor", "middle");
  const { node, leaves } = leafCards(group, tree, g, font, { set, aim, chosen });
  const coins = group.append("g"), token = group.append("g").attr("class", "tv-token tv-through");
  token.append("circle").attr("r", 0.55 * font);
  const move = moving(([x, y]) => token.attr("transform", `translate(${round(x)},${round(y)})`));
  const wide = tree.leaves.path.length * 3.4 * font <= box.x1 - box.x0;
  return function update(state, at_once) {
    const open = new Set(state.near.map((a) => a.leaf)), { home, shown } = state;
    const reach = (path) => tree.below.get(path).some((i) => open.has(i));
    ribbons.attr("class", (e) => `tv-branch ${reach(e.path) ? `tv-open-${e.path.endsWith("l") ? "L" : "R"}` : "tv-shut"}`);
    own.attr("d", wayTo(g, home.path));
    bought.attr("d", state.made > 0 || shown.leaf !== home.leaf ? wayTo(g, shown.path) : "").attr("visibility", shown.leaf === home.leaf ? "hidden" : "visible");
    labelTests(tests, state, g, font);
    fillLeaves(leaves, state, g, font, wide);
    node.attr("aria-valuemax", state.near.length).attr("aria-valuenow", chosen().now).attr("aria-valuetext", chosen().said).attr("data-shown", shown.path);
    pay(coins, state, g, font, set);
    const stand = at(tree.leaves.path[state.at]);
    move([stand.x, stand.y - 0.55 * font], { at_once });
  };
}

function edgeOf(tree, g, path) {
  const from = g.place.get(path.slice(0, -1)), to = g.place.get(path), size = g.unit * tree.carried.get(path);
  const whole = g.unit * tree.carried.get(path.slice(0, -1)), left = path.endsWith("l");
  const x0 = from.x + (left ? -(whole - size) / 2 - 2 : (whole - size) / 2 + 2);
  g.starts.set(path, x0);
  return { path, d: band(x0, from.mid, to.x, to.mid, Math.max(size, 1)), size };
}

/** A line along the ribbons, down to a leaf. */
function wayTo(g, leaf) {
  let d = "";
  for (let k = 1; k <= leaf.length; k++) {
    const from = g.place.get(leaf.slice(0, k - 1)), to = g.place.get(leaf.slice(0, k)), m = round((from.mid + to.mid) / 2);
    const x = round(g.starts.get(leaf.slice(0, k)));
    d += `M${x},${round(from.mid)}C${x},${m} ${round(to.x)},${m} ${round(to.x)},${round(to.mid)}`;
  }
  return d;
}

function leafCards(group, tree, g, font, { set, aim, chosen }) {
  const node = group.append("g").attr("role", "slider").attr("tabindex", 0).attr("data-control", "leaf").attr("class", "tv-leaves")
    .attr("aria-label", "leaf that is attacked").attr("aria-valuemin", 0);
  keys(node.node(), { place: () => chosen().now, count: () => chosen().list.length, go: (i) => set({ leaf: chosen().list[i] }), escape: () => set({ leaf: WORST }) });
  const leaves = node.selectAll("g").data(tree.leaves.path.map((path, i) => ({ path, i }))).join("g").attr("class", "tv-leaf")
    .attr("data-leaf", (d) => d.path)
    .attr("transform", (d) => `translate(${round(g.place.get(d.path).x)},${round(g.place.get(d.path).y)})`);
  leaves.append("rect").attr("x", -g.card.w / 2).attr("width", g.card.w).attr("height", g.card.h).attr("rx", Math.min(0.4 * font, g.card.w / 4));
  for (const [look, y] of [["tv-leaf-says tv-strong", 1.2], ["tv-leaf-loss tv-soft", 2.55]]) leaves.append("text").attr("class", look).attr("text-anchor", "middle").attr("y", y * font);
  const coin = leaves.append("g").attr("class", "tv-price").attr("transform", `translate(0,${round(g.card.h + 1.05 * font)})`);
  coin.append("rect").attr("height", 1.5 * font).attr("y", -0.75 * font).attr("rx", 0.75 * font);
  coin.append("text").attr("text-anchor", "middle").attr("dy", "0.35em");
  leaves.append("title");
  leaves.on("click", (event, d) => aim(d.path));
  return { node, leaves };
}

function fillLeaves(leaves, { tree, list, home, shown, hurt, label }, g, font, wide) {
  const byLeaf = new Map(list.map((a) => [a.leaf, a])), worst = new Set(hurt.map((a) => a.leaf));
  leaves.each(function (d) {
    const a = byLeaf.get(d.i), leaf = this, parts = { says: leaf.children[1], loss: leaf.children[2], price: leaf.children[3] };
    const set = (name, on) => leaf.classList.toggle(name, on);
    set("tv-shut", !a?.open), set("tv-home", d.i === home.leaf), set("tv-worst", worst.has(d.i)), set("tv-chosen-leaf", d.i === shown.leaf);
    const tell = wide || d.i === home.leaf || d.i === shown.leaf;
    put(parts.says, tell, `prediction_${d.path}`, tree.leaves.prediction[d.i], "ŷ ", g.card.w / font);
    put(parts.loss, a?.open && tell, `loss_${d.path}`, tree.losses[label][d.i], "loss ", g.card.w / font);
    const letters = Math.max(parts.says.textContent.length, parts.loss.textContent.length), room = Math.max(g.card.w, (letters * EM + 0.5) * font);
    const x = g.place.get(d.path).x, shift = Math.max(g.box.x0 - (x - room / 2), Math.min(0, g.box.x1 - (x + room / 2)));
    leaf.children[0].setAttribute("x", shift - room / 2), leaf.children[0].setAttribute("width", room);
    for (const text of [parts.says, parts.loss]) text.setAttribute("x", shift);
    if (room > g.card.w && (d.i === home.leaf || d.i === shown.leaf)) leaf.parentNode.appendChild(leaf); // above those beside it
    const dear = a && a.leaf !== home.leaf, text = dear ? value(a.cost) : "", w = (text.length * EM + 0.9) * font;
    parts.price.setAttribute("visibility", dear && (wide || a.open) ? "visible" : "hidden");
    parts.price.classList.toggle("tv-owned", Boolean(a?.open));
    leaf.lastChild.textContent = !a ? "no attack brings the row here" : !dear ? "its own leaf" : a.open ? `costs ${text}: see this attack` : `costs ${text}: click to have that much`;
    const [edge, words] = parts.price.children;
    edge.setAttribute("x", -w / 2), edge.setAttribute("width", w);
    words.textContent = text;
    if (dear) words.dataset.fact = `cost_${d.path}`, words.dataset.value = a.cost;
    else delete words.dataset.fact;
  });
}

function put(text, on, name, x, before, room) {
  text.textContent = on ? number(x) : "";
  if (!on) return text.removeAttribute("data-fact");
  const whole = before + text.textContent;
  if (whole.length * EM < room) text.textContent = whole;
  text.setAttribute("data-fact", name), text.setAttribute("data-value", x === null ? "inf" : x);
}

/** Tests that have room; those on the ways always, with the row's value below. */
function labelTests(tests, state, g, font) {
  const { facts, tree, home, shown } = state, before = new Map();
  const onWay = (p) => home.path.startsWith(p) || shown.path.startsWith(p);
  const apart = (n) => home.path.slice(0, n) !== shown.path.slice(0, n); // two cards beside each other at this depth
  tests.each(function (path) {
    const way = onWay(path), slot = g.slot * tree.below.get(path).length, most = (g.box.x1 - g.box.x0 - 0.4 * font) / (way && apart(path.length) ? 2 : 1);
    const fits = (t, em) => (t.length * em + 1) * font <= most;
    const text = [18, 14, 10, 7, 5].map((n) => testOf(facts, tree, path, n)).find((t, i) => fits(t, EM) || i === 4), w = (text.length * EM + 1) * font;
    const tell = way || slot > w + 0.6 * font, own_value = way ? ownValue(state, path) : "", has = fits(own_value, 0.58) ? own_value : own_value.slice("its value ".length);
    const wide = tell ? Math.max(w, (has.length * 0.58 + 1) * font, g.unit * tree.carried.get(path) + 0.8 * font) : 0.7 * font;
    const [card, words, own] = this.children, crowd = way ? before.get(path.length) : null;
    const x = g.place.get(path).x, beside = crowd ? Math.max(0, crowd + 0.4 * font - (x - wide / 2)) : 0; // of the other way's test
    const shift = Math.max(g.box.x0 - (x - wide / 2), Math.min(beside, g.box.x1 - (x + wide / 2)));
    if (way) before.set(path.length, x + wide / 2);
    words.textContent = tell ? text : "", own.textContent = has;
    words.setAttribute("y", (way ? 1.05 : 1.6) * font), own.setAttribute("y", 2.2 * font);
    words.setAttribute("x", shift), own.setAttribute("x", shift), card.setAttribute("x", shift - wide / 2), card.setAttribute("width", wide);
    card.setAttribute("height", (tell ? 2.5 : 0.7) * font), card.setAttribute("y", (tell ? 0 : 0.9) * font), card.setAttribute("rx", 0.4 * font);
    this.classList.toggle("tv-on-way", way);
    if (way) this.parentNode.appendChild(this); // above those beside it
  });
}

function ownValue({ facts, tree, r }, path) {
  const x = valueOf(facts, tree.tests.feature[tree.test.get(path)], r);
  return `its value ${typeof x === "string" ? shortened(x, 18) : value(x)}`;
}

/** Coins on the edges that are bought, with what the moves there do: a click makes these moves, or takes them back. */
function pay(coins, state, g, font, set) {
  const { box } = g, shown = state.shown.leaf === state.home.leaf ? [] : state.edges.filter((e) => e.chain);
  const marks = coins.selectAll("g").data(shown, (e) => e.path).join((enter) => {
    const c = enter.append("g").attr("role", "button").attr("tabindex", 0).attr("data-control", "coin");
    c.append("rect").attr("class", "tv-plaque"), c.append("circle"), c.append("text").attr("class", "tv-cost").attr("text-anchor", "middle").attr("dy", "0.35em"), c.append("text").attr("class", "tv-what").attr("dy", "0.35em");
    return c;
  });
  marks.each(function (e) {
    const from = g.place.get(e.path.slice(0, -1)), to = g.place.get(e.path), first = e.chain[0], last = e.chain[e.chain.length - 1];
    const cost = e.chain.reduce((sum, m) => sum + m.cost, 0), text = moveOf({ ...first, after: last.after }), [plaque, circle, costs, what] = this.children;
    costs.textContent = value(cost), what.textContent = text;
    const r = Math.max(0.8, value(cost).length * 0.3 + 0.3) * font, w = r + (what.getComputedTextLength?.() || text.length * EM * font) + font;
    const x = Math.min((from.x + to.x) / 2, box.x1 - w), y = (from.y + from.h + to.y) / 2;
    this.setAttribute("transform", `translate(${round(Math.max(x, box.x0 + r))},${round(y)})`);
    circle.setAttribute("r", r), plaque.setAttribute("height", 1.7 * font), plaque.setAttribute("y", -0.85 * font), plaque.setAttribute("rx", 0.85 * font), plaque.setAttribute("width", w);
    what.setAttribute("x", r + 0.3 * font);
    const begin = state.moves.indexOf(first), done = begin + e.chain.length, made = state.made >= done;
    this.setAttribute("class", `tv-coin-mark ${made ? "" : "tv-later"}`);
    this.setAttribute("aria-pressed", made);
    const walk = () => set({ step: made ? begin : done });
    this.onclick = walk, this.onkeydown = (event) => [" ", "Enter"].includes(event.key) && (event.preventDefault(), walk());
  });
}
