"""The picture that moves by itself: what it says in each scene, and when it says so."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.experiments.toy import moving_split
from treant_viz.trace.what_if import split_states
from treant_viz.viz.ternary_partition.animation import GLIDE, SCENE, animated, keyframes, scenes_of

SVG = "{http://www.w3.org/2000/svg}"
TOY = tv.load_toy()


def states(X=TOY.X, y=TOY.y, attacker=TOY.attacker, feature="p"):
    return split_states(X, y, attacker, "sse", feature)


def worst(y_l, y_r, sides, y):
    """The loss of two leaves when the attacker sends each unknown row where it loses more."""
    sent = {"L": lambda e: (e - y_l) ** 2, "R": lambda e: (e - y_r) ** 2}
    sent["U"] = lambda e: max(sent["L"](e), sent["R"](e))
    return sum(sent[s](e) for s, e in zip(sides, y, strict=True))


def least(sides, y):
    """The least loss of any two leaves: closer and closer looks, which is safe as the loss is convex."""
    (a, b), far, best = (0.0, 0.0), 4.0, np.inf
    for _ in range(30):
        around = np.linspace(-far, far, 9)
        best, a, b = min((worst(a + s, b + t, sides, y), a + s, b + t) for s in around for t in around)
        far *= 0.6
    return best


def test_sides_are_those_of_values_that_may_move_by_one_and_losses_the_least_there_are():
    values, y = TOY.X["p"].to_numpy(), TOY.y
    for scene in scenes_of(states(), 1.0):
        v = scene.threshold
        by_hand = "".join("L" if p + 1 <= v else "R" if p - 1 > v else "U" for p in values)
        assert scene.sides == by_hand
        assert scene.loss_under_attack == pytest.approx(least(scene.sides, y), rel=1e-4)
        assert scene.loss <= scene.loss_under_attack


def test_the_file_says_in_each_scene_what_holds_there():
    root = ET.fromstring(moving_split())
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class", "").startswith("scene")]
    scenes = scenes_of(states(), 1.0)
    assert len(groups) == len(scenes) > 5
    for group, scene in zip(groups, scenes, strict=True):
        facts = {t.get("data-fact"): float(t.get("data-value")) for t in group if t.get("data-fact")}
        assert facts == {
            "threshold": scene.threshold,
            "loss": scene.loss,
            "loss_under_attack": scene.loss_under_attack,
        }
        words = " ".join(group.itertext())
        unknown = scene.sides.count("U")
        assert (f"decides for {unknown} of 7 rows" if unknown else "decides for no row") in words
        assert f"p ≤ {scene.threshold:g}".replace("-", "−") in words


def test_a_scene_is_seen_in_its_own_time_and_only_the_line_moves_between():
    text, n = moving_split(), len(scenes_of(states(), 1.0))
    shown = re.findall(r"@keyframes (k\d+)\{((?:[^{}]*\{opacity:[01]\})+)\}", text)
    assert len(shown) == n
    for i, (_, frames) in enumerate(shown):
        held = re.findall(r"([\d.]+)%,([\d.]+)%\{opacity:1\}", frames)
        (when,) = [tuple(map(float, pair)) for pair in held]
        assert when == pytest.approx((100 * i / n, 100 * (i + 1 - GLIDE) / n), rel=1e-3)
    assert f"animation:{SCENE * n:g}s" in text
    assert (
        "@media not (prefers-reduced-motion:reduce)" in text and "@media(prefers-color-scheme:dark)" in text
    )


def test_without_movement_the_best_test_under_attack_is_shown():
    text = moving_split()
    still = text[: text.index("@keyframes")]
    scenes = scenes_of(states(), 1.0)
    least = min(range(len(scenes)), key=lambda i: (scenes[i].loss_under_attack, scenes[i].loss))
    assert scenes[least].threshold == 1.0
    opacity = dict(re.findall(r"\.s(\d+)\{opacity:([01])\}", still))
    assert [int(i) for i, seen in opacity.items() if seen == "1"] == [least]


def test_the_line_goes_through_its_thresholds_from_left_to_right():
    where = [float(v) for v in re.findall(r"translateX\(([\d.]+)px\)", keyframes_of(".line"))][:-1]
    assert all(a <= b for a, b in pairwise(where)) and where[0] < where[-1]


def keyframes_of(who: str) -> str:
    text = moving_split()
    name = re.search(rf"{re.escape(who)}{{animation-name:(k\d+)}}", text)[1]
    return re.search(rf"@keyframes {name}{{(.*?}})}}", text)[1]


def test_names_are_escaped_and_the_same_picture_gives_the_same_bytes():
    X = TOY.X.rename(columns={"p": '<b>&"p'})
    A = tv.Attacker([tv.Rule('<b>&"p', 1, delta=(-1, 1))], 1)
    names = [f"<i>{r}" for r in range(7)]
    text = animated(states(X, TOY.y, A, '<b>&"p'), 1.0, names)
    assert "<i>" not in text and "<b>" not in text
    assert '<b>&"p ≤ 1' in " ".join(ET.fromstring(text).itertext())
    assert text == animated(states(X, TOY.y, A, '<b>&"p'), 1.0, names)


def test_only_few_rows_and_numbers_have_lanes():
    X = pd.DataFrame({"a": np.arange(8.0), "c": list("uvwxuvwx")})
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1)), tv.Rule("c", 1, becomes="u")], 1)
    y = np.arange(8.0)
    for rows, feature in ((slice(0, 8), "a"), (slice(0, 4), "c")):
        with pytest.raises(ValueError, match="at most 7 rows"):
            animated(states(X[rows], y[rows], A, feature), 1.0, list("abcdefgh"))


def test_keyframes_hold_and_glide():
    assert keyframes("k", "x", ["1"]) == "@keyframes k{0%,80%{x:1}100%{x:1}}"
