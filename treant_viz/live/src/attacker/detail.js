// The line below the form: a row, its value, and all that the budget can make of it.

import { fact } from "../facts.js";
import { value } from "../format.js";
import { shortOf } from "./fields.js";

/** `there` is what the page knows of the row: if nothing, `missing` says so. */
export function detail(line, { feature, found, at, there, who, paid, missing }) {
  if (!there) {
    line.text(missing);
    return;
  }
  line.append("b").text(`${who} `);
  line.append("span").text(`${feature.name} = ${typeof at === "number" ? value(at) : shortOf(feature)(at)}`);
  if (there.y !== null) {
    line.append("span").text(", y = ");
    fact(line.append("span"), "row_y", there.y).text(value(there.y));
  }
  if (found && typeof at === "number") pieces(line.append("span"), found);
  if (!Number.isFinite(paid)) line.append("span").text(" Pictures that count coins need a budget that ends.");
}

/** All that the budget reaches, to the last digit. */
function pieces(line, found) {
  const all = found.stages[found.stages.length - 1].pieces;
  line.append("span").text(" can become ");
  all.slice(0, 4).forEach(([low, high], j) => {
    line.append("span").text(j ? " or [" : "[");
    fact(line.append("span"), `piece_${j}_low`, low).text(value(low));
    line.append("span").text(", ");
    fact(line.append("span"), `piece_${j}_high`, high).text(value(high));
    line.append("span").text("]");
  });
  if (all.length > 4) line.append("span").text(` and ${all.length - 4} more`);
  if (!found.whole) line.append("span").text(`, and further: followed up to a cost of ${value(found.stages[found.stages.length - 1].cost)}`);
}
