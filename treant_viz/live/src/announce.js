// A live region: says what changed, once things have come to rest.

export function announcer(root, wait = 400) {
  const region = document.createElement("div");
  region.className = "tv-heard";
  region.setAttribute("role", "status");
  region.setAttribute("aria-live", "polite");
  root.appendChild(region);
  let timer = 0;
  return function say(text) {
    clearTimeout(timer);
    if (text !== region.textContent) timer = setTimeout(() => { region.textContent = text; }, wait);
  };
}
