// What the surface shows in a state: looked up in the facts, never computed. Runs of SLSQP are the kernel's, or the page's.

const near = (a, b) => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b));

/** The name of a surface: a node, a test, with its constraints or without. */
export function keyOf(facts, { path, test, constrained }) {
  const bound = facts.nodes.constraints[facts.nodes.path.indexOf(path)] > 0;
  return `${path}:${test}:${constrained && bound ? 1 : 0}`;
}

/** Run i of the columns as one record. */
export function runAt(runs, i) {
  const { words, status, ...columns } = runs;
  const one = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[i]]));
  const [code, verdict] = words[status[i]].split(/: (.*)/s);
  return { ...one, stuck: one.stuck === 1, code, verdict, success: code === "0", steps: one.walk.length / 2 - 1 };
}

/** The run from a start, if it is known: one of the grid, or one that was asked for. */
export function runFrom(table, l, r) {
  for (const runs of [table.asked, table.runs]) {
    const i = (runs?.start_l ?? []).findLastIndex((a, k) => near(a, l) && near(runs.start_r[k], r));
    if (i >= 0) return runAt(runs, i);
  }
  return null;
}

/** Everything that is shown in a state; null where the facts lack its surface. */
export function present(facts, state) {
  const table = facts.tables[keyOf(facts, state)], node = facts.nodes.path.indexOf(state.path);
  if (!table || !facts.tests[state.path]) return null;
  const stuck = table.runs.stuck.reduce((a, b) => a + b, 0);
  return {
    table, test: testAt(facts, state.path, state.test), bound: facts.nodes.constraints[node] > 0 && state.constrained,
    run: runFrom(table, state.start_l, state.start_r), starts: table.runs.stuck.length, stuck,
  };
}

export function testAt(facts, path, i) {
  const t = facts.tests[path];
  return { feature: facts.features[t.feature[i]], sign: t.sign[i], threshold: t.threshold[i] };
}

/** The known start that is nearest to a place. */
export function nearestStart({ runs }, l, r) {
  let best = 0;
  const far = (i) => (runs.start_l[i] - l) ** 2 + (runs.start_r[i] - r) ** 2;
  for (let i = 1; i < runs.start_l.length; i++) if (far(i) < far(best)) best = i;
  return runs.start_l.length ? [runs.start_l[best], runs.start_r[best]] : [l, r];
}

/** The known start next to (l, r) in a direction; (l, r) itself where there is none. */
export function nextStart({ runs }, l, r, dx, dy) {
  let best = null, least = Infinity;
  runs.start_l.forEach((a, i) => {
    const along = (a - l) * dx + (runs.start_r[i] - r) * dy, aside = Math.abs((a - l) * dy) + Math.abs((runs.start_r[i] - r) * dx);
    if (near(along, 0) || along < 0 || along + 3 * aside >= least) return;
    [best, least] = [[a, runs.start_r[i]], along + 3 * aside];
  });
  return best ?? [l, r];
}

/** A place within the range, on its steps; written without the rounding of a computer's arithmetic. */
export function stepped([low, high, step], x) {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const at = Number((Math.round(x / step) * step).toFixed(digits)) + 0; // not -0
  return Math.max(low, Math.min(high, at));
}
