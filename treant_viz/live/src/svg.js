// One mark at a time: put(group, "circle", "tv-dot", { cx: 3, cy: 4, r: 2 }).

export function put(parent, tag, look, attributes = {}) {
  const mark = parent.append(tag).attr("class", look);
  for (const [name, value] of Object.entries(attributes)) mark.attr(name, value);
  return mark;
}
