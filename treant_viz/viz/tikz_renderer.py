"""matplotlib's drawing orders as TikZ commands, in points, with two decimals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox, Transform

from treant_viz.viz.tikz_path import coordinate, short, tikz_hatch, tikz_path
from treant_viz.viz.tikz_text import tex_text

MOST_CELLS = 20_000  # of an image


class TikzRenderer(RendererBase):
    """Collects TikZ commands. `aligned` says how each text is aligned, by the identity of its font properties."""

    def __init__(self, width: float, height: float, aligned: Mapping[int, str]) -> None:
        super().__init__()
        self.width, self.height, self.aligned = width, height, aligned
        self._lines: list[str] = []
        self._colours: dict[str, str] = {}
        self._hatches: dict[tuple[str, str], tuple[str, str]] = {}
        self._clip = ""

    # what the document is made of

    def finish(self) -> str:
        """All commands so far."""
        self._within("")
        return "".join(f"{line}\n" for line in self._lines)

    def definitions(self) -> str:
        """The colours and hatches that the commands name."""
        colours = (f"\\definecolor{{{name}}}{{HTML}}{{{code}}}\n" for code, name in self._colours.items())
        return "".join([*colours, *(code for _, code in self._hatches.values())])

    def _colour(self, rgb: Any) -> str:
        code = "".join(f"{round(float(v) * 255):02X}" for v in rgb[:3])
        return self._colours.setdefault(code, f"c{len(self._colours)}")

    def _within(self, clip: str) -> None:
        """Close and open scopes, so that what follows is clipped as it should be."""
        if clip == self._clip:
            return
        if self._clip:
            self._lines.append("\\end{scope}")
        if clip:
            self._lines.append(f"\\begin{{scope}}\n{clip}")
        self._clip = clip

    def _add(self, gc: GraphicsContextBase, line: str) -> None:
        self._within(_clips(gc))
        self._lines.append(line)

    # what matplotlib asks for

    def draw_path(self, gc: GraphicsContextBase, path: Path, transform: Transform, rgbFace: Any = None) -> None:
        room = 20.0 + gc.get_linewidth()
        frame = None if rgbFace is not None else (-room, -room, self.width + room, self.height + room)
        shape, look = tikz_path(path, transform, frame), [*self._fill(gc, rgbFace), *self._stroke(gc)]
        if shape and look:
            self._add(gc, f"\\path[{','.join(look)}]{shape};")

    def _fill(self, gc: GraphicsContextBase, face: Any) -> Iterator[str]:
        filled = face is not None and _alpha(gc, face) > 0
        paint = f"fill={self._colour(face)}" if filled else ""
        opacity = f"fill opacity={short(_alpha(gc, face))}" if filled and _alpha(gc, face) < 1 else ""
        if gc.get_hatch():
            if filled:
                yield f"preaction={{{','.join(filter(None, (paint, opacity)))}}}"
            yield f"pattern={self._hatch(gc)},pattern color={self._colour(gc.get_hatch_color())}"
        elif filled:
            yield from filter(None, (paint, opacity))

    def _stroke(self, gc: GraphicsContextBase) -> Iterator[str]:
        alpha = _alpha(gc, gc.get_rgb())
        if gc.get_linewidth() <= 0 or alpha <= 0:
            return
        yield f"draw={self._colour(gc.get_rgb())}"
        yield f"line width={short(gc.get_linewidth())}pt"
        if alpha < 1:
            yield f"draw opacity={short(alpha)}"
        if gc.get_capstyle() != "butt":
            yield f"line cap={ {'round': 'round', 'projecting': 'rect'}[gc.get_capstyle()] }"
        if gc.get_joinstyle() != "miter":
            yield f"line join={gc.get_joinstyle()}"
        yield from _dashes(*gc.get_dashes())

    def _hatch(self, gc: GraphicsContextBase) -> str:
        """The name of a hatch; the first use defines it."""
        key = (str(gc.get_hatch()), short(gc.get_hatch_linewidth()))
        if key not in self._hatches:
            name = f"h{len(self._hatches)}"
            self._hatches[key] = (name, tikz_hatch(name, key[0], gc.get_hatch_path(), key[1]))
        return self._hatches[key][0]

    def draw_text(
        self, gc: GraphicsContextBase, x: float, y: float, s: str, prop: Any, angle: float,
        ismath: Any = False, mtext: Any = None,
    ) -> None:  # fmt: skip
        if ismath:  # matplotlib's own mathematics, as outlines: no word of it is read by TeX
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
        elif s.strip():
            self._add(gc, self._node(gc, x, y, s, prop, angle))

    def _node(self, gc: GraphicsContextBase, x: float, y: float, s: str, prop: Any, angle: float) -> str:
        align = self.aligned.get(id(prop), "left")
        share, anchor = {"left": (0.0, "base west"), "center": (0.5, "base"), "right": (1.0, "base east")}[align]
        along = share * self.get_text_width_height_descent(s, prop, False)[0]
        turn = math.radians(angle)
        place = coordinate(x + along * math.cos(turn), y + along * math.sin(turn))
        alpha = _alpha(gc, gc.get_rgb())
        look = [f"words={{{_font(prop)}}}", f"anchor={anchor}", f"text={self._colour(gc.get_rgb())}"]
        look += [f"rotate={short(angle)}"] * bool(angle) + [f"opacity={short(alpha)}"] * (alpha < 1)
        return f"\\node[{','.join(look)}]at{place}{{{tex_text(s)}}};"

    def draw_image(self, gc: GraphicsContextBase, x: float, y: float, im: Any, transform: Any = None) -> None:
        cells = list(_cells(np.asarray(im)))
        if len(cells) > MOST_CELLS:
            raise ValueError(
                f"figure: an image of more than {MOST_CELLS} cells of one colour cannot be written as TeX; save it as "
                "pdf, or draw it with fewer cells"
            )
        scale = (1.0, 1.0) if transform is None else (1.0 / im.shape[1], 1.0 / im.shape[0])
        move = Affine2D().scale(*scale) + (transform or Affine2D()) + Affine2D().translate(x, y)
        for box, rgba in cells:
            if rgba[3] > 0:
                opacity = f",fill opacity={short(rgba[3])}" if rgba[3] < 1 else ""
                shape = tikz_path(Path.unit_rectangle(), Affine2D(_unit_to(box)) + move)
                self._add(gc, f"\\path[fill={self._colour(rgba)}{opacity}]{shape};")

    def flipy(self) -> bool:
        return False

    def option_scale_image(self) -> bool:
        return True

    def option_image_nocomposite(self) -> bool:
        return True

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.width, self.height


def _alpha(gc: GraphicsContextBase, rgb: Any) -> float:
    if gc.get_forced_alpha():
        return float(gc.get_alpha())
    return float(rgb[3]) if len(rgb) > 3 else 1.0


def _dashes(offset: float | None, pattern: Any) -> Iterator[str]:
    if pattern is not None and len(pattern):
        on_off = "".join(f"{'off' if i % 2 else 'on'} {short(d)}pt " for i, d in enumerate(pattern))
        yield f"dash pattern={on_off.strip()}"
        if offset:
            yield f"dash phase={short(offset)}pt"


def _clips(gc: GraphicsContextBase) -> str:
    """The clip commands of a graphics context."""
    out, box = [], gc.get_clip_rectangle()
    if box is not None:
        out.append(f"\\clip {coordinate(box.x0, box.y0)} rectangle {coordinate(box.x1, box.y1)};")
    clip: Any = gc.get_clip_path()
    path, transform = clip
    if path is not None:
        out.append(f"\\clip {tikz_path(path, transform)};")
    return "\n".join(out)


def _font(prop: Any) -> str:
    """Size, weight, slant and family of a text."""
    size, weight = prop.get_size_in_points(), prop.get_weight()
    heavy = weight >= 600 if isinstance(weight, (int, float)) else weight in ("bold", "semibold", "heavy", "black")
    extras = ["\\ttfamily"] * ("monospace" in prop.get_family()) + ["\\bfseries"] * heavy
    extras += ["\\itshape"] * (prop.get_style() in ("italic", "oblique"))
    return f"\\fontsize{{{short(size)}}}{{{short(1.2 * size)}}}\\selectfont{''.join(extras)}"


def _cells(image: np.ndarray) -> Iterator[tuple[Bbox, Any]]:
    """Rectangles of one colour: equal rows are taken together, and equal cells of a row."""
    rows = _runs(image.reshape(len(image), -1))
    for top, bottom in rows:
        for left, right in _runs(image[top]):
            yield Bbox([[left, top], [right, bottom]]), image[top, left] / 255.0


def _runs(rows: np.ndarray) -> list[tuple[int, int]]:
    """Where equal neighbours start and end."""
    new = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1
    ends = [0, *new.tolist(), len(rows)]
    return list(pairwise(ends))


def _unit_to(box: Bbox) -> np.ndarray:
    return np.array([[box.width, 0.0, box.x0], [0.0, box.height, box.y0], [0.0, 0.0, 1.0]])


__all__ = ["TikzRenderer"]
