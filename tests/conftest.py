"""What all tests share: hypothesis profiles, the data, and what TREANT makes of them.

There are three profiles: "ci" (the default), "thorough" (`pytest --hypothesis-profile=thorough`) and "quick",
which `.ci/run` uses on other Pythons. Data and traces are made once a session: take copies, change nothing.

With TREANT_VIZ_TOOLS=required in the environment, as `.ci/run` has it, a test that was skipped for want of a
browser, of Graphviz or of node fails the run.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

import treant_viz as tv

_calm = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile(
    "ci", max_examples=500, deadline=None, derandomize=True, suppress_health_check=_calm
)
settings.register_profile(
    "quick", max_examples=60, deadline=None, derandomize=True, suppress_health_check=_calm
)
settings.register_profile("thorough", max_examples=10_000, deadline=None, suppress_health_check=_calm)
settings.load_profile("ci")

TOOLS = ("chromium", "playwright", "dot (Graphviz)", "graphviz", "node", "npm", "axe")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("TREANT_VIZ_TOOLS") != "required" or reporter is None:
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    if wanting := [r for r in reasons if any(tool in r for tool in TOOLS)]:
        reporter.write_line(f"skipped for want of a tool that is required here: {wanting[0]}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def toy():
    """The paper's seven instances and their attacker."""
    return tv.load_toy()


@pytest.fixture(scope="session")
def toy_model(toy):
    """The tree that TREANT grows on the toy, to the end."""
    return tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)


@pytest.fixture(scope="session")
def toy_trace(toy_model):
    return toy_model.trace_


@pytest.fixture(scope="session")
def wine_trace():
    """Numbers, and rules with preconditions: three levels on a thousand wines."""
    return _three_levels(tv.load_wine())


@pytest.fixture(scope="session")
def census_trace():
    """Text and numbers: three levels on a thousand rows of the census."""
    return _three_levels(tv.load_census())


def _three_levels(data):
    X, y = data.X_train[:1000], data.y_train[:1000]
    return tv.TreantClassifier(data.attacker, max_depth=3).fit(X, y).trace_
