"""What tests of the command share: how to run it, tables and rules, measurements that take no time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.bench import run as bench


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with the toy as a CSV file, a table with text, and rules for each."""
    monkeypatch.chdir(tmp_path)
    data = tv.load_toy()
    data.X.assign(y=data.y).to_csv("toy.csv", index=False)
    data.attacker.to_json("toy.json")
    rng = np.random.default_rng(0)
    size, kind = rng.integers(0, 30, 200), rng.choice(["a", "b", "c"], 200)
    bad = np.where((size > 12) ^ (kind == "a"), "bad", "good")
    pd.DataFrame({"size": size, "kind": kind, "verdict": bad}).to_csv("mixed.csv", index=False)
    rules = [tv.Rule("size", 1, pre=(5, 20), delta=(-1, 1)), tv.Rule("kind", 2, pre={"a"}, becomes="b")]
    tv.Attacker(rules, 2).to_json("mixed.json")
    return tmp_path


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bench.Plan]]:
    """Two made-up results in place of measurements, one bound kept and one missed; and what was asked for."""
    asked: list[tuple[list[str], bench.Plan]] = []

    def run(names: list[str], plan: bench.Plan) -> list[bench.Result]:
        asked.append((list(names), plan))
        return [
            bench.Result("tree", "quick", 2.0, "x", "<=", 6),
            bench.Result("jobs", "slow", 1.2, "x", ">=", 1.7),
        ]

    monkeypatch.setattr(bench, "run", run)
    return asked
