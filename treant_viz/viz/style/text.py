"""Words in pictures: numbers as one reads them, and names that users chose, made harmless for every format.

>>> number(3.0), number(17.42857), number(-1.5), number(1234567.8), number(20_000), number(0.00012)
('3', '17.4', '−1.5', '1,234,568', '20,000', '0.00012')
>>> number(4.56e-12), number(float("inf")), value(10.65), value("Divorced")
('4.56·10⁻¹²', '∞', '10.65', 'Divorced')
>>> list(names(["x" * 40 + "_gain_2019", "x" * 40 + "_gain_2020"], 16).values())
['xxxxxxxxx…n_2019', 'xxxxxxxxx…n_2020']
>>> for_html("<b>&'")
'&lt;b&gt;&amp;&#x27;'
"""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from treant_viz.viz.style.typeface import glyphs

LONGEST = 28  # letters of a name in a picture
MINUS = "\N{MINUS SIGN}"
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(x: Any, digits: int = 3) -> str:
    """A number as all pictures and words write it: at least three significant digits, thousands separated,
    never "e+06", a true minus, no zeros at the end. Anything but a number is returned as text.
    """
    if isinstance(x, bool) or (not isinstance(x, (int, float)) and not hasattr(x, "dtype")):
        return str(x)
    v = float(x)
    if not math.isfinite(v):
        return "unknown" if math.isnan(v) else f"{MINUS if v < 0 else ''}∞"
    if v != 0.0 and not 1e-5 <= abs(v) < 1e12:
        return _power(v, digits)
    places = max(0, digits - 1 - _magnitude(v, digits))
    text = f"{v:,.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "0") else text.replace("-", MINUS)


def adding(parts: Sequence[float]) -> tuple[list[str], str]:
    """Numbers and their sum, with as many digits as it takes for them to add up as they are written.

    >>> adding([542.3149, 45.2058]), adding([0.5, 2.56, 0.64])
    ((['542.3', '45.2'], '587.5'), (['0.5', '2.56', '0.64'], '3.7'))
    """
    total = float(sum(parts))
    if not all(map(math.isfinite, parts)):
        return [number(x) for x in parts], number(total)
    first = max(0, 2 - _magnitude(abs(total), 3)) if total else 0
    for places in range(first, first + 5):
        if round(sum(round(x, places) for x in parts), places) == round(total, places):
            break
    return [_plainly(x, places) for x in parts], _plainly(total, places)


def _plainly(x: float, places: int) -> str:
    return number(x, max(1, 1 + places + _magnitude(abs(round(x, places)), 15))) if round(x, places) else "0"


def value(x: Any) -> str:
    """A feature's value or a threshold: six digits, so that no row seems to stand on the wrong side of a
    test.
    """
    return number(x, 6)


def feature_name(feature: Any, longest: int = 24) -> str:
    """A column by its name, or by its place if it has none."""
    return name(feature, longest) if isinstance(feature, str) else f"x[{feature}]"


def node_name(path: str) -> str:
    """What a node is called: by the way to it from the root.

    >>> node_name(""), node_name("r"), node_name("lrl")
    ('the root', 'the right child', 'the node left, right, then left')
    """
    *way, last = ["left" if side == "l" else "right" for side in path] or ["root"]
    if way:
        return f"the node {', '.join(way)}, then {last}"
    return f"the {last} child" if path else "the root"


def predicate(feature: Any, threshold: Any, categorical: bool, longest: int = 24) -> str:
    """A test in words.

    >>> predicate("p", 1.0, False), predicate("job", "Sales", True)
    ('p ≤ 1', 'job = Sales')
    """
    sign, what = ("=", name(threshold, longest)) if categorical else ("≤", value(threshold))
    return f"{feature_name(feature, longest)} {sign} {what}"


def _magnitude(v: float, digits: int) -> int:
    """The power of ten of the first digit, after rounding: 2 for 999.6 with two digits is 3."""
    return int(f"{v:.{digits - 1}e}".partition("e")[2])


def _power(v: float, digits: int) -> str:
    """A number too small or too large to be written out, as one writes it by hand."""
    mantissa, _, exponent = f"{v:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".").replace("-", MINUS)
    return f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}"


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(20_000, "row")
    ('1 row', '20,000 rows')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def names(all_names: Iterable[Any], longest: int = LONGEST) -> dict[Any, str]:
    """Names of one picture, short and fit to be drawn: no two different ones look alike.

    What is too long loses what it shares with the others; at worst it gets a number.
    """
    given = list(dict.fromkeys(all_names))
    plain = {n: _plain_name(n) for n in given}
    made = {n: shortened(p, longest) for n, p in plain.items()}
    for alike in _alike(made):
        start = _shared([plain[n] for n in alike])
        made |= {n: _from(plain[n], start, longest) for n in alike}
    taken: set[str] = set()
    for n, text in made.items():
        made[n] = _numbered(text, taken)
        taken.add(made[n])
    return made


def _alike(made: dict[Any, str]) -> list[list[Any]]:
    """Groups of names that look the same."""
    groups: dict[str, list[Any]] = {}
    for n, text in made.items():
        groups.setdefault(text, []).append(n)
    return [group for group in groups.values() if len(group) > 1]


def _shared(texts: list[str]) -> int:
    """How many letters they have in common at the start."""
    least, most = min(texts), max(texts)
    return next((i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))


def _from(text: str, start: int, longest: int) -> str:
    """The head of a name and the part in which it differs from its likes."""
    head = longest // 3
    part = text[start : start + longest - head - 2]
    return f"{text[:head]}…{part}{'…' * (start + len(part) < len(text))}"


def _numbered(text: str, taken: set[str]) -> str:
    i, made = 2, text
    while made in taken:
        made, i = f"{text} ({i})", i + 1
    return made


def shortened(text: str, longest: int = LONGEST) -> str:
    """A long text without its middle: names often differ at the end."""
    if len(text) <= longest:
        return text
    head = longest * 3 // 5
    tail = longest - 1 - head
    return f"{text[:head].rstrip()}…{text[len(text) - tail :].lstrip()}"


def name(text: Any, longest: int = LONGEST) -> str:
    """One name that a user chose, fit to be drawn; use `names` where a picture has several."""
    return shortened(_plain_name(text), longest)


def _plain_name(text: Any) -> str:
    """One line, no control characters, only letters that can be drawn."""
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in str(text))
    return drawable(plain).strip() or repr(str(text))


def drawable(text: str) -> str:
    """The text with a sign in place of every letter that no font of ours can draw; line breaks stay."""
    return "".join(c if c == "\n" or ord(c) in glyphs() else "\N{REPLACEMENT CHARACTER}" for c in text)


def for_html(text: Any) -> str:
    """For text and attributes of HTML and SVG."""
    return html.escape(_plain(text), quote=True)


def for_dot(text: Any) -> str:
    """For a quoted string of DOT: no escape of the user's own is obeyed."""
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


def _plain(text: Any) -> str:
    """No control characters, which no format can hold, but line breaks."""
    return "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else " " for c in str(text))


__all__ = [
    "MINUS", "adding", "counted", "drawable", "feature_name", "for_dot", "for_html", "name", "names",
    "node_name", "number", "predicate", "shortened", "value",
]  # fmt: skip
