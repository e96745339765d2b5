"""Test files run against one mutant, in a forked process and in a copy of the working tree."""

from __future__ import annotations

import compileall
import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutants import Mutant

ROOT = Path(__file__).parents[1]
LIMIT = "the limit of time"
IMPORTS = (
    "numpy",
    "pandas",
    "matplotlib.pyplot",
    "joblib",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.ensemble",
    "sklearn.model_selection",
    "sklearn.utils.estimator_checks",
    "hypothesis.extra.numpy",
    "lightgbm",
    "dask",
)
GIGABYTE = 2**30


class FirstFailure:
    """A plugin for pytest that remembers the first test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid

    pytest_collectreport = pytest_runtest_logreport


def first_failure(file: str) -> str:
    """The first test of a file that fails, or nothing."""
    plain = ["-o", "addopts=--doctest-modules", "-x", "-q", "--tb=no", "--hypothesis-profile=mutants"]
    seen = FirstFailure()
    code = pytest.main([*plain, "-p", "no:cacheprovider", "-p", "no:xdist", file], plugins=[seen])
    return (
        ""
        if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        else seen.name or f"{file}: {code}"
    )


def run_files(tree: Path, files: Sequence[str], limits: Mapping[str, float], report: Path) -> NoReturn:
    """In a forked process: test files in turn, up to the first failure or to the limit of time."""
    outcome: dict[str, Any] = {"by": "", "seconds": {}}
    with contextlib.suppress(BaseException):
        enter(tree)
        for file in files:
            begun, limit = time.process_time(), limits.get(file, 900.0)
            signal.setitimer(
                signal.ITIMER_PROF, limit
            )  # of computing; the next one ends those that wait for ever
            signal.setitimer(signal.ITIMER_REAL, 5 * limit)
            outcome["by"] = "a crash"
            outcome["by"] = first_failure(file)
            outcome["seconds"][file] = time.process_time() - begun
            if outcome["by"]:
                break
        assert str(tree) in importlib.import_module("treant_viz").__file__
    report.write_text(json.dumps(outcome))
    os._exit(0)


def enter(tree: Path) -> None:
    """Make the copied tree the one that is imported, and be silent."""
    os.setpgrp()
    os.chdir(tree)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "treant_viz")]:
        del sys.modules[name]
    sys.path[0], os.environ["PYTHONPATH"] = str(tree), str(tree)
    resource.setrlimit(resource.RLIMIT_AS, (6 * GIGABYTE, 6 * GIGABYTE))
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), number)


class Bench:
    """One copy of the tree, and the process at work in it."""

    def __init__(self, tree: Path) -> None:
        self.tree, self.report = tree / "tree", tree / "report.json"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "node_modules")
        shutil.copytree(ROOT, self.tree, ignore=ignored)
        compileall.compile_dir(self.tree / "treant_viz", quiet=2)
        self.pid, self.mutant, self.begun = 0, None, 0.0

    def start(self, files: Sequence[str], limits: Mapping[str, float], mutant: Mutant | None) -> None:
        self.mutant, self.begun = mutant, time.monotonic()
        self.report.unlink(missing_ok=True)
        if mutant is not None:
            path = self.tree / mutant.path
            shutil.copy2(path, self.report.with_name("original.py"))
            path.write_text(mutant.source, encoding="utf-8")
        self.pid = os.fork()
        if not self.pid:
            run_files(self.tree, files, limits, self.report)

    def finish(self) -> dict[str, Any]:
        """The outcome, once the process has ended; the tree is as it was."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # what the tests left behind
        if self.mutant is not None:
            shutil.copy2(self.report.with_name("original.py"), self.tree / self.mutant.path)
        self.pid = 0
        if not self.report.exists():
            return {"by": LIMIT, "seconds": {}}
        return json.loads(self.report.read_text())


def preload() -> None:
    """What takes long to import is imported before any fork; nothing of the package is."""
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    sys.dont_write_bytecode = True
    for name in IMPORTS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile(
        "mutants",
        max_examples=500,
        deadline=None,
        derandomize=True,
        phases=phases,
        suppress_health_check=checks,
    )
