// A categorical rule: what may be changed, the coin, and what it becomes; a bar in each pill counts its rows.

import { create, select } from "../selection.js";
import { coinOf, showCoin } from "./line.js";
import { keys } from "../keyboard.js";
import { numberIn } from "./check.js";

/** HTML after `node`; `on`: {swap({pre, becomes}), cost(way), category(name)}. Returns update(card), and its element. */
export function pills({ feature, font, on }) {
  const box = create("div").attr("class", "tv-swap");
  const all = feature.categories, most = Math.max(...all.map((c) => c.rows ?? 0), 1);
  const share = (c) => `${(100 * (c.rows ?? 0)) / most}%`;
  const from = side("changes from", "from", "group"), middle = box.append("div").attr("class", "tv-swap-coin"), to = side("into", "becomes", "radiogroup");
  const svg = middle.append("svg").attr("width", 6 * font).attr("height", 3 * font).attr("viewBox", `0 0 ${6 * font} ${3 * font}`).attr("font-size", font);
  svg.append("path").attr("class", "tv-change").attr("d", `M0,${1.5 * font}H${5.8 * font}m${-0.5 * font},${-0.5 * font}l${0.5 * font},${0.5 * font}l${-0.5 * font},${0.5 * font}`);
  const coin = coinOf(svg, font, on.cost).attr("transform", `translate(${2.7 * font},${1.5 * font})`);
  let card = null;

  function side(words, control, role) {
    const part = box.append("div").attr("class", "tv-side");
    part.append("p").attr("class", "tv-caption").text(words).append("span").attr("class", "tv-any");
    return part.append("div").attr("class", "tv-pills").attr("role", role).attr("aria-label", words).attr("data-control", control);
  }
  const button = (place) => {
    const made = place.selectAll("button").data(all).join("button").attr("type", "button").attr("title", (c) => String(c.key)).style("--share", share);
    made.append("span").text((c) => c.short);
    made.filter((c) => c.rows !== null).append("span").attr("class", "tv-count").attr("data-fact", (c) => `rows_${c.key}`).attr("data-value", (c) => c.rows).text((c) => c.rows.toLocaleString("en"));
    return made;
  };
  const sources = button(from).on("click", (event, c) => {
    const now = card.pre ?? [];
    const next = now.includes(c.key) ? now.filter((k) => k !== c.key) : [...now, c.key];
    on.swap({ pre: next.length ? next : null });
  });
  const aims = button(to).attr("role", "radio").on("click", (event, c) => on.swap({ becomes: c.key }));
  const go = (i) => {
    on.swap({ becomes: all[i].key });
    aims.nodes()[i].focus();
  };
  keys(to.node(), { place: () => all.findIndex((c) => c.key === card.becomes), count: () => all.length, go, down: true });
  const any = select(from.node().parentNode).select(".tv-any");

  function update(next) {
    card = next;
    sources.attr("aria-pressed", (c) => Boolean(card.pre?.includes(c.key)));
    aims.attr("aria-checked", (c) => c.key === card.becomes).attr("tabindex", (c, i) => (c.key === card.becomes || (card.becomes === null && i === 0) ? 0 : -1));
    any.text(card.pre ? ` ${card.pre.length} of ${all.length}` : " any of them");
    showCoin(coin, numberIn(card.cost), true);
  }
  return { node: box.node(), update };
}
