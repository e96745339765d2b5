"""Files as they come out of accidents: bytes flipped, ends cut off, entries lost, doubled, swapped, or
replaced.

Everything is drawn from the random generator that is given: the same seed, the same file.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from typing import Any

NUMBERS = [
    0, 1, -1, 2, 7, -7, 0.5, -0.5, 1.5, -0.0, 1e-300, 1e300, -1e300, 1e150, 10**6, 2**31, 2**63, -(2**63),
    10**18, 10**400, -(10**400), float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
TEXTS = [
    "", "x", "inf", "-inf", "nan", "l", "rl", "<=", "==", ">=", "\0", "\n", "日本", "x" * 200_000, "<b>", "'",
    '"', "1e999", "(0, np.inf)", "('a', 'b')", "(" * 500, "9" * 5000,
]  # fmt: skip
OTHERS = [None, True, False, [], {}, [[]], [1, 2], {"a": 1}, [None] * 1000]


def nested(levels: int) -> Any:
    box: Any = []
    for i in range(levels):
        box = [box] if i % 2 else {"left": box}
    return box


def anything(rng: random.Random) -> Any:
    kind = rng.random()
    if kind < 0.05:
        return nested(rng.choice([3, 100, 240, 400]))
    return rng.choice(NUMBERS if kind < 0.5 else TEXTS if kind < 0.75 else OTHERS)


# JSON


def place(doc: Any, rng: random.Random) -> tuple[Any, Any]:
    """A container somewhere in the document, and a key or an index of it."""
    box = doc
    while True:
        keys = list(box) if isinstance(box, dict) else list(range(len(box)))
        key = rng.choice(keys)
        inside = box[key]
        if not isinstance(inside, (dict, list)) or not inside or rng.random() < 0.15:
            return box, key
        box = inside


def lost(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    del box[key]


def doubled(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    if isinstance(box, list):
        box.insert(key, box[key])
    else:
        box[f"{key}{rng.choice(['', '_', ' '])}2"] = box[key]


def replaced(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    box[key] = anything(rng)


def swapped(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    other = rng.choice(list(box)) if isinstance(box, dict) else rng.randrange(len(box))
    box[key], box[other] = box[other], box[key]


def copied(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    """Something that stands elsewhere in the document."""
    other, where = place(doc, rng)
    box[key] = json.loads(json.dumps(other[where]))


def nudged(box: Any, key: Any, doc: Any, rng: random.Random) -> None:
    """Another value of the same kind."""
    v = box[key]
    if isinstance(v, bool):
        box[key] = not v
    elif isinstance(v, (int, float)) and abs(v) < 1e200:
        box[key] = rng.choice([v + 1, v - 1, -v, v * 2, v / 3, v * 1e12, int(v), float(v), str(v)])
    elif isinstance(v, str):
        box[key] = rng.choice([v + "x", v[1:], v.upper(), v * 3, "l" + v])
    elif isinstance(v, list):
        box[key] = rng.choice([v[1:], v[:-1], v[::-1], v + v, [v]])
    else:
        box[key] = None if v is not None else {}


ACCIDENTS: list[Callable[[Any, Any, Any, random.Random], None]] = [
    lost,
    doubled,
    replaced,
    swapped,
    copied,
    nudged,
]


def damaged_json(text: str, rng: random.Random, seal: Callable[[Any], Any]) -> bytes:
    """One to three accidents to the structure; most files are sealed again: no checksum gives them away."""
    doc = json.loads(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not isinstance(doc, (dict, list)) or not doc:
            break
        rng.choice([*ACCIDENTS, nudged, replaced])(*place(doc, rng), doc, rng)
    if rng.random() < 0.9:
        doc = seal(doc)
    out = json.dumps(doc, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.05:
        out = twice_named(out, rng)
    return out.encode("utf-8", "surrogatepass")


def twice_named(text: str, rng: random.Random) -> str:
    """An entry that appears twice in its object."""
    names = list(re.finditer(r'"(\w+)": ', text))
    if not names:
        return text
    name = rng.choice(names)
    return f"{text[: name.start()]}{name[0]}{json.dumps(rng.choice([None, 1, 'x']))}, {text[name.start() :]}"


# Tables


def damaged_table(text: str, rng: random.Random) -> bytes:
    """Fields, rows and columns lost, doubled or replaced."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    for _ in range(rng.choice([1, 1, 2, 3])):
        if not rows:
            break
        i = rng.randrange(len(rows)) if rng.random() < 0.9 else 0
        j = rng.randrange(max(1, len(rows[i])))
        how = rng.randrange(7)
        if how == 0:
            del rows[i]
        elif how == 1:
            rows.insert(i, list(rows[i]))
        elif how == 2:
            del rows[i][j : j + 1]
        elif how == 3:
            rows[i].insert(j, str(anything(rng))[:300_000])
        elif how == 4 and rows[i]:
            k = rng.randrange(len(rows[i]))
            rows[i][j], rows[i][k] = rows[i][k], rows[i][j]
        elif rows[i]:
            value = rng.choice([*NUMBERS, *TEXTS, None, "True", "1_0", "0x10", " 1", "NA"])
            rows[i][j] = "" if value is None else str(value)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8")


# Bytes


def damaged_bytes(content: bytes, rng: random.Random) -> bytes:
    """What disks and transfers do."""
    i, j = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    how = rng.randrange(8)
    if how < 3:
        out = bytearray(content)
        for _ in range(rng.choice([1, 1, 2, 10])):
            out[rng.randrange(len(out))] = (
                rng.randrange(256) if how else rng.choice(b'0123456789.-eE"[]{},: \n')
            )
        return bytes(out)
    return [
        content[:i],
        content[:i] + content[j:],
        content[:j] + content[i:],
        content[:i] + rng.randbytes(9) + content[i:],
        rng.choice(
            [b"", b"\xef\xbb\xbf" + content, content.decode().encode("utf-16"), content * 2, content + b"\0"]
        ),
    ][how - 3]
