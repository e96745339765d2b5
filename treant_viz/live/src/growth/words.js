// The takeaway of a step: a sentence that is true of this picture, and how to read it.

import { capital, counted, nodeName, number, shortened, value } from "../format.js";
import { asks, there } from "./model.js";

export const test = (split, longest = 26) => `${shortened(split.feature, longest)} ${split.sign} ${typeof split.threshold === "string" ? shortened(split.threshold, 20) : value(split.threshold)}`;
export const where = (node) => nodeName(node.path);

export function title({ node, taken, before, after, reason }, attacked) {
  const loss = attacked ? "the loss under attack" : "the loss";
  const [a, b] = [number(before), number(after)];
  const change = after < before && a !== b ? `${loss} falls from ${a} to ${b}` : after > before && a !== b ? `${loss} rises from ${a} to ${b}` : `${loss} stays ${b}`;
  return taken ? `${capital(where(node))} asks ${test(node.split)}: ${change}` : `${capital(where(node))} stays a leaf (${reason}): ${change}`;
}

/** Only of what the picture shows. */
export function subtitle(facts, tree, step) {
  const shown = tree.nodes.filter((n) => there(n, step)), said = [];
  if (shown.length > 1) said.push("Ribbons are rows");
  if (shown.some((n) => n.flow?.unknown)) said.push("hatched: where the attacker sends them");
  if (shown.some((n) => n.flow?.pushed)) said.push("coin: the price");
  if (shown.some((n) => n.feasible && !asks(n, step))) said.push("green: what a leaf may predict");
  if (facts.binary) said.push("dark: share of label 1");
  if (shown.some((n) => n.step > step)) said.push("dashed: to come");
  return capital(said.join("; ") || "a single leaf holds all rows");
}

/** A node, for those who do not see it. */
export function spoken(node, step, prediction) {
  const head = capital(where(node)), rows = counted(node.rows, "row");
  if (!asks(node, step)) return `${head}: a leaf of ${rows}, says ${number(prediction)}`;
  const { left, unknown, right } = node.split;
  return `${head}: asks ${test(node.split)} of ${rows}, ${number(left)} left, ${number(unknown)} up to the attacker, ${number(right)} right`;
}

export const ORDERS = [
  ["loss_under_attack", "loss under attack"], ["loss", "loss"], ["plain_loss", "standard leaves: loss"],
  ["plain_loss_under_attack", "standard leaves: under attack"], ["order", "place in the search"], ["feature", "feature"], ["threshold", "threshold"],
  ["left", "rows left"], ["unknown", "rows up to the attacker"], ["right", "rows right"], ["y_l", "left leaf"], ["y_r", "right leaf"],
];
