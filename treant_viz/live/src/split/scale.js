// The axis of a feature: true distances, or the same room for each value where most of them crowd at one end.

import { scaleLinear } from "../scale.js";

const MOST_KNOTS = 60;
export const AXES = [["linear", "true distances"], ["even", "even"]];

/** The distinct values that rows have, in order. */
const valuesOf = (table) => table.values.filter((_, c) => table.sizes[c] > 0).map((p) => table.points[p]).sort((a, b) => a - b);

/** Would three quarters of the axis hold no more than a quarter of the distinct values? */
export function uneven(table) {
  if (table.kind !== "number") return false;
  const values = valuesOf(table), room = values[values.length - 1] - values[0];
  const between = (at) => values[Math.floor(at)] + (at % 1) * (values[Math.ceil(at)] - values[Math.floor(at)]);
  const share = (q) => (between(q * (values.length - 1)) - values[0]) / room;
  return values.length >= 8 && (share(0.75) < 0.25 || share(0.25) > 0.75);
}

/** A scale for all that can be reached; ends(scale) are its first and its last value. */
export function axisScale(table, axis, [a, b]) {
  const points = table.points, least = points[0], most = points[points.length - 1], pad = 0.045 * (most - least || 1);
  const outer = [least - pad, most + pad];
  if (axis !== "even") return scaleLinear(outer, [a, b]);
  const values = valuesOf(table), few = Math.min(MOST_KNOTS, values.length);
  const kept = Array.from({ length: few }, (_, k) => values[Math.round((k * (values.length - 1)) / Math.max(1, few - 1))]);
  const knots = [outer[0], ...new Set(kept), outer[1]];
  return scaleLinear(knots, knots.map((_, k) => a + (k * (b - a)) / (knots.length - 1)));
}

export const ends = (scale) => {
  const domain = scale.domain();
  return [domain[0], domain[domain.length - 1]];
};
