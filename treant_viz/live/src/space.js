// Feature space: a tree in the plane of two features; which rows can be pushed into another region, and what it costs.

import { create } from "./selection.js";
import { announcer } from "./announce.js";
import { asked } from "./asking.js";
import { coins } from "./coins.js";
import { fact } from "./facts.js";
import { finder } from "./finder.js";
import { number, value } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { planeOf, present } from "./space/model.js";
import { drawPlane } from "./space/plot.js";
import { heard, pointOf, slice, subtitle, title } from "./space/words.js";

export default function space(root, { facts, state, onState, ask }) {
  root.classList.add("tv-space");
  const view = frame(root, "space", { tall: 0.63, ratio: 0.5 }), say = announcer(root);
  let now = { row: null, ...state }, shown = null, plot = null, drawn = null, pointed = null;

  const budget = coins(view.bar(), (b) => set({ budget: b }));
  const axes = ["x", "y"].map((k) => axisChooser(view.bar("tv-feature"), k, (f) => turn(k, f)));
  const search = finder(view, () => facts, (change) => set(change));
  const line = create("p").attr("class", "tv-caption"), still = create("p").attr("class", "tv-caption");
  view.below(still.node());
  view.below(line.node());

  /** Another feature on an axis; the one of the other axis changes places with it. */
  function turn(k, feature) {
    const other = k === "x" ? "y" : "x";
    set({ [k]: feature, ...(now[other] === feature ? { [other]: now[k] } : {}) });
  }

  /** The hand has changed something: shown at once, then told to Python. */
  async function set(change) {
    view.complain("");
    const next = { ...now, ...change };
    const learn = (more) => { facts = merged(facts, more); };
    if (!planeOf(facts, next) && !(await asked(view, { ask, question: { features: [next.x, next.y] }, missing: "this plane is not in this page", learn }))) return choosers();
    now = next;
    draw();
    onState({ ...now });
  }

  const merged = (old, more) => ({ ...more, planes: { ...(old.rows.at.join() === more.rows.at.join() ? old.planes : {}), ...more.planes } });

  const choosers = () => axes.forEach((axis, k) => axis(facts, now, (x, y) => ask || planeOf(facts, { x, y }), k));

  function draw() {
    shown = present(facts, now);
    const key = `${now.x} ${now.y} ${view.room().width}`;
    if (drawn?.key !== key || drawn.plane !== shown.plane) {
      plot = layout();
      drawn = { key, plane: shown.plane };
    }
    plot(shown, pointed ?? shown.chosen);
    budget({ levels: shown.costs, budget: now.budget });
    choosers();
    search(shown.chosen ? facts.rows.name[shown.chosen.at] : "");
    tell();
  }

  function layout() {
    const svg = view.svg(), { width, height, font } = view.room();
    const choose = (row) => set({ row: row === null || facts.rows.at[row.at] === now.row ? null : facts.rows.at[row.at] });
    return drawPlane(svg.append("g"), { facts, plane: shown.plane, font, paint: view.paint(), choose, hover, box: { x0: 0, x1: width, y0: 1.4 * font, y1: height } });
  }

  function hover(row) {
    if (row === pointed) return;
    pointed = row;
    plot(shown, pointed ?? shown.chosen);
    detail();
  }

  function tell() {
    const text = title(shown), { level, rows, plane } = shown;
    view.words(text, subtitle(shown));
    say(shown.chosen ? `${heard(shown)}. ${text}` : text);
    line.html(null);
    const told = (name, v, words) => {
      fact(line.append("b"), name, v).text(number(v));
      line.append("span").text(words);
    };
    told("rows", rows.length, " rows: ");
    told("hit", level.hit, " can be made worse (ringed), ");
    told("crossing", level.at_risk - level.hit, " can cross a border but would not be worse off, ");
    told("safe", rows.length - level.at_risk, " cannot cross. Squared error ");
    told("plain_loss", plane.loss, " → ");
    told("loss_under_attack", level.loss, "");
    still.text(slice(shown));
    detail();
  }

  /** The row under the pointer, else the chosen one: where it is, what is said of it, before and after. */
  function detail() {
    const row = pointed ?? shown.chosen, out = view.detail(), { plane, name } = shown;
    if (!row) {
      const away = now.row !== null && `${facts.rows.name[facts.rows.at.indexOf(now.row)] ?? "this row"} sees another tree in this plane`;
      out.append("span").attr("class", "tv-caption").text(away || "Point at a row, or click it: its reach and its worst move.");
      return;
    }
    const say = (words) => out.append("span").text(words), told = (key, v, text = number(v)) => fact(out.append("b"), key, v).text(text);
    const place = (w, key) => ["x", "y"].forEach((k, d) => {
      say(`${d ? ", " : ""}${name[d]} = `);
      told(`${key}_${k}`, plane.categories[d] ? plane.categories[d][w[k]] : w[k], pointOf(plane, d, w[k]));
    });
    out.append("b").text(`${facts.rows.name[row.at]}: `);
    place(row, "row");
    say(", label ");
    told("row_label", row.label);
    say(", predicted ");
    told("row_before", plane.regions.prediction[row.own.region]);
    if (!row.hurt) return void say(". No move within the budget makes it worse.");
    say(". Worst move, for ");
    told("row_cost", row.worst.cost, value(row.worst.cost));
    say(": ");
    place(row.worst, "end");
    say(", predicted ");
    told("row_after", plane.regions.prediction[row.worst.region]);
  }

  const stop = onResize(root, draw);
  draw();
  return {
    set(state) {
      if (Object.entries(state).every(([k, v]) => now[k] === v)) return;
      if (planeOf(facts, { ...now, ...state })) {
        now = { ...now, ...state };
        draw();
      } else set(state);
    },
    facts(next) {
      facts = merged(facts, next);
      if (planeOf(facts, now)) draw();
    },
    destroy: stop,
  };
}

/** The features for one axis; those that this page cannot show beside the other one are off. */
function axisChooser(node, k, go) {
  const label = create("label").text(k === "x" ? "across " : "up ");
  const box = label.append("select").attr("data-control", k).attr("aria-label", `feature ${k === "x" ? "across" : "up"}`).on("change", (event) => go(Number(event.target.value)));
  node.appendChild(label.node());
  return (facts, now, known) => {
    const pair = (f) => (k === "x" ? [f, now.y] : [now.x, f]), swaps = (f) => f === (k === "x" ? now.y : now.x) && known(now.y, now.x);
    box.selectAll("option").data(facts.features).join("option").attr("value", (_, f) => f)
      .attr("disabled", (_, f) => (swaps(f) || known(...pair(f)) ? null : "")).text((f) => `${f.name}${f.attacked ? "" : " (no rule)"}`);
    box.property("value", now[k]);
  };
}
