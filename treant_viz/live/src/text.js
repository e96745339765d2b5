// Typeset mathematics: "L^A", "D_L", "ŷ" become letters with real sub- and superscripts, in SVG and in HTML.

const PART = /(\*[^*]+\*)|([_^])(\{[^}]*\}|.)/g; // *italic*, ^A, _L, ^{long}

/** "*L*^A" as a list of {text, shift, italic}. */
export function parts(markup) {
  const out = [];
  let last = 0;
  for (const m of markup.matchAll(PART)) {
    if (m.index > last) out.push({ text: markup.slice(last, m.index), shift: 0, italic: false });
    if (m[1]) out.push({ text: m[1].slice(1, -1), shift: 0, italic: true });
    else out.push({ text: m[3].replace(/[{}]/g, ""), shift: m[2] === "^" ? -1 : 1, italic: false });
    last = m.index + m[0].length;
  }
  if (last < markup.length) out.push({ text: markup.slice(last), shift: 0, italic: false });
  return out;
}

/** Writes markup into an SVG <text> (a selection). Names that users chose are never markup: give them as `plain`. */
export function mathText(text, markup, plain = "") {
  text.text(null);
  let level = 0;
  for (const { text: words, shift, italic } of parts(markup)) {
    const span = text.append("tspan").text(words);
    if (shift) span.attr("font-size", "0.72em");
    if (italic) span.attr("font-style", "italic");
    const rise = shift * (shift < 0 ? 0.36 : 0.22);
    // em of the small letters for what is raised, of the large ones for what follows
    if (rise !== level) span.attr("dy", `${shift ? (rise - level) / 0.72 : -level}em`);
    level = rise;
  }
  if (plain) text.append("tspan").attr("dy", level ? `${-level}em` : null).text(plain);
  return text;
}

/** The same as HTML elements, appended to a DOM node. */
export function mathHtml(node, markup) {
  for (const { text, shift, italic } of parts(markup)) {
    const part = document.createElement(shift < 0 ? "sup" : shift > 0 ? "sub" : italic ? "i" : "span");
    part.textContent = text;
    node.appendChild(part);
  }
  return node;
}
