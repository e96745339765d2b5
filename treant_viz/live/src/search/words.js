// The takeaway of a search: a sentence that is true of this node, and how to read it.

import { counted, nodeName, number, shortened, value } from "../format.js";

export const testOf = ({ feature, kind, threshold }, longest = 16) =>
  `${shortened(feature, longest)} ${kind === "category" ? "=" : "≤"} ${kind === "category" ? shortened(threshold, longest - 3) : value(threshold)}`;

/** standard and robust: the tests of the two choices; robust is null where no test leaves rows on both sides. */
export function title({ search, standard, robust, attacked }) {
  const stays = search.taken ? "" : ", but the node stays a leaf", n = search.at.size;
  if (!attacked && search.tied.length) return `${1 + search.tied.length} of ${counted(n, "test")} share the least loss${stays}; the first is ${testOf(standard)}`;
  if (!attacked) return `The best of ${counted(n, "test")} is ${testOf(standard)}${stays}`;
  if (!robust) return `No test leaves rows on both sides under attack; if nobody attacks ${testOf(standard)} is best`;
  if (search.standard === search.robust) return `${testOf(standard)} is best with and without the attacker${stays}`;
  return `${testOf(standard)} is best if nobody attacks, ${testOf(robust)} under attack${stays}`;
}

export function subtitle(attacked, loss) {
  return attacked
    ? `The ${loss} of every test: thin if nobody attacks, heavy and gold under attack; the lowest point is chosen. Click a feature, drag the line.`
    : `The ${loss} of every test; nobody attacks here. Click a feature, drag the line.`;
}

/** What it means to choose without the attacker in mind: parts of a sentence, facts as [name, value]. */
export function moral({ search, standard, robust, attacked }) {
  if (!attacked || !robust) return ["Without a split the loss would be ", ["leaf_loss", search.leaf_loss], "."];
  const out = ["Under attack, what is best if nobody attacks would lose ", ["standard_under_attack", standard.line.plain_loss_under_attack[standard.i]],
    " with its own leaves; what is best under attack loses ", ["robust_under_attack", robust.line.loss_under_attack[robust.i]], "."];
  return search.tied.length ? [...out, ` ${counted(search.tied.length, "other test")} ${search.tied.length === 1 ? "is" : "are"} as good as it.`] : out;
}

/** How a node is called in the list of nodes. */
export const nodeWords = ({ path, rows, differ }, attacked) => `${nodeName(path).slice(4)} · ${counted(rows, "row")}${attacked ? (differ ? " · differ" : " · same") : ""}`;

export const spoken = (test, line, i) =>
  `${testOf(test)}: loss ${number(line.plain_loss[i])}, under attack ${number(line.loss_under_attack[i])}`;
