// Constraints per leaf: what a leaf may not predict, whom that protects, and what happens when it is switched off.

import { select } from "./selection.js";
import { announcer } from "./announce.js";
import { fact } from "./facts.js";
import { nodeName, number, shortened, value } from "./format.js";
import { frame } from "./frame.js";
import { growing } from "./growth/tree.js";
import { spoken, test } from "./growth/words.js";
import { onResize } from "./layout.js";
import { leafPanel } from "./constraints/line.js";
import { lossBars } from "./constraints/losses.js";
import { WHOLE, bound, learn, next, ofRow, present, settle, stateOf, treeOf, trialOf } from "./constraints/model.js";
import { allowedIn, leafName, purpose, subtitle, title } from "./constraints/words.js";

export default function constraints(root, { facts, state, onState, ask }) {
  root.classList.add("tv-constraints");
  const view = frame(root, "constraints", { tall: 0.72, long: 62 }), say = announcer(root);
  let now = { path: "", leaf: "l", off: [], row: null, ...state };
  const asked = new Set(); // trials
  let parts = null, drawn = "", shown = null, tried = null, over = null, hovered = null;

  const trees = picker(view.bar("tv-feature"), (path) => go(path, null));
  const buttons = actions(view.bar("tv-steps"), {
    next: ["Next that binds", () => jump(next(facts, now.leaf))],
    row: ["Row off", () => flip(ofRow(facts, rowOf()))],
    off: ["All off", () => off(facts.made.row.map((_, i) => i))],
    on: ["All on", () => off([])],
  });

  function set(change) {
    now = { ...now, ...change };
    tried = null;
    draw();
    onState({ ...now });
  }

  /** Another tree: its leaf that holds most, unless one is named. */
  function go(path, leaf) {
    const ends = treeOf(facts, path).nodes.filter((n) => !n.split).map((n) => n.path), held = (p) => facts.held[facts.nodes.path.indexOf(p)].length;
    set({ path, leaf: leaf ?? (ends.includes(now.leaf) ? now.leaf : ends.reduce((a, b) => (held(b) > held(a) ? b : a))) });
  }

  /** A leaf of this tree, or else of the tree of the split that made it. */
  function jump(leaf) {
    if (leaf === null) return;
    const here = shown.tree.nodes.some((n) => n.path === leaf && !n.split);
    go(here ? now.path : leaf.slice(0, -1), leaf);
  }

  /** A node was chosen: a leaf is shown; once more, and its own split opens; a test is where the tree is cut. */
  function choose(path) {
    const node = shown.tree.at(path);
    if (node.split) go(path, null);
    else if (path !== now.leaf) set({ leaf: path });
    else if (node.step > 0) go(path, null);
  }

  /** Switches constraints off, or on again if all of them are off. */
  function flip(made) {
    const rest = now.off.filter((i) => !made.includes(i));
    off(made.every((i) => now.off.includes(i)) ? rest : [...rest, ...made], made);
  }

  /** A choice that is not known is asked for; where nobody can be asked, `made` alone is taken. */
  async function off(wanted, made = wanted) {
    const list = [...wanted].sort((a, b) => a - b);
    view.complain("");
    if (stateOf(facts, list)) return set({ off: list });
    if (!ask) {
      view.complain("This page knows the constraints of one row off at a time, or all: the others are on again. In a notebook you can combine them.");
      if (stateOf(facts, made)) set({ off: made });
      return;
    }
    try {
      learn(facts, (await ask({ off: list })).states);
      set({ off: list });
    } catch (error) {
      view.complain(error.message);
    }
  }

  /** The hand tries a prediction; what the attacker would cause is asked for if it is not known. */
  function attempt(point) {
    tried = point;
    draw({ at_once: true });
    const { path, leaf, off } = now, key = trialOf(facts, parts.nodes, now);
    if (!tried || !ask || key in facts.trials || shown.losses.attacked === "unknown" || asked.has(key)) return;
    asked.add(key);
    ask({ off, path, leaf }).then(({ trials }) => {
      Object.assign(facts.trials, trials);
      draw({ at_once: true });
    }, (error) => view.complain(error.message));
  }

  const rowOf = () => now.row ?? shown?.held[0]?.row ?? facts.made.row[0];

  function draw({ at_once = false } = {}) {
    const key = `${now.path}`;
    if (!parts || drawn !== key) parts = layout();
    drawn = key;
    settle(facts, parts.nodes, now, tried);
    shown = present(facts, parts.nodes, now, tried);
    parts.tree.update({ step: 0, node: shown.node, focus: "" }, at_once);
    parts.leaf(shown, at_once);
    parts.losses(shown, at_once);
    trees({ facts, path: now.path });
    bar();
    root.dataset.off = now.off.join();
    const other = next(facts, now.leaf), text = title(shown, facts.made);
    view.words(text, subtitle(shown, other === null ? null : otherLeaf(other)));
    say(text);
    light();
    detail();
  }

  const otherLeaf = (path) => `${leafName(treeOf(facts, path.slice(0, -1)).at(path))} after the split of ${nodeName(path.slice(0, -1))}`;

  function bar() {
    const none = !facts.made.row.length, row = rowOf(), gone = !none && ofRow(facts, row).every((i) => now.off.includes(i));
    buttons.row.attr("disabled", none ? "" : null).text(none ? "Row off" : `${shortened(facts.made.name[ofRow(facts, row)[0]], 10)} ${gone ? "on" : "off"}`);
    buttons.next.attr("disabled", next(facts, now.leaf) === null ? "" : null).text(bound(facts).length ? "Next that binds" : "Next with constraints");
    buttons.off.attr("disabled", now.off.length === facts.made.row.length ? "" : null);
    buttons.on.attr("disabled", now.off.length ? null : "");
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), nodes = treeOf(facts, now.path);
    const left = narrow ? width : 0.41 * width, cut = narrow ? 20 * font : 0.69 * height;
    const box = { x0: 0, x1: left, y0: 0, y1: cut }, low = { x0: 0, x1: left, y0: cut + 1.4 * font, y1: height };
    const right = narrow ? { x0: 0, x1: width, y0: cut + 10 * font, y1: height } : { x0: left + 2.6 * font, x1: width, y0: 0, y1: height };
    const fills = ["var(--left-flow)", view.paint().fills[1], "var(--right-flow)"];
    settle(facts, nodes, now);
    const hand = { light: choose, over: (path) => { hovered = path; detail(); }, zoom: () => {} };
    const held = {
      toggle: (i) => flip([i]), light: (row) => set({ row: now.row === row ? null : row }),
      over: (i) => { over = i; light(); detail(); }, attempt,
    };
    return {
      nodes,
      tree: growing(svg.append("g").attr("class", "tv-small-tree"), { facts: { ...facts, sent_to: [], at_home: [] }, tree: nodes, font, box, fills, hand }),
      losses: lossBars(svg.append("g"), { facts, font, box: low }),
      leaf: leafPanel(svg.append("g"), { id: view.id, facts, font, box: right, narrow, hand: held }),
      svg,
    };
  }

  /** Whose constraint it is lights up: the split that made it, the leaves that it holds, its circles and entries. */
  function light() {
    const row = over === null ? now.row : facts.made.row[over], mine = row === null ? [] : ofRow(facts, row);
    const origins = mine.map((i) => facts.made.origin[i]), has = (path) => facts.held[facts.nodes.path.indexOf(path)].some(([i]) => mine.includes(i));
    parts.svg.selectAll(".tv-node").classed("tv-source", (n) => origins.includes(n.path) && Boolean(n.split)).classed("tv-protects", (n) => !n.split && has(n.path));
    parts.svg.selectAll(".tv-row").classed("tv-lit", function mark() { return row !== null && this.dataset.row === String(row); });
    parts.svg.selectAll(".tv-held").classed("tv-lit", (d) => d.row === row);
  }

  function detail() {
    const line = view.detail(), node = hovered === null ? null : shown.tree.at(hovered);
    const c = shown.held.find((h) => h.i === over) ?? (now.row === null ? null : shown.held.find((h) => h.row === now.row));
    parts.tree.light(node);
    if (node) line.text(`${spoken(node, 0, node.step > 0 ? node.waiting : node.leaf)}.${node.split ? " Choose it to cut the tree here." : node.step > 0 && node.path === now.leaf ? " Choose it again to see it split." : ""}`);
    else if (c) about(line, c);
    else line.text(shown.held.length ? "Point at a constraint to see whom it protects; click its switch to do without it." : "Choose a leaf of the tree to see what it may predict.");
  }

  function about(line, c) {
    line.append("b").text(`${c.name}, y = `);
    fact(line.append("b"), `label@${c.i}`, c.y).text(number(c.y));
    line.append("span").text(`: ${purpose(c)}`);
    fact(line.append("b"), `gamma@${c.i}`, c.gamma).text(number(c.gamma));
    line.append("span").text(`: ${allowedIn(c.allowed, facts.ends)}.`);
    if (c.spent > 0) {
      line.append("span").text(" To come here costs it ");
      fact(line.append("b"), `spent@${c.i}`, c.spent).text(value(c.spent));
      line.append("span").text(".");
    }
  }

  const unwatch = onResize(root, () => { parts = null; draw({ at_once: true }); });
  stateOf(facts, []);
  draw({ at_once: true });
  return {
    set(given) {
      if (Object.entries(given).every(([k, v]) => String(now[k]) === String(v))) return;
      const wanted = { ...now, ...given };
      const show = () => { now = wanted; tried = null; draw(); };
      if (stateOf(facts, wanted.off)) show();
      else if (ask) ask({ off: wanted.off }).then((more) => { learn(facts, more.states); show(); });
    },
    facts(given) {
      facts = given;
      parts = null;
      stateOf(facts, []);
      if (stateOf(facts, now.off)) draw({ at_once: true });
    },
    destroy: unwatch,
  };
}

/** Which tree: that of a split, or the grown one. */
function picker(node, set) {
  const label = select(node).append("label").text("tree of "), box = label.append("select").attr("data-control", "path").attr("aria-label", "the tree of");
  box.on("change", (event) => set(event.target.value === WHOLE ? null : event.target.value));
  return ({ facts, path }) => {
    const splits = facts.nodes.path.flatMap((p, i) => (facts.nodes.split[i] ? [[p, `${nodeName(p).slice(4)}: ${test(facts.nodes.split[i], 20)}`]] : []));
    const all = splits.length ? [...splits, [WHOLE, "all splits"]] : [["", "the root, a leaf"]];
    box.selectAll("option").data(all).join("option").attr("value", (d) => d[0]).text((d) => d[1]);
    box.property("value", path ?? WHOLE);
  };
}

function actions(node, made) {
  return Object.fromEntries(Object.entries(made).map(([name, [words, act]]) => [name,
    select(node).append("button").attr("type", "button").attr("data-control", name).text(words).on("click", act)]));
}
