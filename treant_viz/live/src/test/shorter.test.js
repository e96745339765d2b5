import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedNames, shortChains, shortText } from "../shorter.mjs";

/** A stand-in for a selection that writes down what it is told. */
function recorder(told = []) {
  const self = {
    append(tag, more = {}) { told.push(["append", tag]); return self.attr(more); },
    attr(name, value) {
      for (const [key, v] of typeof name === "object" ? Object.entries(name) : [[name, value]]) told.push([key, v]);
      return self;
    },
    text(t) { told.push(["text", t]); return self; },
  };
  return { self, told };
}

const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

const CHAINS = [
  'g.append("a").attr("class", "x").attr("dy", 1).text("t").attr("q", null)',
  'g.append("a").append("b").attr("x", 1 + 2)',
  'g.attr("x", [1, 2].map((v) => v + 1).join()).attr("text-anchor", "end").append("c")',
  'const none = null; none?.attr("x", 1).attr("y", 2); g?.attr("x", 3).attr("y", 4)',
  'g.text(g.append("in").attr("i", 1).attr("j", 2) ? "yes" : "no").attr("k", 3)',
];

test("short chains say the same", () => {
  for (const code of CHAINS) {
    const run = (text) => {
      const { self, told } = recorder();
      new Function("g", text)(self);
      return told;
    };
    const short = shortChains(code);
    assert.deepEqual(run(short), run(code), short);
  }
  assert.equal(shortChains(CHAINS[1]), 'g.append("a").append("b", { "x": 1 + 2 })');
});

test("what occurs often gets one name: texts, as values and as keys, properties, functions of the language", () => {
  const code = '"use strict"; const a = ["text-anchor", "text-anchor", { "text-anchor": "rare" }], { "text-anchor": b } = a[2];';
  const short = sharedNames(code);
  assert.equal(short.split("text-anchor").length, 2);
  assert.ok(short.includes('"rare"'));
  assert.equal(new Function(`${short}; return a[1] + b`)(), "text-anchorrare");
  const long = "const a = { loss: null, wide: [1, 2, 3] }, none = a.loss?.widely;\n" + "out.push(Math.max(...a.wide), a.wide.length, none?.widely, a.wide?.length);\n".repeat(9);
  const told = sharedNames(long, /^wide$/), run = (text) => new Function("out", `${text}; return out;`)([]);
  assert.deepEqual(run(told), run(long));
  assert.equal(told.split("Math.max").length, 2);
  assert.equal(told.split("wide]").length, 1);
});

test("a short style sheet is the same when it is put back", () => {
  const css = `.tv-a{stroke:var(--ink);fill:none}.tv-b:focus-visible{stroke-width:2;--x:"A&F\\25a0"}`, own = (text) => new Function(`return ${text}`)();
  const long = css.repeat(20), every = `${LETTERS.join("")}.tv-stroke`;
  for (const text of ["", css, long, every]) assert.equal(own(shortText(text)), text);
  assert.ok(shortText(long).length < 0.7 * long.length);
});
