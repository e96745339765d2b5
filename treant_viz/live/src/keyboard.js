// What keys do to something that has stops in a row: arrows go one on or back, Page keys ten, Home and End to the ends.

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** The place that a key leads to among n stops, from place i (which may be -1: before all); null: not our key. */
export function placeFor(key, i, n, { down = false } = {}) {
  if (n < 1) return null;
  if (key === "Home") return 0;
  if (key === "End") return n - 1;
  let step = STEPS[key];
  if (step === undefined) return null;
  if (down && (key === "ArrowUp" || key === "ArrowDown")) step = -step; // lists are read downwards
  return Math.max(0, Math.min(n - 1, i + step));
}

/** Ties keys to an element: go(place) for a move, and Enter or Escape if they mean something. */
export function keys(node, { place, count, go, enter, escape, down }) {
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if ((event.key === "Enter" || event.key === " ") && enter) enter();
    else if (event.key === "Escape" && escape) escape();
    else {
      const next = placeFor(event.key, place(), count(), { down });
      if (next === null) return;
      go(next);
    }
    event.preventDefault();
    event.stopPropagation(); // JupyterLab has keys of its own
  });
}
