// How much room there is: all of the width, at most 75 % of the window's height, and the size of letters for it. A page
// around the picture can say otherwise: `--tall` is the share of the height, `--type` makes letters larger.

/** {width, height, font, narrow}: pixels of the drawing, of its letters, and whether its parts go below each other. */
export function room(element, { tall = 0.75, ratio = 0.46, least = 400, long = 50 } = {}) {
  const given = getComputedStyle(element), told = (name, usual) => Number(given.getPropertyValue(name)) || usual;
  const share = Math.min(tall, told("--tall", 1)), type = told("--type", 1);
  const width = Math.max(300, Math.floor(element.clientWidth || 960));
  const font = Math.max(16, type * Math.min(26, width / 80));
  const narrow = width < 46 * font;
  const window_height = globalThis.innerHeight || 720;
  const height = narrow ? long * font : Math.max(least, Math.min(ratio * width, share * window_height));
  return { width, height: Math.round(height), font, narrow };
}

/** Calls draw whenever the width of an element changes; returns what stops it. */
export function onResize(element, draw) {
  let width = element.clientWidth;
  const watcher = new ResizeObserver(() => {
    if (element.clientWidth !== width && element.clientWidth > 0) {
      width = element.clientWidth;
      draw();
    }
  });
  watcher.observe(element);
  return () => watcher.disconnect();
}
