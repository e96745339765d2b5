// What is wrong with rules as they are typed, said as Python says it (tests/rule_cases.json holds for both). Python has
// the last word where there is one.

export const LABELS = { cost: "cost", low: "applies from", high: "applies to", least: "change from", most: "change to" };
const NUMBER = /^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|∞)$/;
const bare = (text) => String(text ?? "").trim().replaceAll("−", "-");

/** Text of a file, or of a box, as messages quote it. */
export function quoted(text) {
  const said = String(text ?? "").trim();
  return said.length <= 40 ? said : `${said.slice(0, 18)}...${said.slice(-18)}`;
}

/** What was typed as a number; NaN if it is none; nothing typed is `empty`. */
export function numberIn(text, empty = NaN) {
  const said = bare(text);
  if (said === "") return empty;
  return NUMBER.test(said) ? Number(said.replace(/inf|∞/, "Infinity")) : NaN;
}

export const budgetFault = (text) =>
  Number.isNaN(numberIn(text)) || bare(text).startsWith("-") ? `budget: expected a number of at least 0, or inf, got '${quoted(text)}'` : null;

/** Words by field; nothing if all is well. */
export function faultsOf(card) {
  const faults = {};
  const cost = read(card, "cost", faults);
  if (!Number.isNaN(cost) && !(cost > 0 && cost < Infinity)) faults.cost = `cost: expected a finite number above 0, got '${quoted(card.cost)}'`;
  if (card.kind === "category") {
    if (card.becomes === null) faults.becomes = "becomes: choose the category that it turns into";
  } else ends(card, faults);
  return faults;
}

function ends(card, faults) {
  const at = { low: read(card, "low", faults, -Infinity), high: read(card, "high", faults, Infinity) };
  at.least = read(card, "least", faults);
  at.most = read(card, "most", faults);
  for (const [a, b] of [["low", "high"], ["least", "most"]]) {
    if (at[a] > at[b]) faults[b] = `${LABELS[b]}: the low end ${quoted(card[a])} is above the high end ${quoted(card[b])}`;
    else if (at[a] === Infinity || at[b] === -Infinity) faults[b] = `${LABELS[b]}: no number lies between these ends`;
  }
}

function read(card, field, faults, empty) {
  const x = numberIn(card[field], empty);
  const hint = empty === undefined ? "" : " (or nothing: no bound)";
  if (Number.isNaN(x)) faults[field] = `${LABELS[field]}: expected a number such as 2 or 0.5${hint}, got '${quoted(card[field])}'`;
  return x;
}
