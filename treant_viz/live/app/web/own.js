// A table of one's own: the dialog, and files that are dropped onto the page.

import { asked } from "./talk.js";

const $ = (id) => document.getElementById(id);
const files = { csv: null, rules: null };

/** `choose` makes a table the page's data. */
export function ownTable(choose) {
  for (const entry of ["csv", "rules"]) $(entry).addEventListener("change", (event) => take(entry, event.target.files[0]));
  $("own-cancel").addEventListener("click", () => $("own").close());
  $("own").querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const entry of ["csv", "target", "rules", "budget", "own"]) say(entry, "");
    try {
      await choose({ choice: "own", ...files, target: $("target").value, budget: $("own-budget").value });
      $("own").close();
    } catch (error) {
      for (const [entry, words] of Object.entries(error.entries ?? { own: error.message })) say(entry, words);
    }
  });

  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    if (!$("own").open) $("own").showModal();
    for (const file of event.dataTransfer.files) {
      const entry = /\.json$/i.test(file.name) ? "rules" : "csv", list = new DataTransfer();
      list.items.add(file);
      $(entry).files = list.files;
      await take(entry, file);
    }
  });
}

async function take(entry, file) {
  files[entry] = null;
  say(entry, "");
  if (!file) return;
  try {
    files[entry] = { name: file.name, content: await content(file) };
    if (entry === "csv") columns(await asked("columns", { csv: files.csv }));
  } catch (error) {
    files[entry] = null;
    say(entry, error.message);
  }
}

function content(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error(`${file.name}: cannot be read`));
    reader.readAsDataURL(file);
  });
}

function columns({ columns }) {
  const before = $("target").value;
  $("target").replaceChildren(...columns.map((c) => new Option(c, c)));
  $("target").value = columns.includes(before) ? before : columns[columns.length - 1] ?? "";
}

const say = (entry, words) => ($(`${entry}-wrong`).textContent = words);
