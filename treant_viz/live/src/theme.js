// Light or dark: as asked for, else as the page or JupyterLab says, else as the system prefers; follows changes.

const dark = () => globalThis.matchMedia?.("(prefers-color-scheme: dark)");

export function themeOf(asked = "auto") {
  if (asked === "light" || asked === "dark") return asked;
  const page = document.documentElement.dataset.theme;
  if (page) return page;
  const lab = document.body?.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  return dark()?.matches ? "dark" : "light";
}

/** Keeps root's data-theme right; returns what stops it. */
export function follow(root, asked) {
  const put = () => root.setAttribute("data-theme", themeOf(asked));
  const watcher = new MutationObserver(put), query = dark();
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  query?.addEventListener("change", put);
  put();
  return () => {
    watcher.disconnect();
    query?.removeEventListener("change", put);
  };
}
