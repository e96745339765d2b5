// A number on the screen that is a fact stands in an element that names it, in full precision: tests and screen
// readers find it there.

export const SLACK = 1 + 1e-9; // three times 0.1 is within a budget of 0.3

/** Marks a selection as showing the fact `name`. */
export function fact(selection, name, value) {
  return selection.attr("data-fact", name).attr("data-value", value === null ? "inf" : String(value));
}

/** The last place in sorted `at` whose entry is at most x; -1 if there is none. */
export function lastAtMost(at, x) {
  let low = 0, high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
