// A box for the name or the number of a row.

import { create } from "./selection.js";

export function finder(node, go) {
  const label = create("label").text("row "), box = label.append("input").attr("type", "search").attr("data-control", "find")
    .attr("aria-label", "find a row by its name or number");
  box.on("change", (event) => go(event.target.value)).on("focus", (event) => event.target.select());
  node.appendChild(label.node());
  return (name) => box.property("value", name);
}
