// Boxes for exact values, each with room for what is wrong with it; and the chips of all rules.

import { create, select } from "../selection.js";
import { keys } from "../keyboard.js";
import { value } from "../format.js";
import { LABELS, numberIn } from "./check.js";
import { ruleWords } from "./words.js";

let made = 0;

/** A labelled box with its complaint: {node, show(text, fault)}. */
export function field(label, control, typed, hint = "") {
  const id = `tv-fault-${++made}`, all = create("label").attr("class", "tv-field");
  all.append("span").text(label);
  const box = all.append("input").attr("type", "text").attr("inputmode", "decimal").attr("autocomplete", "off").attr("size", 7).attr("data-control", control)
    .attr("aria-describedby", id).attr("placeholder", hint).on("input", (event) => typed(event.target.value));
  const fault = all.append("span").attr("class", "tv-fault").attr("id", id).attr("role", "alert");
  return {
    node: all.node(),
    show(text, wrong = "") {
      if (box.property("value") !== text) box.property("value", text);
      box.attr("aria-invalid", wrong ? "true" : null);
      if (fault.text() !== wrong) fault.text(wrong);
    },
  };
}

/** The boxes of the rule in hand; typed(field, text). Returns {node, show(card, faults)}. */
export function fields(typed, named) {
  const box = create("div").attr("class", "tv-fields").attr("role", "group").attr("aria-label", "exact values of the rule");
  const parts = Object.entries(LABELS).map(([name, label]) => [name, field(label, `box-${name}`, (text) => typed(name, text), name === "low" ? "−∞" : name === "high" ? "∞" : "")]);
  for (const [, part] of parts) box.append(() => part.node);
  const more = field("another category", "box-category", () => {});
  select(more.node).select("input").attr("inputmode", null).on("input", null).on("change", (event) => {
    if (event.target.value.trim()) named(event.target.value.trim());
    event.target.value = "";
  });
  box.append(() => more.node);
  const other = box.append("span").attr("class", "tv-fault").attr("role", "alert");
  return {
    node: box.node(),
    show(card, faults = {}) {
      box.attr("hidden", card ? null : "");
      if (!card) return;
      const swap = card.kind === "category";
      for (const [name, part] of parts) {
        select(part.node).attr("hidden", swap && name !== "cost" ? "" : null);
        part.show(card[name], faults[name]);
      }
      select(more.node).attr("hidden", swap ? null : "");
      other.text([faults.becomes, faults.rule].filter(Boolean).join(" "));
    },
  };
}

/** All rules as chips, one stop of the Tab key; hold(i). Returns {node, show(cards, held, faults, features)}. */
export function chips(hold) {
  const box = create("div").attr("class", "tv-rules").attr("role", "radiogroup").attr("aria-label", "rules").attr("data-control", "rules");
  let now = { cards: [], held: null };
  const go = (i) => {
    hold(i);
    box.selectAll("button").nodes()[i]?.focus();
  };
  keys(box.node(), { place: () => now.held ?? -1, count: () => now.cards.length, go, down: true });
  return {
    node: box.node(),
    show(cards, held, faults, features) {
      now = { cards, held };
      const all = box.selectAll("button").data(cards).join((enter) => {
        const button = enter.append("button").attr("type", "button").attr("role", "radio").on("click", (event, card) => hold(now.cards.indexOf(card)));
        for (const part of ["tv-coin tv-owned", "tv-name", "tv-what", "tv-fault"]) button.append("span").attr("class", part);
        return button;
      });
      all.attr("aria-checked", (_, i) => i === held).attr("tabindex", (_, i) => (i === (held ?? 0) ? 0 : -1));
      all.select(".tv-coin").text((c) => (Number.isNaN(numberIn(c.cost)) ? "?" : value(numberIn(c.cost))));
      all.select(".tv-name").text((c) => features[c.place].short);
      all.select(".tv-what").text((c) => ruleWords(c.rule, shortOf(features[c.place])));
      all.select(".tv-fault").text((_, i) => (faults[i] ? "⚠ not taken over yet" : ""));
      all.attr("title", (c) => `${features[c.place].name}: ${ruleWords(c.rule)}`);
    },
  };
}

/** Short names of a feature's categories. */
export const shortOf = (feature) => (key) => feature.categories?.find((c) => c.key === key)?.short ?? String(key);
