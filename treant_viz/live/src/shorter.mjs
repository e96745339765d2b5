// Two ways to write the same program shorter, for the bundle alone: sources stay as they are read best.

import { parse } from "acorn";

const WORTH = 8; // letters: below, a name of its own saves nothing

const read = (code) => parse(code, { ecmaVersion: 2022, sourceType: "module" });

/** Calls act(node, parent) for each node of the syntax tree. */
function walk(node, act, parent = null) {
  if (typeof node?.type !== "string") return;
  act(node, parent);
  for (const part of Object.values(node)) for (const child of [part].flat()) walk(child, act, node);
}

/** The code with each edit, [start, end, text], made. */
function edited(code, edits) {
  let out = "", at = 0;
  for (const [start, end, text] of edits.sort((a, b) => a[0] - b[0])) {
    out += code.slice(at, start) + text;
    at = end;
  }
  return out + code.slice(at);
}

const calls = (node, name, count) =>
  node.type === "CallExpression" && node.callee.property?.name === name && node.arguments.length === count && node.arguments[0].type === "Literal";

/** .append("g").attr("class", "a").attr("x", 1) becomes .append("g", { class: "a", x: 1 }), which selection.js takes as well. */
export function shortChains(code) {
  const edits = [], done = new Set();
  walk(read(code), (node) => {
    if (!calls(node, "attr", 2) || done.has(node)) return;
    const chain = [node];
    while (calls(chain[0].callee.object, "attr", 2)) chain.unshift(chain[0].callee.object);
    for (const call of chain) done.add(call);
    const first = chain[0].callee.object, within = calls(first, "append", 1);
    if (!within && chain.length === 1) return;
    chain.forEach((call, i) => {
      const [name, value] = call.arguments, open = i ? ", " : within ? ", { " : ".attr({ ";
      edits.push([call.callee.object.end - (within && !i ? 1 : 0), value.start, `${open}${name.raw}: `]);
      edits.push([value.end, call.end, i < chain.length - 1 ? "" : " })"]);
    });
  });
  return edited(code, edits);
}

/** Texts that occur often get a name, once. */
export function sharedTexts(code) {
  const places = new Map();
  walk(read(code), (node, parent) => {
    const text = node.type === "Literal" && typeof node.value === "string" && !parent.directive ? node.raw : null;
    if (text) places.set(text, [...(places.get(text) ?? []), { node, key: parent.type === "Property" && parent.key === node && !parent.computed }]);
  });
  const names = [], edits = [];
  for (const [text, found] of places) {
    const spelt = found.reduce((sum, { key }) => sum + text.length - (key ? 4 : 2), 0);
    if (spelt - text.length < WORTH) continue;
    for (const { node, key } of found) edits.push([node.start, node.end, key ? `[text_${names.length}]` : `text_${names.length}`]);
    names.push(`text_${names.length} = ${text}`);
  }
  return `const ${names.join(", ")};\n${edited(code, edits)}`;
}
