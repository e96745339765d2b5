// The loss surface: a bowl with creases; a >= constraint cuts it, and the start of SLSQP decides where it ends.

import { create, select } from "./selection.js";
import { scaleLinear } from "./scale.js";
import { announcer } from "./announce.js";
import { dragged } from "./drag.js";
import { counted, nodeName } from "./format.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";
import { round } from "./steps.js";
import { ground, marks } from "./surface/landscape.js";
import { keyOf, nearestStart, nextStart, present, stepped, testAt } from "./surface/model.js";
import { panel } from "./surface/panel.js";
import { pair, subtitle, testOf, title } from "./surface/words.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export default function surface(root, { facts, state, onState, ask }) {
  root.classList.add("tv-surface"); // scopes what live.css says of this picture
  const view = frame(root, "surface"), say = announcer(root);
  let now = { ...state }, shown = null, parts = null, drawn = null, asking = false, failed = "";

  const where = chooser(view.bar("tv-feature"), "node", (path) => set({ path, test: facts.nodes.best[facts.nodes.path.indexOf(path)] }));
  const test = chooser(view.bar("tv-feature"), "test", (i) => set({ test: Number(i) }));
  const bound = checkbox(view.bar("tv-feature"), (constrained) => set({ constrained }));
  const home = select(view.bar()).append("button").attr("type", "button").attr("data-control", "home").text("Start where the paper does")
    .attr("title", "at the leaves that are best if nobody attacks").on("click", goHome);

  /** The hand has changed something: shown at once, then told to Python, and SLSQP is asked for. */
  function set(change) {
    const next = { ...now, ...change };
    view.complain("");
    if (!ask) {
      const table = facts.tables[keyOf(facts, next)];
      if (!table) return refuse("this surface is not in this page: only a notebook can work it out");
      [next.start_l, next.start_r] = nearestStart(table, next.start_l, next.start_r);
    }
    now = next;
    failed = "";
    draw();
    onState({ ...now });
    request();
  }

  function refuse(words) {
    view.complain(words);
    draw();
  }

  const missing = () => !present(facts, now) || (shown?.table.optimum && !shown.run);

  /** One question at a time: while SLSQP works the start may move on, and the last place is asked for. */
  async function request() {
    if (asking || !ask) return;
    asking = true;
    while (missing() && failed !== JSON.stringify(now)) {
      const wanted = { ...now };
      try {
        learn(await ask({ ...wanted, surface: !facts.tables[keyOf(facts, wanted)] }), wanted);
      } catch (error) {
        failed = JSON.stringify(wanted);
        view.complain(error.message);
      }
      draw();
    }
    asking = false;
  }

  /** New surfaces, and the last run that was asked for. */
  function learn({ tests = {}, tables = {}, ran }, wanted = now) {
    facts = { ...facts, tests: { ...facts.tests, ...tests }, tables: { ...facts.tables, ...tables } };
    const table = facts.tables[keyOf(facts, wanted)];
    if (ran && table) table.asked = ran;
  }

  function draw({ at_once = false } = {}) {
    shown = present(facts, now) ?? shown;
    const key = `${keyOf(facts, now)} ${view.room().width}`, ready = present(facts, now);
    if (!ready) return busy();
    if (drawn !== key || at_once) parts = layout();
    drawn = key;
    parts.walk(shown.run);
    parts.panel(shown, now);
    parts.handle();
    root.classList.toggle("tv-busy", !shown.run && shown.table.optimum !== null);
    controls();
    view.words(title(shown, now), subtitle(shown));
    if (shown.run) say(`${title(shown, now)}.`);
    view.detail().text(ask ? "Arrow keys move the start, with Shift in strides of ten steps; Home is where the paper starts." : `This page knows ${counted(shown.starts, "start")} of this surface; the start goes to the nearest one. A notebook starts anywhere.`);
  }

  function busy() {
    root.classList.add("tv-busy");
    view.words("Python is at work on this surface", "It asks SLSQP from starts all over the surface.");
    controls();
  }

  function layout() {
    const svg = view.svg(), { width, height, font, narrow } = view.room(), { table } = shown;
    const size = Math.min(height - 3.7 * font, (narrow ? 1 : 0.56) * width - 5 * font);
    const box = { x0: 4.6 * font, x1: 4.6 * font + size, y0: 0.5 * font, y1: 0.5 * font + size };
    const x = scaleLinear(table.frame, [box.x0, box.x1]), y = scaleLinear(table.frame, [box.y1, box.y0]);
    const given = { table, x, y, box, font, id: view.id };
    ground(svg.append("g"), given);
    const sheet = svg.append("rect").attr("class", "tv-hit tv-sheet").attr("x", box.x0).attr("y", box.y0).attr("width", size).attr("height", size);
    const walk = marks(svg.append("g").attr("class", "tv-through"), given), handle = startHandle(svg, { x, y, font });
    const to = (px, py) => go(x.invert(px), y.invert(py));
    for (const part of [sheet, handle.group]) dragged(part, svg.node(), to);
    sheet.on("click", (event) => { const [px, py] = within(svg.node(), event); to(px, py); });
    svg.attr("height", box.y1 + 3.2 * font).attr("viewBox", `0 0 ${width} ${box.y1 + 3.2 * font}`);
    return { walk, handle: handle.update, panel: panel(svg.node().parentNode, narrow ? null : box.x1 + 2.2 * font) };
  }

  /** The start goes to a place, as far as that is a place to start from. */
  function go(l, r) {
    const [start_l, start_r] = ask ? [stepped(facts.range, l), stepped(facts.range, r)] : nearestStart(shown.table, l, r);
    if (start_l !== now.start_l || start_r !== now.start_r) set({ start_l, start_r });
  }

  function goHome() {
    const [start_l, start_r] = shown.table.plain.map((p) => Math.max(facts.range[0], Math.min(facts.range[1], p)));
    set({ start_l, start_r });
  }

  function startHandle(svg, { x, y, font }) {
    const group = svg.append("g").attr("class", "tv-start").attr("role", "slider").attr("tabindex", 0).attr("data-control", "start")
      .attr("aria-label", "start of SLSQP").attr("aria-roledescription", "slider in two directions").on("keydown", pressed);
    group.append("circle").attr("class", "tv-hit").attr("r", 1.4 * font);
    group.append("circle").attr("class", "tv-start-ring").attr("r", 0.85 * font);
    group.append("circle").attr("class", "tv-start-dot").attr("r", 0.3 * font);
    const words = group.append("text").attr("class", "tv-halo tv-name").attr("y", -1.2 * font).attr("text-anchor", "middle").text("start");
    return { group, update() {
      const { start_l: l, start_r: r } = now;
      group.attr("transform", `translate(${round(x(l))},${round(y(r))})`).attr("aria-valuenow", l).attr("aria-valuemin", facts.range[0]).attr("aria-valuemax", facts.range[1])
        .attr("aria-valuetext", `left leaf ${pair(l, r).slice(1, -1).replace(", ", ", right leaf ")}`);
      words.attr("y", y(r) < y.range()[1] + 2.4 * font ? 2 * font : -1.2 * font);
    } };
  }

  /** Arrows walk over the surface, with Shift in strides of ten; Home is where the paper starts. */
  function pressed(event) {
    const arrow = ARROWS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || (!arrow && event.key !== "Home")) return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab has keys of its own
    if (!arrow) return goHome();
    const [dx, dy] = arrow, far = facts.range[2] * (event.shiftKey ? 10 : 1);
    if (ask) go(now.start_l + dx * far, now.start_r + dy * far);
    else go(...nextStart(shown.table, now.start_l, now.start_r, dx, dy));
  }

  function controls() {
    const { path, rows, constraints } = facts.nodes;
    const has = (p) => ask || Object.keys(facts.tables).some((key) => key.startsWith(`${p}:`));
    where(path.filter(has).map((p) => [p, `${nodeName(p).slice(4)}: ${counted(rows[path.indexOf(p)], "row")}`]), path.filter((p) => !has(p)).length, now.path);
    const tests = facts.tests[now.path], all = (tests?.feature ?? []).map((_, i) => i);
    const known = all.filter((i) => ask || facts.tables[keyOf(facts, { ...now, test: i })]);
    test(known.map((i) => [i, testOf(testAt(facts, now.path, i))]), all.length - known.length, now.test);
    bound(now.constrained, constraints[path.indexOf(now.path)]);
    home.attr("disabled", shown && shown.table.plain.slice(0, 2).every((p, i) => Math.abs(p - [now.start_l, now.start_r][i]) < 1e-9) ? "" : null);
  }

  const stop = onResize(root, () => draw({ at_once: true }));
  draw({ at_once: true });
  request();
  return {
    set(next) {
      if (Object.entries(next).every(([k, v]) => now[k] === v)) return;
      now = { ...now, ...next };
      draw();
      request();
    },
    facts(next) {
      learn(next);
      draw({ at_once: true });
    },
    destroy: stop,
  };
}

function within(svg, event) {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [x, y];
}

/** A list to choose from; what this page lacks is counted at its end. */
function chooser(node, name, set) {
  const label = create("label").text(`${name} `);
  const box = label.append("select").attr("data-control", name).attr("aria-label", name).on("change", (event) => set(event.target.value));
  let before = "";
  node.appendChild(label.node());
  return (options, lacking, chosen) => {
    const all = [...options, ...(lacking ? [["", `${counted(lacking, name)} more – not in this page`, true]] : [])], key = JSON.stringify(all);
    if (key !== before) box.selectAll("option").data(all).join("option").attr("value", (o) => o[0]).attr("disabled", (o) => (o[2] ? "" : null)).text((o) => o[1]);
    before = key;
    box.property("value", String(chosen));
  };
}

/** Obey the constraints of the node, if it has any. */
function checkbox(node, set) {
  const label = select(node).append("label");
  const box = label.append("input").attr("type", "checkbox").attr("data-control", "constrained").on("change", (event) => set(event.target.checked));
  const words = label.append("span");
  return (on, count) => {
    select(node).style("display", count ? "" : "none");
    box.property("checked", on);
    words.text(` obey ${count === 1 ? "the constraint" : `all ${counted(count, "constraint")}`}`);
  };
}
