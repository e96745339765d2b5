// The takeaway: a sentence that is true of these lines, or of this map, and how to read it.

import { number, shortened } from "../format.js";
import { STEADY } from "./model.js";

/** Measures stand below each other: always three places. */
export const three = (v) => v.toFixed(3).replace("-", "−");

export function title({ subject, other, x, measure, m, price, state }) {
  if (!subject) return `No curve of ${measure} is known here`;
  const name = shortened(subject.name);
  if (state.view !== "curves") return wrongGuess(name, price, measure, m) ?? lone(subject, measure, m);
  const { span, fall } = subject.line, grows = `as the ${x} grows`;
  if (span[m] > STEADY) {
    const falls = Math.abs(fall[m] - span[m]) < 1e-9;
    return `${name} ${falls ? "falls" : "moves"} by ${number(span[m], 2)} ${grows}`;
  }
  const head = `${name} ${span[m] === 0 ? "does not move at all" : "hardly moves"} ${grows}`;
  return other && other.line.fall[m] > STEADY ? `${head}, while ${shortened(other.name)} falls by ${number(other.line.fall[m], 2)}` : head;
}

/** What it costs to be trained for another budget than the attacker's. */
function wrongGuess(name, price, measure, m) {
  if (!price || price.little[m] === null || price.much[m] === null) return null;
  const [dear, cheap] = [["too little", price.little[m]], ["too much", price.much[m]]].sort((a, b) => b[1] - a[1]);
  if (dear[1] <= 0) return `${name}: to expect the wrong budget costs no ${measure} anywhere`;
  const rest = cheap[1] > 0 ? `at most ${number(cheap[1], 2)}` : "nothing";
  return `${name}: to expect ${dear[0]} costs up to ${number(dear[1], 2)} of ${measure}, ${cheap[0]} ${rest}`;
}

function lone({ name, line }, measure, m) {
  const known = line.value[m].filter((v) => v !== null);
  return `${shortened(name)}: trained for one budget, ${measure} from ${number(Math.max(...known))} to ${number(Math.min(...known))}`;
}

export function subtitle({ state, trains, paper, shown, subject }) {
  if (state.view !== "curves") return "A row is a model, trained for one budget and attacked with many. Framed: trained for just this attacker.";
  const said = [trains.length ? "Drag either line: trained for, attacked with" : "Drag the line, or point at a budget"];
  if (state.bands && subject && subject.line.low[subject.m].some((v) => v !== null)) said.push(`band: interval of ${shortened(subject.name)}`);
  if (paper.some(([, model]) => shown.some((l) => l.place === model))) said.push("hollow: as the paper prints it");
  return `${said.join("; ")}.`;
}
