// The form of an attacker: rules one takes hold of. Cards hold what is typed; a card's `rule` is the last that was right.

import { create, select } from "./selection.js";
import { announcer } from "./announce.js";
import { fields, chips, field, shortOf } from "./attacker/fields.js";
import { bar, choosers } from "./attacker/bar.js";
import { budgetFault, faultsOf, numberIn } from "./attacker/check.js";
import { detail } from "./attacker/detail.js";
import { line } from "./attacker/line.js";
import { cardOf, coinLevels, domain, finite, firstCard, inFile, nextCost, outside, placeOf, ruleOf, within, written } from "./attacker/model.js";
import { pills } from "./attacker/pills.js";
import { reachArrows } from "./attacker/reach.js";
import { OFFLINE, subtitle, title } from "./attacker/words.js";
import { coins } from "./coins.js";
import { frame } from "./frame.js";
import { onResize } from "./layout.js";

const SIZE = { tall: 0.5, least: 260, long: 24 };
const MOST_UNDONE = 100, PAUSE = 800; // ms in which changes of one field are one change

export default function attacker(root, { facts, state, onState, ask }) {
  root.classList.add("tv-form");
  const view = frame(root, "attacker", SIZE), say = announcer(root);
  let cards = [], budget = "0", held = null, place = 0, row = 0, faults = {}, told = "", parts = null, drawn = "", busy = false, again = false;
  const past = [];
  let last = { what: "", time: 0 };

  const budgetCoins = coins(view.bar(), (b) => pay(String(b)));
  const amount = field("", "box-budget", (text) => pay(text));
  select(amount.node).select("input").attr("aria-label", "budget (number)").attr("size", 6);
  const controls = choosers(view, { look: (i) => look(i), row: (i) => seen(i), add, name: facts.data ? null : newFeature });
  view.bar().appendChild(amount.node);
  root.querySelector(".tv-budget").after(amount.node);
  const rules = chips((i) => hold(i)), boxes = fields((name, text) => edit(name, text), (name) => another(name));
  const tools = bar({ add, twice, remove, undo, load, save });
  const strip = create("div").attr("class", "tv-strip-of-rules");
  strip.append(() => rules.node);
  strip.append(() => tools.node);
  root.querySelector(".tv-picture").before(strip.node());
  view.below(boxes.node);
  const note = create("p").attr("class", "tv-offline").text(ask ? "" : OFFLINE).attr("hidden", ask ? "" : null);
  root.appendChild(note.node());

  // what the hand does

  /** One step to undo; changes of the same thing (`what`) in a row are one. */
  function remember(what = "") {
    const time = Date.now();
    if (!what || what !== last.what || time - last.time > PAUSE) past.push(JSON.stringify({ cards, budget, held, place, faults }));
    if (past.length > MOST_UNDONE) past.shift();
    last = { what, time };
  }

  function edit(name, text) {
    if (held === null || cards[held][name] === text) return;
    remember(`${held} ${name}`);
    cards[held][name] = text;
    settle();
  }

  function another(name) {
    const known = facts.features[place].categories;
    if (!known.some((c) => c.key === name)) known.push({ key: name, short: name, rows: facts.data ? 0 : null });
    drawn = "";
    edit("becomes", name);
    draw();
  }

  function pay(text) {
    remember("budget");
    budget = text;
    settle();
  }

  function hold(i) {
    held = i;
    place = cards[i].place;
    show();
  }

  function look(i) {
    place = i;
    const first = cards.findIndex((c) => c.place === i);
    held = first < 0 ? null : first;
    show();
  }

  function seen(i) {
    row = i;
    show();
  }

  function add() {
    remember();
    const f = facts.features[place], card = firstCard(f, held === null ? "1" : cards[held].cost, f.kind === "number" ? f.high - f.low || 10 : 0);
    cards.push({ ...card, place });
    held = cards.length - 1;
    settle();
  }

  function twice() {
    remember();
    cards.splice(held + 1, 0, { ...cards[held], pre: cards[held].pre && [...cards[held].pre] });
    held += 1;
    settle();
  }

  function remove() {
    remember();
    cards.splice(held, 1);
    const mine = cards.findIndex((c) => c.place === place);
    held = mine < 0 ? null : mine;
    settle();
  }

  function undo() {
    if (!past.length) return;
    ({ cards, budget, held, place, faults } = JSON.parse(past.pop()));
    last = { what: "", time: 0 };
    settle();
  }

  function newFeature(name, kind) {
    const at = facts.features.findIndex((f) => f.name === name);
    if (at < 0) {
      const made = kind === "number" ? { low: -10, high: 10, at: [], counts: [], width: 0 } : { categories: [] };
      facts = { ...facts, features: [...facts.features, { key: name, name, short: name, kind, ...made }] };
    }
    look(at < 0 ? facts.features.length - 1 : at);
  }

  // what becomes of it

  /** Something was changed: what is right is taken over, what is wrong is said; Python has the last word. */
  function settle() {
    check();
    draw();
    if (ask) inquire();
    else tell();
  }

  function check() {
    faults = {};
    cards.forEach((card, i) => {
      const wrong = faultsOf(card);
      if (Object.keys(wrong).length) faults[i] = wrong;
      else card.rule = ruleOf(card);
    });
    const wrong = budgetFault(budget);
    if (wrong) faults.budget = wrong;
    else paid = numberIn(budget);
  }

  /** One question at a time; the last one counts. */
  async function inquire() {
    again = busy;
    if (busy) return;
    busy = true;
    const asked = cards.slice();
    try {
      const answer = await ask({ cards: asked.map(({ place: _, ...card }) => card), budget, row });
      learn(answer);
      if (!again) {
        asked.forEach((card, i) => { card.rule = answer.read[i]; });
        faults = answer.faults;
        paid = finite(answer.budget);
        tell();
      }
      view.complain("");
    } catch (error) {
      view.complain(error.message);
    }
    busy = false;
    draw();
    if (again) inquire();
  }

  function learn(more) {
    const { features, rules: known, top, rows } = more;
    const same = JSON.stringify(known) === JSON.stringify(facts.rules) && top === facts.top;
    facts = { ...facts, rules: known, top, rows: { ...(same ? facts.rows : {}), ...rows } };
    if (features) {
      facts.features = [...features, ...facts.features.slice(features.length).filter((f) => !features.some((g) => g.key === f.key))];
      cards.forEach((card) => { card.place = placeOf(card.feature, facts.features); });
    }
  }

  function present() {
    const right = cards.filter((c) => c.rule);
    const editing = held !== null && cards[held].rule ? right.indexOf(cards[held]) : null;
    return { rules: right.map((c) => c.rule), budget: written(paid), feature: String(place), editing, row };
  }

  function tell() {
    const now = present(), text = JSON.stringify(now);
    if (text !== told) onState(now);
    told = text;
  }

  /** Another view of the same rules. */
  function show() {
    draw();
    if (stale()) inquire();
    else tell();
  }

  function take(next) {
    cards = next.map((rule) => ({ ...cardOf(rule, facts.features), place: placeOf(rule.feature, facts.features) }));
  }

  let paid = 0;

  function load(text, name) {
    const replace = (rules, b) => {
      remember();
      take(rules);
      budget = b === Infinity ? "inf" : String(b);
      place = cards[0]?.place ?? place;
      held = cards.length ? 0 : null;
      drawn = "";
      check();
      draw();
      tell();
      view.complain("");
    };
    const refuse = (error) => view.complain(`${error.message}. The attacker is as it was.`);
    if (ask) {
      ask({ file: text, name, row }).then((answer) => {
        learn(answer);
        replace(answer.rules, finite(answer.budget));
      }).catch(refuse);
      return;
    }
    try {
      const { cards: found, budget: b } = inFile(text, facts.features);
      replace(found.map((c) => c.rule), b);
    } catch (error) {
      refuse(new Error(`${name}: ${error.message}`));
    }
  }

  function save() {
    const now = present();
    return JSON.stringify({ format: "treant_viz.attacker", version: 1, budget: now.budget, rules: now.rules }, null, 1);
  }

  // what is shown

  const rulesOf = () => cards.filter((c) => c.rule).map((c) => c.rule);

  /** Whether there is somebody to ask, and reason to: facts of other rules, another row, or less money. */
  const stale = () => ask && (!facts.rows[row] || paid > finite(facts.top) || JSON.stringify(rulesOf()) !== JSON.stringify(facts.rules));

  /** The reach of the row on the feature, within the budget; null if this page cannot know it. */
  function known() {
    const there = facts.rows[row], mine = (all) => JSON.stringify(all.filter((r) => placeOf(r.feature, facts.features) === place));
    if (!there) return null;
    const right = rulesOf();
    if (!ask && (mine(right) !== mine(facts.rules) || paid > finite(facts.top))) return null;
    const own = there.values[place], found = there.reach[place];
    const still = { stages: [[0, [typeof own === "number" ? [own, own] : own]]], whole: true, followed: "inf" };
    if (!found && mine(right) !== "[]") return null;
    return within(found ?? still, paid);
  }

  function draw({ fresh = false } = {}) {
    const f = facts.features[place], on = cards.filter((c) => c.place === place), found = known();
    const own = facts.rows[row]?.values[place] ?? (f.kind === "number" ? (f.low + f.high) / 2 : f.categories[0]?.key);
    const { width } = view.room();
    const key = JSON.stringify([place, f.kind, on.length, width, f.categories?.length, held !== null]);
    if (fresh || drawn !== key || on.some((c) => !parts.cards.includes(c)) || parts.outside()) parts = layout(f, on, own);
    drawn = key;
    parts.update({ held: held === null ? null : cards[held], at: own, found });
    rules.show(cards, held, faults, facts.features);
    boxes.show(held === null ? null : cards[held], faults[held]);
    tools.show({ held, undo: past.length, feature: f.short });
    controls.show({ facts, place, row, cards, ask });
    budgetCoins({ levels: coinLevels(rulesOf(), paid), budget: paid });
    amount.show(budget, faults.budget);
    words(f, on, found, own);
  }

  function layout(f, on, own) {
    root.querySelector(".tv-swap")?.remove();
    const actions = { edit, hold: (card) => cards[held] !== card && hold(cards.indexOf(card)), cost: (way) => edit("cost", String(nextCost(numberIn(cards[held].cost), way))), swap };
    if (f.kind === "number") {
      const svg = view.svg(), { width, height, font } = view.room(), ends = domain(f, on, own);
      const update = line(svg, { feature: f, domain: ends, cards: on, font, width, height, paint: view.paint(), on: actions });
      return { cards: on, update, outside: () => !root.querySelector(".tv-dragged") && outside(domain(f, on, own), ends) };
    }
    const { font, width } = view.room(), svg = view.svg();
    svg.attr("viewBox", `0 0 ${width} ${2.8 * font}`).attr("height", 2.8 * font);
    const arrows = reachArrows(svg, { font, width, short: shortOf(f) }), mine = held === null ? null : pills({ feature: f, font, on: actions });
    if (mine) root.querySelector(".tv-picture").prepend(mine.node);
    const update = ({ held: card, at, found }) => {
      if (card) mine?.update(card);
      arrows(at, found);
    };
    return { cards: on, update, outside: () => false };
  }

  function swap(change) {
    const [[name, to]] = Object.entries(change);
    edit(name, to);
  }

  function words(f, on, found, at) {
    const there = facts.rows[row], who = there?.name ?? `x${row}`, rules = on.filter((c) => c.rule).length;
    const text = title({ who, feature: f.short, rules, found, at, budget: paid, short: shortOf(f) });
    view.words(text, subtitle(f.kind));
    say(text);
    detail(view.detail(), { feature: f, found, at, there, who, paid, missing: ask ? "" : `${who} is not in this page: it holds ${Object.keys(facts.rows).length} rows.` });
  }

  function receive(next) {
    take(next.rules);
    paid = finite(next.budget);
    budget = paid === Infinity ? "inf" : String(paid);
    place = Number(next.feature);
    const right = next.editing ?? null;
    held = right !== null && right < cards.length ? right : null;
    row = next.row;
    faults = {};
    told = JSON.stringify(present());
  }

  receive(state);
  const stop = onResize(root, () => draw({ fresh: true }));
  draw({ fresh: true });
  if (stale()) inquire();
  return {
    set(next) {
      if (JSON.stringify(present()) === JSON.stringify({ ...present(), ...next })) return;
      receive({ ...present(), ...next });
      draw({ fresh: true });
      if (stale()) inquire();
    },
    facts(next) {
      facts = next;
      cards.forEach((card) => { card.place = placeOf(card.feature, facts.features); });
      draw({ fresh: true });
    },
    destroy: stop,
  };
}
