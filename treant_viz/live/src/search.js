// Split search: every candidate test of a node, what it loses if nobody attacks and under attack, and who would choose it.

import { create } from "./selection.js";
import { announcer } from "./announce.js";
import { fact } from "./facts.js";
import { nodeName, number } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { card } from "./search/card.js";
import { large } from "./search/large.js";
import { list } from "./search/list.js";
import { opened, present, testAt } from "./search/model.js";
import { moral, nodeWords, spoken, subtitle, title } from "./search/words.js";

export default function search(root, { facts, state, onState, ask }) {
  const view = frame(root, "search"), say = announcer(root), { attacked } = facts;
  root.classList.add("tv-tests");
  let now = { ...state }, parts = null, drawn = "", hovered = null;
  const node = nodeChooser(view.bar("tv-feature"), facts, ask, (path) => set({ path, candidate: null }));
  const jumps = choiceButtons(view.bar("tv-steps"), attacked, (role) => set({ candidate: opened(facts.searches[now.path])[role] }));

  /** The hand has changed something: shown at once, then told to Python. A node that is not known is asked for. */
  async function set(change) {
    const next = { ...now, ...change };
    if (!facts.searches[next.path]) {
      view.complain("");
      try {
        learn(await ask({ path: next.path }));
      } catch (error) {
        view.complain(error.message);
        return node(now.path);
      }
    }
    const found = opened(facts.searches[next.path]);
    next.candidate ??= found.robust >= 0 ? found.robust : found.standard;
    now = next;
    draw();
    onState({ ...now });
  }

  function learn(more) {
    facts = { ...facts, ...more, searches: { ...facts.searches, ...more.searches } };
  }

  function draw() {
    const shown = present(facts, now), key = `${now.path} ${shown.l} ${view.room().width}`;
    hovered = null;
    if (drawn !== key) layout(shown);
    drawn = key;
    parts.large.update(shown.i);
    parts.large.point(null);
    parts.card(shown);
    node(now.path);
    jumps(shown.search, now.candidate);
    tell(shown);
  }

  /** Another feature, node or size: all is laid out anew; who had the keyboard keeps it. */
  function layout({ search: found, l }) {
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.control : null;
    const svg = view.svg(), { width, height, font, narrow } = view.room(), paint = view.paint();
    const cut = narrow ? 0.34 * height : height - 9.3 * font, domain = padded(found.ends);
    const main = { x0: 0, x1: narrow ? width : 0.6 * width, y0: 0, y1: cut };
    const numbers = { x0: narrow ? 0 : 3.6 * font, x1: main.x1 - 0.6 * font, y0: cut + 0.9 * font, y1: cut + 9 * font };
    const side = narrow ? { x0: 0, x1: width, y0: numbers.y1 + 0.6 * font, y1: height } : { x0: 0.635 * width, x1: width, y0: 0, y1: height };
    const given = { search: found, l, font, domain, attacked };
    parts = {
      list: list(svg.append("g"), { ...given, box: side, go: look }),
      large: large(svg.append("g"), { ...given, box: main, go: (i) => set({ candidate: found.lines[l].order[i] }), over: point }),
      card: card(svg.append("g"), { font, box: numbers, fills: paint.fills, attacked }),
    };
    if (focused) root.querySelector(`[data-control=${focused}]`)?.focus();
  }

  /** Another feature: its best test is lit. */
  function look(l) {
    const line = opened(facts.searches[now.path]).lines[l];
    set({ candidate: line.order[line.best] });
  }

  /** A candidate under the pointer: its numbers, while it is there. */
  function point(i) {
    if (i === hovered) return;
    hovered = i;
    const shown = present(facts, now);
    parts.large.point(i === shown.i ? null : i);
    parts.card(i === null ? shown : { ...shown, i, candidate: shown.line.order[i] });
  }

  function tell(shown) {
    const { search: found } = shown, about = { search: found, attacked, standard: testAt(found, found.standard), robust: found.robust < 0 ? null : testAt(found, found.robust) };
    view.words(title(about), subtitle(attacked, facts.loss));
    const line = view.detail();
    for (const part of moral(about)) {
      if (typeof part === "string") line.append("span").text(part);
      else fact(line.append("b"), ...part).text(number(part[1]));
    }
    say(`${nodeName(now.path)}. ${title(about)}. ${spoken({ ...shown.line, threshold: shown.line.threshold[shown.i] }, shown.line, shown.i)}`);
  }

  const stop = onResize(root, () => draw());
  draw();
  return {
    set(next) {
      if (Object.entries(next).every(([k, v]) => now[k] === v)) return;
      if (!facts.searches[next.path ?? now.path]) return set(next);
      now = { ...now, ...next };
      draw();
    },
    facts(next) {
      learn(next);
      draw();
    },
    destroy: stop,
  };
}

/** The axis of losses with less room at its ends: words about choices have a place of their own. */
function padded([low, high]) {
  const room = (high - low) / 15;
  return [low > 0 ? low + room : low, high - room];
}

/** All nodes where tests were tried; those that this page has no facts for are off, and say why. */
function nodeChooser(bar, facts, ask, set) {
  const label = create("label").text("node ");
  const box = label.append("select").attr("data-control", "path").attr("aria-label", "node").on("change", (event) => set(event.target.value));
  box.selectAll("option").data(facts.nodes).join("option").attr("value", (n) => n.path).attr("disabled", (n) => (ask || facts.searches[n.path] ? null : ""))
    .text((n) => `${nodeWords(n, facts.attacked)}${ask || facts.searches[n.path] ? "" : " – not in this page"}`);
  bar.appendChild(label.node());
  return (path) => box.property("value", path);
}

/** Buttons that lead to the choices. */
function choiceButtons(bar, attacked, go) {
  const roles = attacked ? [["standard", "Best if nobody attacks"], ["robust", "Best under attack"]] : [["standard", "Best test"]];
  const buttons = roles.map(([role, words]) => create("button").attr("type", "button").attr("data-control", role).text(words).on("click", () => go(role)));
  for (const button of buttons) bar.appendChild(button.node());
  return (found, candidate) => buttons.forEach((button, k) => button.attr("disabled", found[roles[k][0]] < 0 ? "" : null).attr("aria-pressed", found[roles[k][0]] === candidate));
}
