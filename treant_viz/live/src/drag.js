// Dragging, by mouse, pen or finger: positions come gathered, at most one a frame.

import { pointer } from "./selection.js";

const CLICK = 3; // pixels: who moves less has clicked

/** Calls to(x, y) (in the coordinates of `frame`) while a selection is dragged, and done() at its end. */
export function dragged(selection, frame, to, done = () => {}) {
  let waiting = 0, last = null;
  const flush = () => {
    waiting = 0;
    if (last) to(...last);
    last = null;
  };
  selection.style("touch-action", "none").on("pointerdown.drag", (down) => {
    if (down.button || down.ctrlKey) return;
    const hears = new AbortController(), on = (type, act) => addEventListener(type, (event) => event.pointerId === down.pointerId && act(event), { signal: hears.signal });
    let far = false;
    selection.classed("tv-dragged", true);
    on("pointermove", (event) => {
      far ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > CLICK;
      last = pointer(event, frame);
      waiting ||= requestAnimationFrame(flush);
    });
    const end = () => {
      hears.abort();
      cancelAnimationFrame(waiting);
      flush();
      selection.classed("tv-dragged", false);
      if (far) silent();
      done();
    };
    on("pointerup", end);
    on("pointercancel", end);
  });
}

/** The click that follows a drag means nothing. */
function silent() {
  const stop = (event) => event.stopImmediatePropagation();
  addEventListener("click", stop, { capture: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
}
