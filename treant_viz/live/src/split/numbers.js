// A feature that holds numbers: the rows on its axis, the line that can be dragged, and the losses below.

import { bottomAxis } from "../axis.js";
import { dragged } from "../drag.js";
import { handle as line } from "../handle.js";
import { keys } from "../keyboard.js";
import { round } from "../steps.js";
import { curves } from "./curves.js";
import { crowd, inLanes, lanes } from "./lanes.js";
import { domainOf, nearest, placeOf } from "./model.js";
import { axisScale, ends } from "./scale.js";
import { testOf } from "./words.js";

export function numbers(group, { table, y, name, axis, font, box, fills, soft, onRow, set }) {
  const few = inLanes(table, 0.45 * box.y1, font), margin = few ? 7.2 * font : 3.6 * font;
  const plot = { x0: box.x0 + margin, x1: box.x1 - 2.2 * font, y0: 2.5 * font, y1: 0.53 * box.y1 };
  const below = { ...plot, y0: 0.575 * box.y1, y1: box.y1 - 2.9 * font };
  const points = table.points, x = axisScale(table, axis, [plot.x0, plot.x1]);

  const shades = [0, 2].map((s) => group.append("rect").attr("class", "tv-shade").attr("fill", soft[s]).attr("y", plot.y0).attr("height", plot.y1 - plot.y0));
  const rows = (few ? lanes : crowd)(group.append("g"), { table, y, x, box: plot, font, fills, onRow });
  const ground = group.append("rect").attr("class", "tv-hit tv-ground").attr("x", plot.x0).attr("width", plot.x1 - plot.x0)
    .attr("y", below.y0).attr("height", below.y1 - below.y0);
  const labels = group.append("g").attr("class", "tv-through");
  const losses = curves(group.append("g").attr("class", "tv-through"), { labels, x, box: below, font });
  bottomAxis(group.append("g"), x, below.y1, font);
  group.append("text").attr("class", "tv-axis-name").attr("x", (plot.x0 + plot.x1) / 2).attr("y", below.y1 + 2.6 * font).attr("text-anchor", "middle").text(name);

  let level = null, threshold = 0;
  const handle = line(group, plot.y0, below.y1, font);
  labels.raise(); // above the line, wherever it is
  const to = (px) => {
    const next = nearest(level, x.invert(px));
    if (next !== threshold) set({ threshold: next });
  };
  dragged(handle.group, group.node(), to);
  dragged(ground, group.node(), to);
  ground.on("click", (event) => to(event.offsetX ?? 0));
  keys(handle.group.node(), {
    place: () => placeOf(table, level, threshold) - (level.thresholds[placeOf(table, level, threshold)] < threshold ? 0.5 : 0) - 1,
    count: () => level.thresholds.length - 1,
    go: (i) => set({ threshold: level.thresholds[Math.ceil(i) + 1] }),
  });

  return {
    light: rows.light,
    update(shown, side, state) {
      [level, threshold] = [shown.level, state.threshold];
      const at = x(Math.min(ends(x)[1], Math.max(ends(x)[0], threshold)));
      shades[0].attr("x", plot.x0).attr("width", round(at - plot.x0));
      shades[1].attr("x", round(at)).attr("width", round(plot.x1 - at));
      rows.update(side, shown.level);
      losses(shown, at, domainOf(table, state.plan));
      handle.update(at, testOf(table, name, threshold), threshold, [points[0], points[points.length - 1]], plot);
    },
  };
}
