"""A picture as one HTML file: nothing is loaded from anywhere, and several frames can be stepped through.

Without JavaScript, and on paper, all frames are shown one below the other.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treant_viz.viz.output.export import svg
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html
from treant_viz.viz.style.typeface import font_face

if TYPE_CHECKING:
    from treant_viz.viz.display import Display

_TAG = re.compile(r"<[A-Za-z][^>]*>")  # attributes of ours and of matplotlib hold no bare ">"
_REFERENCE = re.compile(r'(\sid="|url\(#|href="#)')
_NOISE = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", re.DOTALL)

_STYLE = """
:root { color-scheme: %(scheme)s; }
body { margin: 0; padding: 1rem; background: %(background)s; color: %(ink)s;
  font: 1.1rem/1.5 "Treant Sans", system-ui, sans-serif; }
main { max-width: 80rem; margin: 0 auto; }
figure { margin: 0 0 1.5rem; }
figure > svg { display: block; width: 100%%; height: auto; max-height: 82vh; }
[hidden] { display: none !important; }
h1.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%%);
  white-space: nowrap; }
.controls { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0; }
button { font: inherit; min-width: 3rem; padding: .3rem .8rem; cursor: pointer; color: %(ink)s;
  background: %(background)s; border: 2px solid %(soft)s; border-radius: .4rem; }
button[aria-disabled=true] { color: %(soft)s; border-color: %(faint)s; cursor: default; }
button:focus-visible, input:focus-visible, summary:focus-visible {
  outline: 3px solid %(ink)s; outline-offset: 2px; }
input[type=range] { flex: 1 1 12rem; accent-color: %(left)s; }
.caption { min-height: 3em; margin: 0; }
@media print { figure[hidden] { display: block !important; } .controls, .caption { display: none; } }
"""

_SCRIPT = """
"use strict";
function stepper(group) {
  const find = part => document.getElementById(group.id + "-" + part);
  const frames = Array.from(group.querySelectorAll("figure"));
  const captions = frames.map(frame => frame.querySelector("figcaption").textContent);
  const slider = find("slider"), caption = find("caption"), play = find("play");
  const last = frames.length - 1;
  let now = 0, timer = null;
  function show(i) {
    now = Math.max(0, Math.min(last, i));
    frames.forEach((frame, j) => { frame.hidden = j !== now; });
    caption.textContent = captions[now];
    slider.value = String(now + 1);
    slider.setAttribute("aria-valuetext", captions[now]);
    for (const part of ["first", "back"]) find(part).setAttribute("aria-disabled", String(now === 0));
    for (const part of ["next", "last"]) find(part).setAttribute("aria-disabled", String(now === last));
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    caption.setAttribute("aria-live", "polite");
  }
  function start() {
    if (now === last) show(0);
    play.textContent = "Pause";
    caption.setAttribute("aria-live", "off");
    timer = setInterval(() => { show(now + 1); if (now === last) pause(); }, 1500);
  }
  function go(i) { pause(); show(i); }
  const moves = {
    first: () => go(0), back: () => go(now - 1), next: () => go(now + 1), last: () => go(last),
  };
  for (const [part, move] of Object.entries(moves)) find(part).addEventListener("click", move);
  play.addEventListener("click", () => { if (timer === null) start(); else pause(); });
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  const alone = document.querySelectorAll(".stepper").length === 1;
  (alone ? document : group).addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === slider || !(event.key in keys)) return;
    event.preventDefault();
    moves[keys[event.key]]();
  });
  for (const frame of frames) frame.querySelector("figcaption").hidden = true;
  find("controls").hidden = caption.hidden = false;
  show(0);
}
document.querySelectorAll(".stepper").forEach(stepper);
"""

_CONTROLS = """<div class="controls" id="{name}-controls" role="group" aria-label="{label}" hidden>
<button type="button" id="{name}-first" aria-label="First {what}" title="First {what} (Home)">|◀</button>
<button type="button" id="{name}-back" aria-label="Previous {what}"
  title="Previous {what} (left arrow)">◀</button>
<button type="button" id="{name}-play" title="Play all, or pause">Play</button>
<button type="button" id="{name}-next" aria-label="Next {what}" title="Next {what} (right arrow)">▶</button>
<button type="button" id="{name}-last" aria-label="Last {what}" title="Last {what} (End)">▶|</button>
<input type="range" id="{name}-slider" aria-label="{label}" min="1" max="{count}" step="1" value="1">
</div>
<p class="caption" id="{name}-caption" role="status" aria-live="polite" hidden></p>
"""


def page(display: Display, palette: Palette = LIGHT) -> str:
    """The frames of a display as a document that works from disk, with a stepper if there are several."""
    frames = display.frames()
    if not frames:
        raise ValueError(f"display: a {type(display).__name__} without frames has nothing to show")
    if len(frames) == 1:
        return document(display.title, figure(display, "f0-", palette), palette, script=False)
    return document(display.title, stepper(frames, "step", palette), palette)


def document(
    title: str, body: str, palette: Palette = LIGHT, *, script: bool = True, heading: bool = False
) -> str:
    """A whole page; its title is seen as a heading, or only heard where a picture says it already."""
    hidden = "" if heading else ' class="heard"'
    code = f"<script>{_SCRIPT}</script>\n" if script else ""
    return (
        f"{_head(title, palette, script=script)}<body>\n<main>\n<h1{hidden}>{for_html(title)}</h1>\n"
        f"{body}</main>\n{code}</body>\n</html>\n"
    )


def stepper(
    frames: Sequence[Display],
    name: str,
    palette: Palette = LIGHT,
    *,
    what: str = "step",
    labels: Sequence[str] | None = None,
) -> str:
    """Frames with buttons and a slider; `what` they are, and a label for each (by default "Step 1 of 3")."""
    said = labels or [f"Step {i} of {len(frames)}" for i in range(1, len(frames) + 1)]
    prefix = "f" if name == "step" else f"{name}-f"
    body = "".join(
        figure(
            f,
            f"{prefix}{i}-",
            palette,
            caption=f.title if f.title.startswith(label) else f"{label}: {f.title}",
        )
        for i, (f, label) in enumerate(zip(frames, said, strict=True))
    )
    words = {"label": for_html(what.capitalize()), "what": for_html(what)}
    controls = _CONTROLS.format(name=name, count=len(frames), **words)
    return f'<section class="stepper" id="{name}">\n{controls}{body}</section>\n'


def _head(title: str, palette: Palette, *, script: bool) -> str:
    """The head: what may run is our script alone, and what may load is nothing."""
    scheme = "dark" if _is_dark(palette.background) else "light"
    colours = {n: getattr(palette, n) for n in ("background", "ink", "soft", "faint", "left")}
    policy = "; ".join(_policy(script=script))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{for_html(title)}</title>\n"
        f"<style>{font_face()}{_STYLE % (colours | {'scheme': scheme})}</style>\n</head>\n"
    )


def _policy(*, script: bool) -> Sequence[str]:
    """Content-Security-Policy: the SVG's own style attributes, pictures in the file, and one known script."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'" if script else "script-src 'none'"
    return (
        "default-src 'none'",
        allowed,
        "style-src 'unsafe-inline'",
        "img-src data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )


def figure(frame: Display, prefix: str, palette: Palette = LIGHT, *, caption: str = "") -> str:
    """A picture in a page, with its description; all its ids begin with the prefix."""
    said = f"<figcaption>{for_html(caption)}</figcaption>\n" if caption else ""
    words = f"<details>\n<summary>Description</summary>\n<p>{for_html(frame.alt_text)}</p>\n</details>\n"
    picture = inline(svg(frame, palette, fonts=False), prefix)
    return f'<figure id="{prefix}frame">\n{picture}\n{said}{words}</figure>\n'


def inline(picture: str, prefix: str) -> str:
    """An SVG file as an element of a page: no header, no notes, and ids that are its own."""
    body = _NOISE.sub("", picture[picture.index("<svg") :]).strip()
    body = _TAG.sub(lambda tag: _REFERENCE.sub(rf"\g<1>{prefix}", tag[0]), body)
    names = f'aria-labelledby="{prefix}title" aria-describedby="{prefix}desc"'
    body = body.replace("<svg ", f"<svg {names} ", 1).replace("<title>", f'<title id="{prefix}title">', 1)
    return body.replace("<desc>", f'<desc id="{prefix}desc">', 1)


def _is_dark(colour: str) -> bool:
    """Is a colour "#rrggbb" darker than middle grey?"""
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) < 3 * 128


__all__ = ["document", "figure", "inline", "page", "stepper"]
