// Dragging, by mouse, pen or finger: positions come gathered, at most one a frame.

import { drag as d3drag } from "d3-drag";

/** Calls to(x, y) (in the coordinates of `frame`) while a d3 selection is dragged, and done() at its end. */
export function dragged(selection, frame, to, done = () => {}) {
  let waiting = 0, last = null;
  const flush = () => {
    waiting = 0;
    if (last) to(...last);
    last = null;
  };
  selection.call(
    d3drag().container(frame).clickDistance(3)
      .on("start", () => selection.classed("tv-dragged", true))
      .on("drag", (event) => {
        last = [event.x, event.y];
        waiting ||= requestAnimationFrame(flush);
      })
      .on("end", () => {
        cancelAnimationFrame(waiting);
        flush();
        selection.classed("tv-dragged", false);
        done();
      }),
  );
}
