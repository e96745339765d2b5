// A box for the name or the number of a row.

import { create } from "./selection.js";

/** `rows()` gives the facts, whose rows have names; `set({ row })` is called with what was found. Returns update(name). */
export function finder(view, rows, set) {
  const label = create("label").text("row "), box = label.append("input").attr("type", "search").attr("data-control", "find")
    .attr("aria-label", "find a row by its name or number");
  box.on("focus", (event) => event.target.select()).on("change", (event) => {
    const text = event.target.value, row = found(rows(), text);
    if (row === null) view.complain(`row: no row is called “${text}”`);
    else set({ row });
  });
  view.bar("tv-find").appendChild(label.node());
  return (name) => box.property("value", name);
}

/** The first row whose name has these letters in it, or, for a number, the row at that place. */
export function found(facts, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const names = facts.rows.name.map((n) => n.toLowerCase());
  const exact = names.findIndex((n) => n === wanted || n === `row ${wanted}`);
  if (exact >= 0) return facts.rows.at[exact];
  if (/^\d+$/.test(wanted) && Number(wanted) < facts.n) return Number(wanted);
  const part = names.findIndex((n) => n.includes(wanted));
  return part >= 0 ? facts.rows.at[part] : null;
}
