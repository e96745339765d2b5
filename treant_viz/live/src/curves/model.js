// What the curves show in a state: looked up in the facts. Places in the facts are numbers, the state has names.

export const STEADY = 0.05; // a measure that moves no more than this hardly moves
const least = (list, of) => list.reduce((a, b) => (of(b) < of(a) ? b : a));

/** The facts with what drawing needs beside them: the range of every panel, for axes that stay put. */
export function opened(facts) {
  const ends = facts.datasets.map((_, d) => facts.measures.map((_, m) => {
    const mine = facts.lines.filter((l) => l.dataset === d);
    const all = mine.flatMap((l) => [...l.value[m], ...l.low[m], ...l.high[m]]).filter((v) => v !== null);
    return [Math.min(...all), Math.max(...all)];
  }));
  const of = (reading, dataset) => facts.lines.filter((l) => l.reading === reading && l.dataset === dataset);
  const sorted = (list) => [...new Set(list)].sort((a, b) => a - b);
  return {
    ...facts,
    ends,
    trains: (r, d) => sorted(of(r, d).map((l) => l.train).filter((k) => k > 0)),
    budgets: (r, d) => sorted(of(r, d).flatMap((l) => l.budgets)),
    /** The line of a model that was trained for a budget; one that knows no attacker has a single line. */
    line: (r, d, model, train) => {
      const mine = of(r, d).filter((l) => l.model === model);
      return mine.find((l) => l.train === train) ?? mine.find((l) => !l.train);
    },
  };
}

/** A state that can be: another data set has other budgets, and one that is missing becomes the largest. */
export function settled(facts, state) {
  const r = facts.readings.indexOf(state.reading), d = facts.datasets.indexOf(state.dataset);
  const pick = (list, x) => (list.includes(x) ? x : list.length ? list[list.length - 1] : null);
  return { ...state, train: pick(facts.trains(r, d), state.train), budget: pick(facts.budgets(r, d), state.budget) };
}

/** Everything of a state: lines with their models, who the title is about, and what there is to choose. */
export function present(facts, state) {
  const r = facts.readings.indexOf(state.reading), d = facts.datasets.indexOf(state.dataset);
  const m = facts.measures.findIndex((q) => q.key === state.measure);
  const lines = facts.models.map(({ name, look }, i) => {
    const line = facts.line(r, d, i, state.train);
    return line && { name, look, line, shown: state.methods.includes(name), place: i, m };
  }).filter(Boolean);
  const shown = lines.filter((l) => l.shown && l.line.span[m] !== null), moved = (l) => l.line.span[m];
  const subject = shown.find((l) => l.name === state.focus) ?? (shown.length ? least(shown, moved) : null);
  const rest = shown.filter((l) => l !== subject && l.line.fall[m] > 0);
  return {
    r, d, m, lines, shown, subject, state,
    other: rest.length ? least(rest, (l) => -l.line.fall[m]) : null,
    trains: facts.trains(r, d), budgets: facts.budgets(r, d), x: facts.x, measure: facts.measures[m].name,
    trained: state.train ?? facts.trained[d],
    paper: facts.paper.filter(([pd, , train, , pm]) => pd === d && pm === m && (train === null || train === state.train)),
    price: subject && facts.prices.find((p) => p.reading === r && p.dataset === d && p.model === subject.place),
  };
}

/** The value (or low, or high) of a line at a budget, by measure; null if it is not known. */
export function valueAt(line, budget, m, what = "value") {
  const k = line.budgets.indexOf(budget);
  return k < 0 ? null : line[what][m][k];
}

/** The points of a line that are known, as [budget, value]; of a band as [budget, low, high]. */
export const points = (line, m) => line.budgets.map((b, k) => [b, line.value[m][k]]).filter((p) => p[1] !== null);
export const band = (line, m) => line.budgets.map((b, k) => [b, line.low[m][k], line.high[m][k]]).filter((p) => p[1] !== null && p[2] !== null);

export const nearest = (list, x) => least(list, (b) => Math.abs(b - x));

/** Places close to the values, about `step` apart, inside [low, high] if there is room: neighbours push each other. */
export function spread(values, step, low, high) {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]), places = order.map((i) => values[i]);
  for (let round = 0; round < 200; round++)
    places.forEach((_, k) => {
      const lack = k ? Math.max(0, step - (places[k] - places[k - 1])) / 2 : 0;
      if (k) places[k - 1] = Math.max(low, places[k - 1] - lack);
      places[k] = Math.min(high, places[k] + lack);
    });
  return values.map((_, i) => places[order.indexOf(i)]);
}
