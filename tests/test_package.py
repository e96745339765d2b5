"""The package as a whole: environment, imports, contracts, README."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import treant_viz as tv
from treant_viz.cli.main import make_parser

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"graphviz": "python-graphviz"}


def requirements() -> set[str]:
    """All of pyproject's requirements, but for the extra that names the others."""
    extras = PROJECT["optional-dependencies"]
    found = PROJECT["dependencies"] + [r for name, rs in extras.items() if name != "all" for r in rs]
    return {re.sub(r"^graphviz(?=[>=])", CONDA_NAMES["graphviz"], r) for r in found}


def test_environment_yml_is_in_step_with_pyproject():
    text = (ROOT / "environment.yml").read_text()
    listed = set(re.findall(r"^\s+- ([\w.-]+[>=]=[\w.]+)$", text, flags=re.M))
    assert listed - {"python" + PROJECT["requires-python"]} == requirements()
    assert "python" + PROJECT["requires-python"] in listed


def test_the_dev_container_installs_what_the_readme_installs():
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    main = re.search(r"<!-- main command -->\n```sh\n(.*)\n```", readme)[1]
    install, started = main.split(" && .venv/bin/treant-viz ")
    assert (container["postCreateCommand"], started) == (install, "tour")
    python = re.fullmatch(r"mcr\.microsoft\.com/devcontainers/python:(3\.\d+)", container["image"])[1]
    assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]
    settings = container["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"] == "${containerWorkspaceFolder}/.venv/bin/python"
    [commands] = [a for a in make_parser()._actions if a.dest == "command"]
    assert container["forwardPorts"] == [commands.choices["app"].get_default("port")]


def fresh(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_import_is_quick_and_brings_in_no_optional_package():
    heavy = ("lightgbm", "ipywidgets", "graphviz", "matplotlib")
    code = (
        "import sys, time; t = time.process_time(); import treant_viz; print(time.process_time() - t);"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    seconds, found = min((fresh(code).splitlines() for _ in range(3)), key=lambda lines: float(lines[0]))
    assert float(seconds) < 1.0
    assert found == "[]"


def after_using(names: str) -> str:
    """The optional packages that are loaded once some public names and a trace have been used."""
    heavy = ("lightgbm", "ipywidgets", "graphviz", "matplotlib")
    return fresh(
        f"import sys; import treant_viz as tv; [getattr(tv, n) for n in tv.__all__ if {names}]; "
        "toy = tv.load_toy();"
        "m = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y); m.trace_;"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )


def test_using_the_core_brings_in_no_optional_package():
    assert after_using("not n.endswith('Display') and not n.startswith(('explore_', 'build_'))") == "[]"


def test_pictures_need_matplotlib_alone():
    assert after_using("not n.startswith(('explore_', 'build_'))") == "['matplotlib']"


def test_every_public_name_is_there():
    wanted = ["Rule", "Attacker", "TreantClassifier", "TreantRegressor", "TreantForestClassifier"]
    wanted += [
        "TreantForestRegressor",
        "attack",
        "loss_under_attack",
        "worst_leaves",
        "load_toy",
        "load_wine",
    ]
    wanted += ["load_census", "load_credit", "security_curve"]
    assert not [name for name in wanted if not hasattr(tv, name)]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tv.nothing  # noqa: B018


def test_import_contracts_hold():
    linter = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or shutil.which(
        "lint-imports"
    )
    if linter is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_names_and_files_in_the_readme_exist():
    text = (ROOT / "README.md").read_text()
    paths = set(re.findall(r"`((?:treant_viz|tests|notebooks|figures)/[\w./-]*)`", text))
    assert len(paths) > 8
    assert not [p for p in paths if not (ROOT / p).exists()]
    assert not [n for n in set(re.findall(r"\btv\.(\w+)", text)) if not hasattr(tv, n)]


def test_the_readmes_example_runs(tmp_path, monkeypatch):
    """Every Python block of the README, in order; the forest made small."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)
    assert len(blocks) >= 2
    space: dict = {}
    for block in blocks:
        exec(
            block.replace("n_jobs=2", "n_jobs=1, n_estimators=2").replace("Classifier(50", "Classifier(5"),
            space,
        )
    assert (tmp_path / "forest.json").exists()


def test_the_product_speaks_of_itself_alone():
    """No path of a developer's machine, no registry host."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    hosts = re.compile(r"/" + r"root/|/work/" + r"main|pypi\." + r"org|files\.python" + r"hosted", re.I)
    wrong = []
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in {".xz", ".png", ".pdf"} or not path.exists():
            continue
        if hosts.search(path.read_text(encoding="utf-8", errors="ignore")):
            wrong.append(name)
    assert wrong == []


def test_files_in_the_working_folder_do_not_run_in_place_of_pythons_own(tmp_path):
    for name in ("html", "json", "argparse", "string", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the user’s file was run')", "utf-8")
    for command in (["toy"], ["app", "--help"]):
        words = [sys.executable, "-m", "treant_viz", *command]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and "was run" not in done.stdout + done.stderr


def test_the_package_runs_like_the_command():
    words = [[sys.executable, "-m", name, "--version"] for name in ("treant_viz", "treant_viz.cli.main")]
    said = [subprocess.run(w, capture_output=True, text=True, check=True).stdout for w in words]
    assert said == [f"treant-viz {tv.__version__}\n"] * 2
    wrong = subprocess.run([sys.executable, "-m", "treant_viz", "dance"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("usage: treant-viz")
