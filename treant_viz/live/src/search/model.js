// A node's search in columns, looked up by candidate: which line it is on, its numbers, both curves of a feature.

const SISTERS = { y_l: "plain_y_l", y_r: "plain_y_r", loss: "plain_loss", loss_under_attack: "plain_loss_under_attack" };
export const NUMBERS = ["left", "unknown", "right", ...Object.values(SISTERS), ...Object.keys(SISTERS)];
export const SLOTS = 8; // features beside each other in the list

/** A search with its curves, and where each candidate is; made once. */
export function opened(search) {
  if (search.at) return search;
  search.at = new Map();
  search.lines.forEach((line, l) => {
    for (const [name, plain] of Object.entries(SISTERS)) line[name] ??= line[plain];
    line.order.forEach((candidate, i) => search.at.set(candidate, { l, i }));
    line.curve = curve(line);
    line.best = best(line);
  });
  return search;
}

/** Both losses over the threshold: each height holds from its place to the next. */
function curve(line) {
  if (line.kind === "category") return { at: line.threshold, loss: line.plain_loss, attacked: line.loss_under_attack };
  const { at, loss, attacked = loss } = line.between;
  const all = at.map((t, i) => [t ?? -Infinity, loss[i], attacked[i]]);
  line.threshold.forEach((t, i) => all.push([t, line.plain_loss[i], line.loss_under_attack[i]]));
  all.sort((a, b) => a[0] - b[0]);
  const [places, ...both] = [0, 1, 2].map((k) => all.map((point) => point[k]));
  return { at: places, loss: both[0], attacked: both[1] };
}

/** The place of the least loss under attack that may be chosen. */
function best(line) {
  const cost = line.loss_under_attack.map((loss, i) => (line.one_sided.includes(i) || loss === null ? Infinity : loss));
  return cost.reduce((least, loss, i) => (loss < cost[least] ? i : least), 0);
}

/** The candidate in a state: its line, its place there, its test. */
export function present(facts, state) {
  const search = opened(facts.searches[state.path]);
  const { l, i } = search.at.get(state.candidate);
  return { search, l, i, line: search.lines[l], path: state.path, candidate: state.candidate };
}

/** The test of a candidate, and the lines of the standard and the robust choice with it. */
export function testAt(search, candidate) {
  const { l, i } = search.at.get(candidate), line = search.lines[l];
  return { feature: line.feature, kind: line.kind, threshold: line.threshold[i], line, i };
}

/** The place of the threshold nearest to x. */
export function nearest(thresholds, x) {
  return thresholds.reduce((best, t, i) => (Math.abs(t - x) < Math.abs(thresholds[best] - x) ? i : best), 0);
}

/** The features in view: those of the page on which the shown one is. */
export const pageOf = (search, l) => {
  const first = SLOTS * Math.floor(l / SLOTS);
  return { first, shown: search.lines.slice(first, first + SLOTS), rest: search.lines.length - Math.min(SLOTS, search.lines.length - first) };
};
