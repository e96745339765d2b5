// mount(el, given) draws a live picture; the default export does it for anywidget. See README.md.

import { follow } from "./theme.js";
import attacker from "./attacker.js";
import attack from "./attack.js";
import certificate from "./certificate.js";
import constraints from "./constraints.js";
import curves from "./curves.js";
import growth from "./growth.js";
import search from "./search.js";
import space from "./space.js";
import split from "./split.js";
import surface from "./surface.js";
import votes from "./votes.js";
import css from "./live.css";

const PICTURES = { attack, attacker, certificate, constraints, curves, growth, search, space, split, surface, votes };

/**
 * given: {picture, facts, state, onState, ask, theme}. `ask(question)` promises new facts; without it (a static page)
 * the picture offers what its facts hold. Returns {set(state), facts(facts), destroy()}.
 */
export function mount(el, { picture, facts, state = {}, onState = () => {}, ask = null, theme = "auto" }) {
  const make = PICTURES[picture];
  if (!make) throw new Error(`picture: expected one of ${Object.keys(PICTURES).join(", ")}, got ${picture}`);
  const root = document.createElement("section");
  root.className = "tv-live";
  const style = document.createElement("style");
  style.textContent = css;
  el.replaceChildren(style, root);
  const stop = follow(root, theme);
  const drawn = make(root, { facts, state, onState, ask });
  return {
    set: drawn.set,
    facts: drawn.facts,
    destroy() {
      stop();
      drawn.destroy();
      el.replaceChildren();
    },
  };
}

/** Questions to the kernel: an answer comes with the number of its question. */
function asker(model) {
  const waiting = new Map();
  let last = 0;
  model.on("msg:custom", (message) => {
    if (message?.kind !== "answer" || !waiting.has(message.id)) return;
    const [resolve, reject] = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) resolve(message.facts);
    else reject(new Error(message.error));
  });
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, [resolve, reject]);
      model.send({ kind: "ask", id: last, question });
    });
}

function render({ model, el }) {
  const handle = mount(el, {
    picture: model.get("picture"),
    facts: model.get("facts"),
    state: model.get("state"),
    ask: asker(model),
    onState(state) {
      model.set("state", state);
      model.save_changes();
    },
  });
  const told = () => handle.set(model.get("state"));
  const learned = () => handle.facts(model.get("facts"));
  model.on("change:state", told);
  model.on("change:facts", learned);
  return () => {
    model.off("change:state", told);
    model.off("change:facts", learned);
    handle.destroy();
  };
}

export default { render };
export { coins } from "./coins.js"; // for the page around a picture
export { follow } from "./theme.js";
