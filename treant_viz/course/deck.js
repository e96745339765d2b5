// Moves through a lecture: one slide at a time, its question before its picture, everything within the window.

const slides = [...document.querySelectorAll(".slide")];
const byId = (id) => document.getElementById(id);
const asks = (slide) => slide.querySelector(".question") !== null;
let now = 0;
let told = false; // the picture of a slide with a question is shown

for (const slide of slides) { // what is made smaller to fit
  const shown = slide.querySelector(".shown");
  const inner = document.createElement("div");
  inner.className = "fitted";
  inner.append(...shown.childNodes);
  shown.append(inner);
}

/** Make what is shown as large as there is room for. */
function fit(slide) {
  const shown = slide.querySelector(".shown"), inner = shown.firstElementChild;
  const style = getComputedStyle(shown.parentElement);
  const room = shown.clientHeight || shown.parentElement.clientHeight - parseFloat(style.paddingTop);
  const largest = inner.querySelector("img, .tv-live") || slide.matches(".title, .live") ? 1 : 1.6; // a quotation is read from the last row
  for (let scale = largest; scale > 0.35; scale -= 0.05) {
    inner.style.width = `${100 / scale}%`;
    inner.style.transform = `scale(${scale})`;
    inner.style.setProperty("--room", `${room * scale}px`);
    if (inner.scrollHeight * scale <= room && inner.scrollWidth <= inner.clientWidth + 1) return;
  }
}

function show() {
  for (const [i, slide] of slides.entries()) {
    slide.classList.toggle("now", i === now);
    slide.inert = i !== now;
  }
  const slide = slides[now];
  slide.classList.toggle("asking", asks(slide) && !told);
  slide.classList.toggle("told", asks(slide) && told);
  slide.querySelector(".shown").inert = asks(slide) && !told;
  byId("place").textContent = `${now + 1} of ${slides.length} · ${slide.dataset.when}`;
  byId("back").disabled = now === 0 && !told;
  byId("next").disabled = now === slides.length - 1;
  history.replaceState(null, "", `#${now + 1}${told ? "!" : ""}`);
  fit(slide);
  tellSpeaker();
}

function go(to, open = false) {
  now = Math.max(0, Math.min(slides.length - 1, to));
  told = open && asks(slides[now]);
  if (now > 0) began ??= Date.now();
  document.activeElement?.blur?.();
  show();
}

const forward = () => (asks(slides[now]) && !told ? go(now, true) : now < slides.length - 1 && go(now + 1));
const back = () => (told ? go(now) : now > 0 && go(now - 1, true));

const full = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
const KEYS = {
  ArrowRight: forward, PageDown: forward, " ": forward, ArrowLeft: back, PageUp: back,
  Home: () => go(0), End: () => go(slides.length - 1), n: openNotes, N: openNotes, f: full, F: full,
  Escape: () => document.activeElement?.blur?.(),
};

// The speaker's window: on the laptop's own screen, while the slides are on the wall.

let speaker = null;
let began = null; // when the first slide was left
const LOOK = "body { font: 1.35rem/1.5 sans-serif; margin: 1.5rem 2rem; color: #1b1b1b; background: #fff; } h1 { font-size: 1.5rem; margin: 0.3rem 0; } "
  + "#clock { font-variant-numeric: tabular-nums; color: #555; } #then { color: #555; border-top: 1px solid #ccc; padding-top: 0.7rem; }";

function openNotes() {
  if (speaker && !speaker.closed) return speaker.focus();
  speaker = window.open("", "treant-speaker", "popup,width=900,height=700");
  if (!speaker) {
    byId("place").textContent = "The browser blocked the speaker's window: allow pop-ups for this page, or print the notes";
    return;
  }
  const made = speaker.document;
  made.title = "Speaker's notes";
  made.head.replaceChildren(Object.assign(made.createElement("style"), { textContent: LOOK }));
  made.body.replaceChildren(...["clock", "now", "then"].map((id) => Object.assign(made.createElement("div"), { id })));
  made.addEventListener("keydown", pressed, true);
  tellSpeaker();
}

function tellSpeaker() {
  if (!speaker || speaker.closed) return;
  const slide = slides[now], later = slides[now + 1], made = speaker.document;
  const title = Object.assign(made.createElement("h1"), { textContent: slide.querySelector("h1").textContent });
  const spoken = made.createElement("div"), place = made.createElement("p");
  spoken.innerHTML = slide.querySelector(".notes").innerHTML;
  const stage = asks(slide) ? (told ? "The picture is on the wall. " : "The question is on the wall. ") : "";
  place.textContent = `${stage}${slide.dataset.when}, ${slide.dataset.minutes} minutes for this slide`;
  made.getElementById("now").replaceChildren(title, place, spoken);
  const next = asks(slide) && !told ? "the answer" : later ? later.querySelector("h1").textContent : "the end";
  made.getElementById("then").textContent = `Next: ${next}`;
  tick();
}

function tick() {
  if (!speaker || speaker.closed) return;
  const seconds = began ? Math.floor((Date.now() - began) / 1000) : 0;
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} since the first slide`;
  speaker.document.getElementById("clock").textContent = clock;
}
setInterval(tick, 1000);
addEventListener("pagehide", () => speaker?.close());

// Keys. Page Down and Page Up (a clicker's keys) always lead on. The arrows, Space, Home and End do so, too, whatever was
// dragged or clicked before; only while somebody works with the keyboard alone, a control reached by Tab keeps them.

let byTab = false;
addEventListener("pointerdown", () => { byTab = false; }, true);

function keeps(target, key) {
  if (key === "PageDown" || key === "PageUp" || key === "Escape") return false;
  if (target.matches?.("textarea, input:not([type=range], [type=checkbox], [type=radio])")) return true;
  return byTab && !"nNfF".includes(key) && Boolean(target.closest?.(".tv-live, button"));
}

function pressed(event) {
  if (event.key === "Tab") byTab = true;
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS) || keeps(event.target, event.key)) return;
  event.preventDefault();
  event.stopPropagation(); // before a picture sees it
  KEYS[event.key]();
}

document.addEventListener("keydown", pressed, true);
byId("next").addEventListener("click", forward);
byId("back").addEventListener("click", back);
byId("notes").addEventListener("click", openNotes);
addEventListener("resize", () => fit(slides[now]));

const place = /^#(\d+)(!?)$/.exec(location.hash);
go(place ? place[1] - 1 : 0, place?.[2] === "!");

for (const slide of slides.filter((s) => s.classList.contains("live"))) { // live pictures come a moment later, and grow
  const inner = slide.querySelector(".fitted");
  let height = 0;
  new ResizeObserver(() => {
    if (inner.scrollHeight > height && slide === slides[now]) fit(slide);
    height = Math.max(height, inner.scrollHeight);
  }).observe(inner);
}
