// A new element with its attributes: put(parent, "text", { x, class: "tv-soft" }).

export function put(parent, tag, attributes = {}) {
  const made = parent.append(tag);
  for (const name in attributes) made.attr(name, attributes[name]);
  return made;
}
