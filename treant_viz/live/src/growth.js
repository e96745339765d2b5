// The growth of a tree: step, play, scrub; rows flow to their side, the attacker's are hatched, leaves say what is legal.

import { select } from "./selection.js";
import { announcer } from "./announce.js";
import { fact } from "./facts.js";
import { capital, number } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { numbersOf, search } from "./growth/candidates.js";
import { asks, costs, opened, present, says, there } from "./growth/model.js";
import { track } from "./growth/track.js";
import { growing } from "./growth/tree.js";
import { ORDERS, spoken, subtitle, test, title, where } from "./growth/words.js";

const PAUSE = 1400; // milliseconds a step, while it plays

export default function growth(root, { facts, state, onState }) {
  const view = frame(root, "growth"), say = announcer(root);
  let tree = opened(facts), now = { step: 0, node: null, sort_by: "loss_under_attack", ascending: true, ...state };
  let parts = null, hovered = null, candidate = null, focus = "", player = 0;

  const steps = buttons(view.bar("tv-steps"), { First: () => go(0), Back: () => go(now.step - 1), Next: () => go(now.step + 1), Last: () => go(last()), Play: play });
  const order = sorting(view.bar("tv-feature"), set);
  const back = select(view.bar()).append("button").attr("type", "button").attr("data-control", "whole").text("Whole tree").on("click", () => zoom(null));
  const last = () => facts.steps.node.length - 1;

  function set(change) {
    now = { ...now, ...change };
    draw();
    onState({ ...now });
  }

  function go(step) {
    const next = Math.max(0, Math.min(last(), step));
    if (player) stop();
    if (next !== now.step) set({ step: next });
  }

  /** One step after the other; from the end it begins anew. */
  function play() {
    if (player) return stop();
    steps.Play.text("Pause").attr("aria-pressed", true);
    if (now.step === last()) set({ step: 0 });
    player = setInterval(() => {
      if (!root.isConnected || now.step === last()) return stop();
      set({ step: now.step + 1 });
      if (now.step === last()) stop();
    }, PAUSE);
  }

  function stop() {
    clearInterval(player);
    player = 0;
    steps.Play.text("Play").attr("aria-pressed", false);
  }

  /** A part of a big tree fills the picture; null: one part up, or the lit node is put out. */
  function zoom(path) {
    focus = path !== null && tree.at(path).children.length ? path : "";
    if (path === null && now.node !== null) set({ node: null });
    else draw();
  }

  function draw({ at_once = false } = {}) {
    const shown = present(facts, tree, now.step);
    parts ??= layout();
    parts.tree.update({ ...shown, focus }, at_once);
    parts.track(shown);
    parts.search(shown, now.sort_by, now.ascending);
    order(now);
    back.style("display", focus ? "" : "none");
    steps.First.attr("disabled", now.step === 0 ? "" : null);
    steps.Back.attr("disabled", now.step === 0 ? "" : null);
    steps.Next.attr("disabled", now.step === last() ? "" : null);
    steps.Last.attr("disabled", now.step === last() ? "" : null);
    view.words(title(shown, facts.attacked), subtitle(facts, tree, now.step));
    say(`Step ${now.step + 1} of ${last() + 1}. ${title(shown, facts.attacked)}.`);
    candidate = null;
    detail();
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), side = narrow ? 0 : Math.min(0.29 * width, 24 * font);
    const box = narrow ? { x0: 0, x1: width, y0: 0, y1: 0.46 * height } : { x0: 0, x1: width - side - 2 * font, y0: 0, y1: height };
    const right = narrow ? { x0: 0, x1: width } : { x0: width - side, x1: width - 0.3 * font };
    const begin = narrow ? 0.49 * height : 0, middle = begin + (narrow ? 0.2 : 0.36) * height;
    const hand = { light: (path) => set({ node: now.node === path ? null : path }), over: (path) => { hovered = path; detail(); }, zoom };
    const branch = ["var(--left-flow)", view.paint().fills[1], "var(--right-flow)"];
    return {
      tree: growing(svg.append("g"), { facts, tree, font, box, fills: branch, hand }),
      track: track(svg.append("g"), { facts, font, box: { ...right, y0: begin, y1: middle }, go }),
      search: search(svg.append("g"), { font, box: { ...right, y0: middle + 1.2 * font, y1: height }, over: (i) => { candidate = i; detail(); } }),
    };
  }

  /** The numbers of what is lit: a candidate, a node, or else the step itself. */
  function detail() {
    const shown = present(facts, tree, now.step), line = view.detail();
    const path = hovered ?? now.node, node = path === null ? null : tree.at(path);
    const lit = node && there(node, now.step) ? node : null;
    parts.tree.light(lit);
    if (candidate !== null && shown.candidates) numbersOf(line, shown.candidates, candidate);
    else if (lit) numbersOfNode(line, lit, now.step);
    else line.text(shown.taken ? "Point at a node to see its rows light up everywhere; double-click to zoom in." : `${spoken(shown.node, now.step, says(shown.node, now.step))}.`);
  }

  const unwatch = onResize(root, () => { parts = null; draw({ at_once: true }); });
  draw({ at_once: true });
  return {
    set(next) {
      if (Object.entries(next).every(([k, v]) => now[k] === v)) return;
      now = { ...now, ...next };
      draw();
    },
    facts(next) {
      facts = next;
      tree = opened(facts);
      parts = null;
      draw({ at_once: true });
    },
    destroy() {
      stop();
      unwatch();
    },
  };
}

function numbersOfNode(line, node, step) {
  const put = (words, name, x) => fact(line.append("span").text(words).append("span"), `${name}@${node.path}`, x).text(number(x));
  line.append("b").text(`${capital(where(node))}${asks(node, step) ? ` asks ${test(node.split, 60)}` : ""}: `);
  put("", "rows", node.rows);
  line.append("span").text(node.rows === 1 ? " row" : " rows");
  if (node.bought) put(", brought here by the attacker: ", "bought", node.bought);
  if (asks(node, step)) {
    for (const [letter, name] of [["L", "left"], ["U", "unknown"], ["R", "right"]]) {
      line.append("span").attr("class", `tv-ink-${letter}`).text(` · ${letter} `);
      put("", name, node.split[name]);
    }
    put(" · as one leaf ", "as_leaf", node.leaf_loss);
    put(" → ", "split_loss", node.split.loss_under_attack);
    return;
  }
  put("; it says ", "prediction", says(node, step));
  if (node.feasible && Math.abs(node.mean - node.leaf) > 1e-9) put(", without constraints ", "mean", node.mean);
  put("; loss ", "leaf_loss", costs(node, step));
  if (node.constraints) put("; constraints: ", "constraints", node.constraints);
}

function buttons(node, made) {
  return Object.fromEntries(Object.entries(made).map(([name, act]) => [name,
    select(node).append("button").attr("type", "button").attr("data-control", name.toLowerCase()).text(name).on("click", act)]));
}

/** In which order the candidates stand. */
function sorting(node, set) {
  const label = select(node).append("label").text("candidates by ");
  const box = label.append("select").attr("data-control", "sort_by").attr("aria-label", "sort candidates by").on("change", (event) => set({ sort_by: event.target.value }));
  box.selectAll("option").data(ORDERS).join("option").attr("value", (o) => o[0]).text((o) => o[1]);
  let up = true;
  const way = select(node).append("button").attr("type", "button").attr("class", "tv-beside").attr("data-control", "ascending").on("click", () => set({ ascending: !up }));
  return ({ sort_by, ascending }) => {
    up = ascending;
    box.property("value", sort_by);
    way.text(ascending ? "smallest first" : "largest first").attr("aria-pressed", ascending);
  };
}
