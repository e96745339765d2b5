// One page for all pictures: which data, which picture, one budget. The server computes, the bundle draws.

import { coins, follow, mount } from "./bundle.js";
import { ownTable } from "./own.js";
import { asked, data, dataNow, goodbye, hello } from "./talk.js";

const $ = (id) => document.getElementById(id);

let study = null; // what the server says about them
let budget = 0, robust = false, name = "split", shown = null; // shown: {key, handle, state}
let turn = 0; // of several pictures that were asked for, the last one is shown

function trouble(error) {
  $("trouble").textContent = error ? `${error.message.replace(/([^.?!])$/, "$1.")}${shown ? " What was shown stays." : ""}` : "";
}

// data

async function begin() {
  try {
    learn(await hello());
    await open(name);
  } catch (error) {
    trouble(error);
  }
}

/** What the server says about the data. */
function learn(told) {
  study = told;
  budget = told.budget;
  $("about").textContent = told.about;
  const options = [...told.choices.map((c) => [c, c]), ["own", told.choice === "own" ? "your own" : "your own …"]];
  $("data").replaceChildren(...options.map(([value, words]) => new Option(words, value)));
  $("data").value = told.choice;
  tabs();
  budgetCoins({ levels: told.budgets, budget });
}

async function choose(wanted) {
  busy(true);
  try {
    learn(await data(wanted));
    trouble(null);
    await open(name);
    return true;
  } catch (error) {
    if (study) $("data").value = study.choice;
    if (!error.entries) trouble(error);
    throw error;
  } finally {
    busy(false);
  }
}

$("data").addEventListener("change", () => {
  if ($("data").value !== "own") choose({ choice: $("data").value }).catch(() => {});
  else {
    $("data").value = study.choice; // until it is there
    $("own").showModal();
  }
});

// pictures

function tabs() {
  $("tabs").replaceChildren(...study.pictures.map((p) => {
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", textContent: p.name, title: p.about, id: `tab-${p.picture}` });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "main");
    tab.dataset.picture = p.picture;
    tab.addEventListener("click", () => open(p.picture));
    return tab;
  }));
  select();
}

function select() {
  for (const tab of $("tabs").children) {
    const on = tab.dataset.picture === name;
    tab.setAttribute("aria-selected", on);
    tab.tabIndex = on ? 0 : -1;
  }
  $("main").setAttribute("aria-labelledby", `tab-${name}`);
  $("kind").hidden = !picture(name).either;
  $("use").hidden = !picture(name).builds;
}

const picture = (which) => study.pictures.find((p) => p.picture === which);

/** The picture so many tabs away. */
function step(by, { focus = false } = {}) {
  const all = study.pictures.map((p) => p.picture);
  const next = all[(all.indexOf(name) + by + all.length) % all.length];
  open(next);
  if (focus) $(`tab-${next}`).focus();
}

$("tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  step(by, { focus: true });
});

async function open(which) {
  const mine = ++turn, before = name;
  name = which;
  select();
  busy(true);
  try {
    const told = await asked("picture", { picture: which, budget, robust });
    if (mine !== turn) return;
    draw(told);
    trouble(null);
  } catch (error) {
    if (mine !== turn) return;
    if (shown) name = before;
    select();
    trouble(error);
  } finally {
    if (mine === turn) busy(false);
  }
}

function draw(told) {
  fit();
  put(told);
  for (let over = 0, tries = 0; tries < 2; tries++) { // a second time for a picture that took less than it was given
    const more = document.documentElement.scrollHeight - innerHeight; // two lines of title, say
    if (more <= 0 || more > 0.2 * innerHeight) return;
    over += more;
    fit(over);
    put(told);
  }
}

function put({ key, picture, facts, state }) {
  shown?.handle.destroy();
  const now = { key, state, sending: false, waiting: false };
  now.handle = mount($("main"), { picture, facts, state, onState: (next) => moved(now, next), ask: (question) => ask(now, question) });
  shown = now;
  document.title = `${document.querySelector("#main .tv-title")?.textContent ?? ""} – treant-viz`;
}

async function ask(now, question) {
  const told = await asked("ask", { key: now.key, question });
  if (told.error !== undefined) throw new Error(told.error);
  return told.facts;
}

/** The hand has set a state: what counts is the last one. */
async function moved(now, state) {
  now.state = { ...now.state, ...state };
  if (typeof state.budget === "number" && state.budget !== budget) {
    budget = state.budget;
    budgetCoins({ levels: study.budgets, budget });
  }
  now.waiting = true;
  if (now.sending) return;
  now.sending = true;
  try {
    while (now.waiting && now === shown) {
      now.waiting = false;
      const told = await asked("state", { key: now.key, state: now.state });
      if (now !== shown) break;
      if (told.facts) now.handle.facts(told.facts);
      if (now.waiting) continue;
      now.state = told.state;
      now.handle.set(told.state);
    }
    trouble(null);
  } catch (error) {
    if (error.gone) open(name);
    else trouble(error);
  } finally {
    now.sending = false;
  }
}

// the budget of the page

const budgetCoins = coins($("budget"), (b) => {
  budget = b;
  budgetCoins({ levels: study.budgets, budget });
  const planned = picture(name).planned && (robust || !picture(name).either);
  if (planned || !shown || !("budget" in shown.state)) open(name);
  else {
    shown.handle.set({ ...shown.state, budget });
    moved(shown, { budget });
  }
});

$("kind").addEventListener("change", (event) => {
  robust = event.target.value === "robust";
  open(name);
});

$("use").addEventListener("click", async () => {
  try {
    const { attacker } = await asked("attacker", { key: shown.key });
    await choose({ ...dataNow(), attacker });
    $("about").textContent = `All pictures now use this attacker. ${study.about}`;
  } catch (error) {
    trouble(error);
  }
});

ownTable(choose);

// Python

$("code").addEventListener("click", async () => {
  try {
    const told = await asked("code", { key: shown?.key });
    $("python").querySelector("pre").textContent = told.code;
    $("python").showModal();
  } catch (error) {
    trouble(error);
  }
});
$("copy").addEventListener("click", () => navigator.clipboard?.writeText($("python").querySelector("pre").textContent));

// for a class

async function present(on) {
  document.documentElement.classList.toggle("presenting", on);
  $("present").setAttribute("aria-pressed", on);
  if (on) await document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) await document.exitFullscreen();
  if (shown) open(name);
}

const presenting = () => document.documentElement.classList.contains("presenting");
$("present").addEventListener("click", () => present(!presenting()));
document.addEventListener("fullscreenchange", () => {
  if (!document.fullscreenElement && presenting()) present(false);
});
addEventListener("keydown", (event) => {
  if (!presenting() || event.ctrlKey || event.altKey || event.metaKey) return;
  const by = { PageDown: 1, PageUp: -1 }[event.key];
  if (by) {
    event.preventDefault();
    event.stopImmediatePropagation();
    step(by);
  } else if (event.key === "Escape" && !document.fullscreenElement) present(false);
}, true);

// the window

/** The picture has what the bar leaves of the window, less the words around it. */
function fit(over = 0) {
  const font = Math.max(16, (presenting() ? 1.18 : 1) * Math.min(26, $("main").clientWidth / 80));
  const left = innerHeight - $("bar").offsetHeight - $("about").offsetHeight - 9.6 * font - over;
  document.documentElement.style.setProperty("--tall", Math.max(0.3, left / innerHeight).toFixed(3));
}

function busy(on) {
  $("main").classList.toggle("busy", on);
  $("main").setAttribute("aria-busy", on);
}

let width = innerWidth, height = innerHeight, later = null;
addEventListener("resize", () => {
  clearTimeout(later);
  later = setTimeout(() => {
    fit();
    if (innerHeight !== height && innerWidth === width && shown) open(name); // pictures follow the width by themselves
    width = innerWidth;
    height = innerHeight;
  }, 150);
});
addEventListener("pagehide", goodbye);
addEventListener("pageshow", (event) => event.persisted && begin());

history.replaceState(null, "", location.pathname); // the token is in the cookie by now
for (const part of document.querySelectorAll("#bar, dialog")) follow(part, "auto");
const letters = ["400", "700", "italic 400"].map((style) => document.fonts.load(`${style} 1em "Treant Sans"`));
Promise.allSettled(letters).then(begin); // they are measured before the picture is laid out
