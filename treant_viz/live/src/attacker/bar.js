// What stands around the picture: which feature and which row one looks at, and what can be done with the rules.

import { create, select } from "../selection.js";
import { keys } from "../keyboard.js";

/** Feature and row; `name(text, kind)` makes a feature where there are no data. Returns {show(...)}. */
export function choosers(view, { look, row, name }) {
  const label = select(view.bar("tv-feature")).append("label").text("feature ");
  const list = label.append("select").attr("data-control", "feature").attr("aria-label", "feature").on("change", (event) => look(Number(event.target.value)));
  if (name) naming(view.bar("tv-feature"), name);
  const row_bar = select(view.bar("tv-row-chooser"));
  const step = (by, sign, label) => row_bar.append("button").attr("type", "button").attr("aria-label", label).text(sign).on("click", () => to(at() + by));
  step(-1, "‹", "previous row");
  const which = row_bar.append("span").attr("role", "slider").attr("tabindex", 0).attr("aria-label", "row").attr("data-control", "row");
  step(1, "›", "next row");
  let now = { rows: [0], row: 0 };
  const at = () => Math.max(0, now.rows.indexOf(now.row));
  const to = (i) => row(now.rows[Math.max(0, Math.min(now.rows.length - 1, i))]);
  keys(which.node(), { place: at, count: () => now.rows.length, go: to });
  return {
    show({ facts, place, row: i, cards, ask }) {
      const rows = ask ? Array.from({ length: facts.count }, (_, r) => r) : Object.keys(facts.rows).map(Number).sort((a, b) => a - b);
      now = { rows, row: i };
      const rules = facts.features.map((_, f) => cards.filter((c) => c.place === f).length);
      list.selectAll("option").data(facts.features).join("option").attr("value", (_, f) => f)
        .text((f, j) => f.short + (rules[j] ? ` (${rules[j]} rule${rules[j] === 1 ? "" : "s"})` : ""));
      list.property("value", String(place));
      const said = facts.data ? `row ${facts.rows[i]?.name ?? `x${i}`}` : `value ${i + 1} of ${facts.count}`;
      which.text(said).attr("aria-valuemin", rows[0]).attr("aria-valuemax", rows[rows.length - 1]).attr("aria-valuenow", i).attr("aria-valuetext", said);
    },
  };
}

/** A feature that no rule names yet. */
function naming(node, name) {
  const box = select(node).append("input").attr("type", "text").attr("size", 10).attr("placeholder", "another feature").attr("aria-label", "another feature").attr("data-control", "new-feature");
  const kind = select(node).append("select").attr("aria-label", "its values are").attr("data-control", "new-kind");
  kind.selectAll("option").data([["number", "numbers"], ["category", "categories"]]).join("option").attr("value", (d) => d[0]).text((d) => d[1]);
  box.on("change", () => {
    const text = box.property("value").trim();
    box.property("value", "");
    if (text) name(text, kind.property("value"));
  });
}

/** Buttons for rules and files; returns {node, show({held, undo, feature})}. */
export function bar({ add, twice, remove, undo, load, save }) {
  const box = create("div").attr("class", "tv-bar-of-controls tv-tools");
  const button = (control, text, act) => box.append("button").attr("type", "button").attr("data-control", control).text(text).on("click", act);
  const adds = button("add", "", add), doubles = button("duplicate", "Duplicate", twice), drops = button("remove", "Remove", remove), undoes = button("undo", "Undo", undo);
  const file = box.append("input").attr("type", "file").attr("accept", ".json,application/json").attr("hidden", "").attr("data-control", "file").on("change", (event) => {
    const [chosen] = event.target.files;
    if (chosen) chosen.text().then((text) => load(text, chosen.name));
    event.target.value = "";
  });
  button("load", "Load …", () => file.node().click()).attr("title", "A rule file (JSON). It stays on this machine.");
  button("download", "Download", () => download(save())).attr("title", "The rules and the budget as a file (JSON)");
  return {
    node: box.node(),
    show({ held, undo: left, feature }) {
      adds.text(`Add a rule on ${feature}`);
      doubles.attr("disabled", held === null ? "" : null);
      drops.attr("disabled", held === null ? "" : null);
      undoes.attr("disabled", left ? null : "");
    },
  };
}

function download(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = create("a").attr("href", url).attr("download", "attacker.json").node();
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
