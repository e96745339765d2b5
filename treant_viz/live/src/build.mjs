// Bundles all pictures into one file: node build.mjs [target]. Users never need this; the bundle is committed.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { sharedNames, shortChains, shortText } from "./shorter.mjs";

const OURS = /^(append|attr|classed|selectAll)$/; // names of selection.js that nothing else here calls

/** The style sheet as a module that holds its text, without what only people read. */
async function smallCss({ path }) {
  const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: "es2021" });
  return { contents: `export default ${shortText(nested(code))}`, loader: "js" };
}

/** Rules one after the other that begin with the same class stand in it: `.a .b{} .a .c{}` is `.a{.b{} .c{}}`. */
function nested(code) {
  let out = "", open = "";
  for (const [rule] of code.trim().matchAll(/@[^{]*\{(?:[^{}]*\{[^{}]*\})*\}|[^{}]*\{[^{}]*\}/g)) {
    const name = rule.match(/^(\.tv-[a-z]+) [^(]*\{/)?.[1], end = rule.indexOf("{"), parts = rule.slice(0, end).split(",");
    const shared = name && parts.every((selector) => selector.startsWith(`${name} `)) ? name : "";
    if (shared !== open) out += `${open && "}"}${shared && `${shared}{`}`;
    open = shared;
    out += shared ? parts.map((selector) => selector.slice(name.length + 1)).join() + rule.slice(end) : rule;
  }
  return out + (open && "}");
}

const here = dirname(fileURLToPath(import.meta.url));
const form = { format: "esm", target: "es2022", charset: "utf8", legalComments: "none" };
const whole = await build({
  absWorkingDir: here,
  entryPoints: ["main.js"],
  bundle: true,
  write: false,
  treeShaking: true,
  plugins: [{ name: "small css", setup: (made) => made.onLoad({ filter: /\.css$/ }, smallCss) }],
  ...form,
});
await build({
  stdin: { contents: sharedNames(shortChains(whole.outputFiles[0].text), OURS) },
  outfile: process.argv[2] ?? join(here, "..", "bundle.js"),
  bundle: true,
  minify: true,
  mangleProps: OURS,
  ...form,
});

// A lock file that names no registry: npm writes addresses, we take them out.
const lock = join(here, "package-lock.json");
const before = readFileSync(lock, "utf8");
const after = before.replace(/^\s*"resolved": "[^"]*",\n/gm, "");
if (after !== before && !process.argv[2]) writeFileSync(lock, after);
