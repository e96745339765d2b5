// Three ways to write the same program shorter, for the bundle alone: sources stay as they are read best.

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
      const [name, value] = call.arguments, open = i ? ", " : within ? ", { " : `${call.callee.optional ? "?" : ""}.attr({ `;
      edits.push([call.callee.object.end - (within && !i ? 1 : 0), value.start, `${open}${name.raw}: `]);
      edits.push([value.end, call.end, i < chain.length - 1 ? "" : " })"]);
    });
  });
  return edited(code, edits);
}

const GLOBALS = ["JSON", "Math", "Number", "Object"]; // whose functions need no `this`

/** What a node could have a name for: a text, the name of a property, a function of the language. */
function named(code, node, parent, kept) {
  const spelt = code.slice(node.start, node.end), member = parent?.type === "MemberExpression" && parent.property === node && !parent.computed;
  if (node.type === "Literal" && typeof node.value === "string" && !parent.directive) {
    return { name: JSON.stringify(node.value), key: parent.type === "Property" && parent.key === node && !parent.computed, node };
  }
  if (node.type === "MemberExpression" && GLOBALS.includes(node.object.name) && !node.computed) return { name: spelt, node };
  const own = member && node.type === "Identifier" && !kept.test(node.name) && !GLOBALS.includes(parent.object.name);
  return own ? { name: JSON.stringify(node.name), dot: code[node.start - 2] === "?" ? 2 : 1, node } : null;
}

/** What occurs often is named, once; properties that `kept` matches stay as they are. */
export function sharedNames(code, kept = /^$/) {
  const places = new Map();
  walk(read(code), (node, parent) => {
    const found = named(code, node, parent, kept);
    if (found) places.set(found.name, [...(places.get(found.name) ?? []), found]);
  });
  const names = [], edits = [];
  for (const [name, found] of places) {
    const saved = found.reduce((sum, { node, key, dot }) => sum + node.end - node.start - (key || dot ? 4 : 2) + (dot === 1), 0);
    if (saved - name.length < WORTH) continue;
    const own = `name_${names.length}`;
    for (const { node, key, dot } of found) {
      edits.push([node.start - (dot === 1), node.end, key || dot ? `[${own}]` : own]);
    }
    names.push(`${own} = ${name}`);
  }
  return `const ${names.join(", ")};\n${edited(code, edits)}`;
}

const FRAGMENTS = [".tv-", ":var(--", "stroke", "-width:", "fill", ":focus-visible", "font-weight:650", ":none", "opacity:", "cursor:pointer", "coin-edge"]; // what a style sheet says again and again
const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

/** An expression for a style sheet: each fragment is one letter that the text lacks, and put back when the picture is opened. */
export function shortText(text) {
  const spare = LETTERS.filter((letter) => !text.includes(letter) && !"\"\\`".includes(letter)).slice(0, FRAGMENTS.length);
  const used = FRAGMENTS.slice(0, spare.length), short = used.reduce((t, fragment, i) => t.replaceAll(fragment, spare[i]), text);
  return `${JSON.stringify(used)}.reduce((t, fragment, i) => t.replaceAll("${spare.join("")}"[i], fragment), ${JSON.stringify(short)})`;
}
