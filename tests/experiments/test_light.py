"""Stored results are read, judged and drawn without a learner: scikit-learn, LightGBM or our own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LEARNERS = (
    "sklearn",
    "lightgbm",
    "joblib",
    "treant_viz.attacks",
    "treant_viz.baselines",
    "treant_viz.core.algorithms",
    "treant_viz.core.solvers",
    "treant_viz.ensembles",
    "treant_viz.estimators",
    "treant_viz.experiments.jobs",
    "treant_viz.experiments.methods",
)

ONE_OF_EACH = """
import treant_viz as tv
from treant_viz.experiments.report import figures as f
results = tv.load_results()
for n, made in enumerate((f.heat_map(results, "ab"), f.impact_figure(results), f.max_test_figure(results))):
    made.save(f"{n}.svg")
"""


def loaded(code: str, folder: Path) -> str:
    """Which learners are loaded once the code has run in a fresh interpreter."""
    ask = f"import sys; print([m for m in {LEARNERS!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ask}"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def test_stored_results_are_read_without_a_learner(tmp_path):
    assert loaded("import treant_viz as tv; tv.load_results().means", tmp_path) == "[]"


def test_figures_are_drawn_from_stored_results_without_a_learner(tmp_path):
    made = ["cells", "table", "audit"]
    code = f"from treant_viz.cli.main import main; assert main(['figures', '--only', *{made!r}]) == 0\n"
    code += ONE_OF_EACH
    assert loaded(code, tmp_path) == "[]"
    assert (tmp_path / "figures" / "AUDIT.md").is_file()


def test_the_check_would_see_a_learner(tmp_path):
    assert "treant_viz.estimators" in loaded("import treant_viz.estimators.trees", tmp_path)
