// One of a few: a row of buttons that is one stop of the Tab key, with arrows inside (a radio group).

import { select } from "./selection.js";
import { keys } from "./keyboard.js";

/** options: [[value, words], ...]; returns update(value), which returns the node. */
export function choices(node, label, control, options, set) {
  let now = options[0][0];
  const group = select(node).attr("class", "tv-choices").attr("role", "radiogroup").attr("aria-label", label)
    .attr("data-control", control);
  const buttons = group.selectAll("button").data(options).join("button").attr("type", "button").attr("role", "radio")
    .attr("data-value", (o) => o[0]).text((o) => o[1]).on("click", (event, o) => set(o[0]));
  const place = () => options.findIndex((o) => o[0] === now);
  const go = (i) => {
    set(options[i][0]);
    buttons.nodes()[i].focus();
  };
  keys(node, { place, count: () => options.length, go, down: true });
  return function update(value) {
    now = value;
    buttons.attr("aria-checked", (o) => o[0] === value).attr("tabindex", (o) => (o[0] === value ? 0 : -1));
    return node;
  };
}
