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
}

function go(to, open = false) {
  now = Math.max(0, Math.min(slides.length - 1, to));
  told = open && asks(slides[now]);
  document.activeElement?.blur?.();
  show();
}

const forward = () => (asks(slides[now]) && !told ? go(now, true) : now < slides.length - 1 && go(now + 1));
const back = () => (told ? go(now) : now > 0 && go(now - 1, true));

function notes() {
  const open = document.body.classList.toggle("with-notes");
  byId("notes").setAttribute("aria-pressed", String(open));
  fit(slides[now]);
}

const full = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
const KEYS = {
  ArrowRight: forward, PageDown: forward, " ": forward, ArrowLeft: back, PageUp: back,
  Home: () => go(0), End: () => go(slides.length - 1), n: notes, N: notes, f: full, F: full,
  Escape: () => document.activeElement?.blur?.(),
};

document.addEventListener("keydown", (event) => {
  const inside = event.target.closest?.(".tv-live, button, .notes"); // a picture's own keys come first; Escape gives them back
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  if (inside && !["PageDown", "PageUp", "n", "N", "Escape"].includes(event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("next").addEventListener("click", forward);
byId("back").addEventListener("click", back);
byId("notes").addEventListener("click", notes);
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
