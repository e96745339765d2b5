// Elements to draw with, in d3's words: select(root).append("g").attr("class", "tv-dot").on("click", act). Only what the
// pictures use; a selection is one flat list of elements.

const SPACES = { svg: "http://www.w3.org/2000/svg", html: "http://www.w3.org/1999/xhtml" };

/** An element as it may stand in `parent`: in a drawing, one of SVG. */
function made(tag, parent) {
  const space = tag === "svg" ? SPACES.svg : parent.namespaceURI ?? SPACES.html;
  return document.createElementNS(space, tag);
}

const given = (node, datum) => Object.assign(node, { __data__: datum });
/** A child shows what its parent shows. */
const heir = (node, parent) => (node && "__data__" in parent ? given(node, parent.__data__) : node);
/** What a setter was told for one element: a value, or a function of (datum, place). */
const told = (value, node, i) => (typeof value === "function" ? value.call(node, node.__data__, i) : value);

class Selection {
  constructor(nodes, parent) {
    this.all = nodes.filter(Boolean);
    this.parent = parent;
  }
  nodes() { return this.all; }
  node() { return this.all[0] ?? null; }
  each(act) {
    this.all.forEach((node, i) => act.call(node, node.__data__, i));
    return this;
  }
  /** Sets one attribute, or several: attr({ x: 1, y: 2 }); null takes one away; no value asks for it. */
  attr(name, value) {
    if (typeof name === "object") {
      for (const key in name) this.attr(key, name[key]);
      return this;
    }
    if (arguments.length === 1) return this.node().getAttribute(name);
    return this.#set(value, (node, v) => ((v ?? null) === null ? node.removeAttribute(name) : node.setAttribute(name, v)));
  }
  style(name, value) { return this.#set(value, (node, v) => node.style.setProperty(name, v ?? "")); }
  property(name, value) {
    if (arguments.length === 1) return this.node()[name];
    return this.#set(value, (node, v) => { node[name] = v; });
  }
  text(value) {
    if (!arguments.length) return this.node().textContent;
    return this.property("textContent", value);
  }
  html(value) { return this.#set(value, (node, v) => { node.innerHTML = v ?? ""; }); }
  classed(name, value) { return this.#set(value, (node, v) => node.classList.toggle(name, Boolean(v))); }
  #set(value, act) { return this.each(function set(_, i) { act(this, told(value, this, i)); }); }

  /** A new last child of each element, with its datum; `make` is a tag, or a function that returns an element. */
  append(make, attributes = {}) {
    const add = (parent) => heir(parent.appendChild(typeof make === "function" ? make() : made(make, parent)), parent);
    return new Selection(this.all.map(add), this.node()).attr(attributes);
  }
  /** A new child before the first one that `before` (a CSS selector) finds. */
  insert(tag, before) {
    const add = (parent) => heir(parent.insertBefore(made(tag, parent), parent.querySelector(before)), parent);
    return new Selection(this.all.map(add), this.node());
  }
  remove() { return this.each(function remove() { this.remove(); }); }
  raise() { return this.each(function raise() { this.parentNode.appendChild(this); }); }
  lower() { return this.each(function lower() { this.parentNode.prepend(this); }); }
  /** Brings the elements into the order that they have in the list. */
  order() {
    this.all.reduceRight((next, node) => {
      if (next && next.previousElementSibling !== node) next.parentNode.insertBefore(node, next);
      return node;
    }, null);
    return this;
  }

  /** The first element in each that the CSS selector finds; it takes over the datum. */
  select(selector) { return new Selection(this.all.map((parent) => heir(parent.querySelector(selector), parent)), this.node()); }
  selectAll(selector) { return new Selection(this.all.flatMap((parent) => [...parent.querySelectorAll(selector)]), this.node()); }
  filter(test) { return new Selection(this.all.filter((node, i) => test.call(node, node.__data__, i)), this.parent); }
  /** selectAll("g").data(list, key).join("g"): one element for each entry of the list; `key` says which belong together. */
  data(list, key = (_, i) => i) { return { join: (how) => join(this, [...list], key, how) }; }

  /** on("click.name", act) calls act(event, datum), in place of an earlier act of that type and name; null: no more. */
  on(types, act) {
    return this.each(function listen() {
      const heard = (this.__on__ ??= {});
      for (const type of types.split(" ")) {
        const [event] = type.split(".");
        if (heard[type]) this.removeEventListener(event, heard[type]);
        heard[type] = act && ((happened) => act.call(this, happened, this.__data__));
        if (act) this.addEventListener(event, heard[type]);
      }
    });
  }
}

/** `how`: the tag of new elements, or a function that makes them from what enters. Elements without an entry go. */
function join(selection, list, key, how) {
  const { parent } = selection, old = new Map();
  selection.each(function keep(d, i) { old.set(key(d, i), this); });
  const kept = list.map((d, i) => {
    const k = key(d, i), node = old.get(k);
    old.delete(k);
    return node && given(node, d);
  });
  for (const node of old.values()) node.remove();
  const fresh = list.filter((_, i) => !kept[i]);
  const added_as = (tag) => fresh.map((d) => given(parent.appendChild(made(tag, parent)), d));
  const enter = { append: (tag, attributes = {}) => new Selection(added_as(tag), parent).attr(attributes) };
  const added = (typeof how === "function" ? how(enter) : enter.append(how)).nodes();
  let next = 0;
  return new Selection(kept.map((node) => node ?? added[next++]), parent).order();
}

export const select = (node) => new Selection([node], null);
export const create = (tag) => select(made(tag, document.documentElement));

/** Where the pointer is, in the coordinates of `node`. */
export function pointer(event, node) {
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(node.getScreenCTM().inverse());
  return [x, y];
}
