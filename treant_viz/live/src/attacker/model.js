// Rules as cards of text and back, the grid that a hand moves on, and what of the facts is within a budget. No DOM.

import { SLACK, lastAtMost } from "../facts.js";
import { faultsOf, numberIn, quoted } from "./check.js";

const MOST_COINS = 12, MOST_STAGES = 5;

export const finite = (x) => (x === "inf" ? Infinity : x === "-inf" ? -Infinity : x);
export const written = (x) => (Number.isFinite(x) ? x : x < 0 ? "-inf" : "inf");
const typed = (x) => (Number.isFinite(finite(x)) ? String(x) : "");

/** A rule of a file as a card. */
export function cardOf(rule, features) {
  const place = placeOf(rule.feature, features), swap = (rule.becomes ?? null) !== null;
  const [low, high] = (swap ? null : rule.pre) ?? ["-inf", "inf"], [least, most] = rule.delta ?? ["", ""];
  return {
    feature: features[place]?.key ?? rule.feature, kind: swap ? "category" : "number", cost: String(rule.cost),
    low: typed(low), high: typed(high), least: String(least), most: String(most),
    pre: swap ? rule.pre ?? null : null, becomes: rule.becomes ?? null, rule,
  };
}

/** The rule on a card; null if something is wrong with it. */
export function ruleOf(card) {
  if (Object.keys(faultsOf(card)).length) return null;
  const head = { feature: card.feature, cost: numberIn(card.cost) };
  if (card.kind === "category") return { ...head, pre: card.pre?.length ? [...card.pre].sort(byText) : null, becomes: card.becomes };
  const pair = (a, b) => [written(numberIn(card[a], -Infinity)), written(numberIn(card[b], Infinity))];
  return { ...head, pre: pair("low", "high"), delta: pair("least", "most") };
}

const byText = (a, b) => (String(a) < String(b) ? -1 : 1);

/** The place of a feature that a rule names, or -1. */
export function placeOf(key, features) {
  const at = features.findIndex((f) => f.key === key);
  return at >= 0 || !Number.isInteger(key) || !features[key] ? at : key;
}

/** A rule to begin with: small changes everywhere; or anything becomes the most common category. */
export function firstCard(feature, cost, span) {
  const swap = feature.kind === "category", step = round(10 * gridOf(span));
  const common = swap ? [...feature.categories].sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0))[0] : null;
  const card = { feature: feature.key, kind: feature.kind, cost, low: "", high: "", least: String(-step), most: String(step), pre: null, becomes: common?.key ?? null };
  return { ...card, rule: ruleOf(card) };
}

/** The part of the number line that is drawn: the data, the ends of rules, what one step of them reaches. */
export function domain(feature, cards, value) {
  const seen = [feature.low, feature.high, value];
  for (const { rule } of cards) {
    if (!rule?.delta) continue;
    const ends = rule.pre.map(finite), steps = rule.delta.map(finite).map((d) => value + d);
    seen.push(...[...ends, ...steps].filter(Number.isFinite));
  }
  const low = Math.min(...seen), high = Math.max(...seen), margin = 0.06 * (high - low) || 1;
  return [low - margin, high + margin];
}

/** Whether a typed end lies beyond the line that is drawn: then it is drawn anew, wider. */
export function outside([c, d], [a, b]) {
  const room = 0.05 * (b - a);
  return c < a - room || d > b + room;
}

/** A step of one, two or five, about a two-hundredth of a span. */
export function gridOf(span) {
  const size = 10 ** Math.floor(Math.log10(span / 200)), more = span / 200 / size;
  return round(size * (more < 1.5 ? 1 : more < 3.5 ? 2 : more < 7.5 ? 5 : 10));
}

export const round = (x) => Number(x.toPrecision(10));

/** The nearest point of the grid. */
export const snapped = (x, grid) => round(Math.round(x / grid) * grid);

/** Where an end may stand: the grid within a span, and infinity beyond it, below or above. */
export function stops([a, b], grid, beyond = 0) {
  const out = [];
  for (let i = Math.ceil(a / grid - 1e-9); i * grid <= b * SLACK; i++) out.push(round(i * grid));
  return beyond < 0 ? [-Infinity, ...out] : beyond > 0 ? [...out, Infinity] : out;
}

/** A cost that is one coin more, or less: the first digit changes. */
export function nextCost(cost, way) {
  if (!(cost > 0 && cost < Infinity)) return 1;
  const size = 10 ** Math.floor(Math.log10(cost * (way < 0 ? 1 - 1e-6 : 1)) + 1e-9);
  return round(cost + way * size);
}

/** Budgets one can click: multiples of the cheapest rule, and the budget itself. */
export function coinLevels(rules, budget) {
  const least = Math.min(...rules.map((r) => r.cost)), top = Math.max(Number.isFinite(budget) ? budget : 0, 4 * least);
  if (!Number.isFinite(least)) return Number.isFinite(budget) && budget > 0 ? [0, budget] : [0];
  const every = least * Math.ceil(top / least / MOST_COINS), levels = [];
  for (let i = 0; round(i * every) <= top * SLACK; i++) levels.push(round(i * every));
  if (Number.isFinite(budget) && !levels.includes(round(budget))) levels.push(budget);
  return levels.sort((a, b) => a - b);
}

/** The stages of a reach that a budget pays for, each {cost, pieces}; and whether it is all. */
export function within(reach, budget) {
  const n = lastAtMost(reach.stages.map((s) => s[0]), budget * SLACK);
  const stages = reach.stages.slice(0, n + 1).map(([cost, pieces]) => ({ cost, pieces: pieces.map((p) => (Array.isArray(p) ? p.map(finite) : p)) }));
  return { stages, whole: reach.whole || budget <= finite(reach.followed) };
}

/** The stages that get a coin: the first few, and the last. */
export const shownStages = (stages) => (stages.length <= MOST_STAGES + 1 ? stages : [...stages.slice(0, MOST_STAGES), stages[stages.length - 1]]).slice(1);

/** What a file holds, as Python reads it: cards and budget, or an error with all that is wrong. */
export function inFile(text, features) {
  const doc = JSON.parse(text), wrong = [];
  if (doc?.format !== "treant_viz.attacker" || doc.version !== 1 || !Array.isArray(doc.rules)) throw new Error("expected a file with \"format\": \"treant_viz.attacker\", \"version\": 1 and a list of rules");
  const budget = finite(doc.budget);
  if (!(typeof budget === "number" && budget >= 0)) wrong.push(`"budget": expected a number of at least 0, got ${quoted(JSON.stringify(doc.budget))}`);
  const cards = doc.rules.map((rule, i) => {
    const at = placeOf(rule?.feature, features), card = at < 0 ? null : cardOf(rule, features);
    if (!card) wrong.push(`rule ${i}: feature ${quoted(JSON.stringify(rule?.feature))} is not in this page`);
    else if (card.kind !== features[at].kind) wrong.push(`rule ${i}: ${quoted(features[at].name)} holds ${features[at].kind === "number" ? "numbers" : "categories"}`);
    else if (rule.once) wrong.push(`rule ${i}: rules that may be used once cannot be drawn by hand yet`);
    else wrong.push(...Object.values(faultsOf(card)).map((fault) => `rule ${i}: ${fault}`));
    return card && { ...card, rule: ruleOf(card) };
  });
  if (wrong.length) throw new Error(wrong.length === 1 ? wrong[0] : `${wrong.length} faults: ${wrong.slice(0, 8).join("; ")}${wrong.length > 8 ? `; and ${wrong.length - 8} more` : ""}`);
  return { cards, budget };
}
