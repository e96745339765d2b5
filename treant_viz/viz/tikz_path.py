"""Paths and hatches in the words of TikZ: points, two decimals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox

FARTHEST = 8000.0  # points; TeX knows no length above 16384
TILE = 72.0  # points: the side of a hatch's tile


def short(x: float) -> str:
    """A number with two decimals at most.

    >>> short(1.0), short(-0.004), short(0.256), short(1e9)
    ('1', '0', '0.26', '8000')
    """
    text = f"{min(max(float(x), -FARTHEST), FARTHEST):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def coordinate(x: float, y: float) -> str:
    return f"({short(x)},{short(y)})"


def tikz_path(path: Path, transform: Any, clip: tuple[float, float, float, float] | None = None) -> str:
    """A path in TikZ's words; quadratic curves become cubic ones."""
    out, here = [], (0.0, 0.0)
    for p, code in path.iter_segments(transform, clip=clip, curves=True):
        if code == Path.CLOSEPOLY:
            out.append("--cycle")
            continue
        end = (float(p[-2]), float(p[-1]))
        out.append(_piece(code, here, [float(v) for v in p], end))
        here = end
    return "".join(out)


def _piece(code: Any, here: tuple[float, float], p: list[float], end: tuple[float, float]) -> str:
    if code == Path.MOVETO:
        return coordinate(*end)
    if code == Path.LINETO:
        return f"--{coordinate(*end)}"
    if code == Path.CURVE3:
        first = tuple(a + 2 / 3 * (c - a) for a, c in zip(here, p[:2], strict=True))
        second = tuple(b + 2 / 3 * (c - b) for b, c in zip(end, p[:2], strict=True))
        p = [*first, *second]
    return f"..controls{coordinate(*p[:2])}and{coordinate(*p[2:4])}..{coordinate(*end)}"


def tikz_hatch(name: str, hatch: str, path: Path, width: str) -> str:
    """A hatch as a pattern: lines are stroked, closed shapes filled too, and curved ones are circles.

    The tile is one period of the hatch only: patterns of many shapes take TeX very long.
    """
    counts = [hatch.count(c) for c in set(hatch)]
    side = TILE / (3 * math.gcd(*counts))
    corner, frame = f"\\pgfpoint{{{short(side)}pt}}{{{short(side)}pt}}", Bbox([[-1.0, -1.0], [side + 1.0, side + 1.0]])
    shapes = (part.transformed(Affine2D().scale(TILE)) for part in _parts(path))
    closed = bool((np.asarray(path.codes) == Path.CLOSEPOLY).any())
    use = f"\\pgfusepath{{{'fill,stroke' if closed else 'stroke'}}}%\n"
    body = "".join(_pgf(part) + use for part in shapes if part.intersects_bbox(frame, filled=True))
    return (
        f"\\pgfdeclarepatternformonly{{{name}}}{{\\pgfpointorigin}}{{{corner}}}{{{corner}}}{{%\n"
        f"\\pgfsetlinewidth{{{width}pt}}%\n{body}}}\n"
    )


def _parts(path: Path) -> Iterator[Path]:
    """The pieces of a path that are drawn without lifting the pen."""
    vertices: Any = path.vertices
    codes: Any = path.codes if path.codes is not None else np.array([Path.MOVETO] + [Path.LINETO] * (len(path) - 1))
    starts = [*np.flatnonzero(codes == Path.MOVETO).tolist(), len(codes)]
    for a, b in pairwise(starts):
        yield Path(vertices[a:b], codes[a:b])


def _pgf(part: Path) -> str:
    """A piece of a hatch in the words that patterns understand."""
    codes, vertices = np.asarray(part.codes), np.asarray(part.vertices)
    if (codes == Path.CURVE4).any():
        box = part.get_extents()
        middle = _pgf_point((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
        return f"\\pgfpathcircle{middle}{{{short(box.width / 2)}pt}}"
    go = {int(Path.MOVETO): "\\pgfpathmoveto", int(Path.LINETO): "\\pgfpathlineto"}
    drawn = [(code, at) for code, at in zip(codes.tolist(), vertices.tolist(), strict=True) if code in go]
    return "".join(f"{go[code]}{_pgf_point(*at)}" for code, at in drawn)


def _pgf_point(x: float, y: float) -> str:
    return f"{{\\pgfpoint{{{short(x)}pt}}{{{short(y)}pt}}}}"


__all__ = ["coordinate", "short", "tikz_hatch", "tikz_path"]
