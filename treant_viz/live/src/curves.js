// Security curves: drag what models were trained for and what they are attacked with; pick a model, read all numbers.

import { select } from "./selection.js";
import { announcer } from "./announce.js";
import { choices } from "./choices.js";
import { fact } from "./facts.js";
import { number, value } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { heat } from "./curves/map.js";
import { opened, present, settled, valueAt } from "./curves/model.js";
import { plot } from "./curves/plot.js";
import { table } from "./curves/table.js";
import { subtitle, title } from "./curves/words.js";

const VIEWS = [["curves", "curves"], ["heat map", "heat map"]];

export default function curves(root, { facts: given, state, onState }) {
  select(root).classed("tv-curves", true);
  const view = frame(root, "curves"), say = announcer(root);
  let facts = opened(given), now = settled(facts, state), parts = null, drawn = "", pointed = null, over = null;
  const measures = () => facts.measures.map((m) => [m.key, m.name]);
  const controls = [
    facts.datasets.length > 1 && choices(view.bar(), "data set", "dataset", facts.datasets.map((d) => [d, d]), (dataset) => set({ dataset })),
    facts.measures.length > 1 && choices(view.bar(), "measure", "measure", measures(), (measure) => set({ measure })),
    facts.lines.some((l) => l.train > 0) && choices(view.bar(), "picture", "view", VIEWS, (v) => set({ view: v })),
  ];
  const bands = select(view.bar()).append("button").attr("type", "button").attr("data-control", "bands").text("band").on("click", () => set({ bands: !now.bands }));
  const reading = facts.readings.length > 1 ? chooser(view.bar("tv-feature"), facts.readings, (r) => set({ reading: r })) : () => {};

  function set(change) {
    now = settled(facts, { ...now, ...change });
    draw();
    onState({ ...now });
  }

  const hand = {
    id: view.id,
    set,
    /** A second click lets go; the keyboard only picks. */
    focus: (name, keep) => set({ focus: now.focus === name && !keep ? null : name }),
    /** The last model stays. */
    toggle(name) {
      const next = facts.models.map((m) => m.name).filter((m) => now.methods.includes(m) !== (m === name));
      if (next.length) set({ methods: next });
    },
    over(name) {
      over = name;
      light(present(facts, now));
    },
    point(budget) {
      if (budget === pointed) return;
      pointed = budget;
      const shown = present(facts, now);
      parts.main.point(budget);
      parts.numbers(shown, budget ?? now.budget);
      light(shown);
    },
    take: () => pointed !== null && set({ budget: pointed }),
  };

  function draw() {
    const shown = present(facts, now), { width } = view.room();
    const key = [now.view, now.reading, now.dataset, now.measure, width].join("|");
    if (key !== drawn) {
      pointed = null;
      parts = layout(shown);
    }
    drawn = key;
    parts.main.update(shown);
    parts.numbers(shown, pointed ?? now.budget);
    controls.forEach((update, k) => update && update([now.dataset, now.measure, now.view][k]));
    bands.attr("aria-pressed", now.bands).style("display", now.view === "curves" ? null : "none");
    reading(now.reading);
    view.words(title(shown), subtitle(shown));
    say(`${title(shown)}. ${now.dataset} ${shown.measure}, attacked with ${value(now.budget)}${now.train === null ? "" : `, trained for ${value(now.train)}`}.`);
    light(shown);
  }

  function layout(shown) {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), side = Math.min(0.38 * width, 28 * font);
    const box = narrow ? { x0: 0, x1: width, y0: 0, y1: 0.6 * height } : { x0: 0, x1: width - side - 1.5 * font, y0: 0, y1: height };
    const right = narrow ? { x0: 0, x1: width, y0: 0.63 * height, y1: height } : { x0: width - side, x1: width - 0.2 * font, y0: 0.4 * font, y1: height };
    const main = now.view === "curves" ? plot : heat, ends = facts.ends[shown.d][shown.m];
    return {
      main: main(svg.append("g"), { facts, shown, ends, font, box, hand }),
      numbers: table(svg.append("g"), { facts, shown, font, box: right, hand }),
    };
  }

  /** The model under the pointer, or else the one in focus: it stands out, and the line of detail has its interval. */
  function light(shown) {
    const lit = shown.lines.find((l) => l.name === (over ?? now.focus)), budget = pointed ?? now.budget;
    parts.main.light(over);
    const line = view.detail(), l = lit ?? shown.subject;
    const put = (words, name, v) => v !== null && fact(line.append("span").text(words).append("span"), name, v).text(number(v));
    if (!l || valueAt(l.line, budget, shown.m) === null) return;
    line.append("b").text(`${l.name} `);
    put(`attacked with ${value(budget)}: ${shown.measure} `, `detail@${l.name}`, valueAt(l.line, budget, shown.m));
    const [low, high] = ["low", "high"].map((what) => valueAt(l.line, budget, shown.m, what));
    if (low !== null && high !== null) {
      put(", interval ", `low@${l.name}`, low);
      put(" to ", `high@${l.name}`, high);
    }
    const printed = shown.paper.find((p) => p[1] === l.place && p[3] === budget);
    if (printed) put("; the paper prints ", `printed@${l.name}`, printed[5]);
  }

  const unwatch = onResize(root, () => { drawn = ""; draw(); });
  draw();
  return {
    set(next) {
      if (JSON.stringify({ ...now, ...next }) === JSON.stringify(now)) return;
      now = settled(facts, { ...now, ...next });
      draw();
    },
    facts(next) {
      facts = opened(next);
      drawn = "";
      draw();
    },
    destroy: unwatch,
  };
}

/** Ways to read the paper. */
function chooser(node, readings, set) {
  const box = select(node).append("label").text("read ").append("select").attr("data-control", "reading").attr("aria-label", "reading of the paper").on("change", (event) => set(event.target.value));
  box.selectAll("option").data(readings).join("option").attr("value", (r) => r).text((r) => r);
  return (r) => box.property("value", r);
}
