// What is said of a plane; the titles are those of the static picture.

import { counted, number, value } from "../format.js";

const MOST = 6; // features that stand still and are named

export function title({ rows, level, plane, name }) {
  if (!rows.length) return `No row sees the tree as it looks in this plane of ${name[0]} and ${name[1]}`;
  const all = counted(rows.length, "row");
  if (!level.at_risk) return `No row can be pushed across a border here: none of ${all} is at risk`;
  if (!level.hit) return `${number(level.at_risk)} of ${all} can be pushed across a border, but no push there costs anything`;
  return `${number(level.hit)} of ${all} can be pushed to a worse prediction: squared error ${number(plane.loss)} → ${number(level.loss)}`;
}

export const subtitle = ({ budget }) =>
  `The attacker may spend ${value(budget)}. Band or box: all they can make of a row; arrow: their worst move, and its cost on the coin. ` +
  "A point on a border belongs to the side on its left, or below.";

/** What stands still, and who is not shown. */
export function slice({ plane, facts, rows }) {
  const still = plane.fixed.slice(0, MOST).map(([f, v]) => `${facts.features[f].name} = ${value(v)}`).join(", ");
  const more = plane.fixed.length > MOST ? ` and ${plane.fixed.length - MOST} more` : "", others = facts.rows.at.length - rows.length;
  const hidden = others ? ` ${counted(others, "row")}, for which the tree looks different here, ${others === 1 ? "is" : "are"} not shown.` : "";
  return still ? `A slice: ${still}${more} ${plane.fixed.length === 1 ? "stands" : "stand"} still.${hidden}` : hidden.trim();
}

/** A row in words, for those who hear it. */
export function heard({ facts, plane, name, chosen: row }) {
  if (!row) return "no row";
  const said = (w) => number(plane.regions.prediction[w.region]);
  return `${facts.rows.name[row.at]}, label ${number(row.label)}, predicted ${said(row.own)}${row.hurt ? `, under attack ${said(row.worst)}` : ""}`;
}

/** A coordinate: a number, or the category at that place. */
export const pointOf = (plane, k, v) => (plane.categories[k] ? plane.categories[k][v] : value(v));
