// The split: which rows are left, right, or the attacker's; what L and L^A are; and how to plan for it.

import { create } from "./selection.js";
import { scaleLinear } from "./scale.js";
import { announcer } from "./announce.js";
import { choices } from "./choices.js";
import { coins } from "./coins.js";
import { number, value } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { fact } from "./facts.js";
import { categories } from "./split/categories.js";
import { flows, losses } from "./split/flows.js";
import { PLANS, SIDES, WORDS, crossing, present, sides } from "./split/model.js";
import { numbers } from "./split/numbers.js";
import { AXES, uneven } from "./split/scale.js";
import { subtitle, testOf, title, verdict } from "./split/words.js";

const OWN = { y_l: null, y_r: null, tried: null }; // a new test or plan has its own leaves

export default function split(root, { facts, state, onState, ask }) {
  const view = frame(root, "split");
  const say = announcer(root);
  let now = { row: null, ...state }, hovered = null, parts = null, drawn = null;

  const feature = featureChooser(view.bar("tv-feature"), facts, ask, (f) => set({ feature: f, threshold: null }));
  const budget = coins(view.bar(), (b) => set({ budget: b }));
  const axes = {}; // by feature: what was chosen; else what its values ask for
  const axis = choices(view.bar(), "axis", "axis", AXES, (a) => {
    axes[now.feature] = a;
    draw({ at_once: true });
  });
  const plan = choices(view.bar(), "plan for the leaves", "plan", PLANS, (p) => set({ plan: p }));

  /** The hand has changed something: shown at once, then told to Python. */
  async function set(change) {
    const next = { ...now, ...("row" in change ? {} : OWN), ...change };
    if (!facts.tables[next.feature]) {
      view.complain("");
      try {
        learn(await ask({ feature: next.feature, budget: Math.max(...facts.tables[now.feature].levels.map((l) => l.cost)) }));
      } catch (error) {
        view.complain(error.message);
        feature(now.feature);
        return;
      }
    }
    if (next.threshold === null) next.threshold = facts.tables[next.feature].first;
    now = next;
    draw();
    onState({ ...now });
  }

  function learn(more) {
    facts = { ...facts, ...more, tables: { ...facts.tables, ...more.tables } };
  }

  function draw({ at_once = false } = {}) {
    const shown = present(facts, now), crowded = uneven(shown.table);
    const along = axes[now.feature] ?? (crowded ? "even" : "linear");
    const key = `${now.feature} ${along} ${view.room().width}`;
    const fresh = drawn !== key || parts.table !== shown.table;
    if (fresh) parts = layout(shown, along);
    drawn = key;
    const side = sides(shown.table, shown.level, shown.i);
    parts.update(shown, side, now, at_once || fresh);
    feature(now.feature);
    budget({ levels: shown.table.costs, budget: now.budget });
    plan(now.plan);
    axis(along).hidden = !crowded;
    tell(shown, side);
  }

  function layout(shown, axis) {
    const svg = view.svg(), { width, height, font, narrow } = view.room();
    const side = narrow
      ? { x0: 0, x1: width, y0: 0.6 * height, y1: height }
      : { x0: 0.705 * width, x1: width, y0: 0.6 * font, y1: height };
    const main = { x0: 0, x1: narrow ? width : 0.655 * width, y0: 0, y1: narrow ? 0.56 * height : height };
    const paint = view.paint();
    const given = { table: shown.table, y: facts.y, name: shown.name, axis, font, box: main, ...paint, onRow, set };
    const left = (shown.table.kind === "category" ? categories : numbers)(svg.append("g"), given);
    const flow = flows(svg.append("g"), { table: shown.table, font, ...paint, box: { ...side, flow: side.y1 - 6.4 * font } });
    const bars = losses(svg.append("g"), { table: shown.table, font, box: { ...side, y0: side.y1 - 5 * font } });
    return {
      table: shown.table,
      light: left.light,
      update(shown, side, state, at_once) {
        left.update(shown, side, state);
        flow(shown, at_once);
        bars(shown, state.tried ? "own" : state.plan, at_once);
      },
    };
  }

  /** Rows light up under the pointer, and stay lit when clicked. */
  function onRow(marks, rowOf) {
    marks.on("pointerenter.row", (event, d) => hover(rowOf(d))).on("pointerleave.row", () => hover(null))
      .on("click.row", (event, d) => set({ row: now.row === rowOf(d) ? null : rowOf(d) }));
  }

  function hover(row) {
    hovered = row;
    const shown = present(facts, now);
    detail(shown, sides(shown.table, shown.level, shown.i));
  }

  function tell(shown, side) {
    const own = side.map((s, c) => (s === 1 ? c : -1)).filter((c) => c >= 0);
    const who = shown.shown.unknown === 1 ? shown.table.codes.flatMap((c, r) => (own.includes(c) ? [`x${r}`] : [])) : [];
    const text = title({ ...shown, who });
    view.words(text, subtitle(shown));
    say(`${testOf(shown.table, shown.name, now.threshold)}. ${text}. ${verdict(shown, now.plan)}`);
    detail(shown, side);
  }

  /** The numbers of the row that is lit. */
  function detail({ table, level, i, name }, side) {
    const row = hovered ?? now.row;
    parts.light(row);
    const line = view.detail();
    if (row === null) return;
    const c = table.codes[row], v = level.at[i], cost = crossing(table, 0, v, c);
    const at = table.kind === "category" ? table.points[c] : table.points[table.values[c]];
    line.append("b").text(`x${row} `);
    line.append("span").text(`${name} = `);
    fact(line.append("span"), "row_value", at).text(value(at));
    line.append("span").text(", y = ");
    fact(line.append("span"), "row_y", facts.y[row]).text(number(facts.y[row]));
    line.append("span").attr("class", `tv-ink-${SIDES[side[c]]}`).text(` ${WORDS[side[c]]} `);
    if (cost === null) line.append("span").text("no budget here brings it across");
    else {
      line.append("span").text("crossing costs ");
      fact(line.append("span"), "row_cost", cost).text(value(cost));
    }
  }

  const stop = onResize(root, () => draw({ at_once: true }));
  draw({ at_once: true });
  return {
    set(state) {
      if (JSON.stringify({ ...now, ...state }) === JSON.stringify(now)) return;
      if (facts.tables[state.feature ?? now.feature]) {
        now = { ...now, ...state };
        draw();
      } else set(state);
    },
    facts(next) {
      learn(next);
      draw();
    },
    destroy: stop,
  };
}

/** A list of all features; those that this page has no facts for are off, and say why. */
function featureChooser(node, facts, ask, set) {
  const label = create("label").text("feature ");
  const box = label.append("select").attr("data-control", "feature").attr("aria-label", "feature").on("change", (event) => set(event.target.value));
  box.selectAll("option").data(facts.features).join("option").attr("value", (_, i) => i)
    .attr("disabled", (_, i) => (ask || facts.tables[i] ? null : ""))
    .text((f, i) => `${f.name}${f.attacked ? "" : " (no rule)"}${ask || facts.tables[i] ? "" : " – not in this page"}`);
  node.appendChild(label.node());
  return (f) => box.property("value", f);
}
