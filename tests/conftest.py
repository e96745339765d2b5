"""Hypothesis profiles: "ci" (the default) and "thorough" (`pytest --hypothesis-profile=thorough`).

With TREANT_VIZ_TOOLS=required in the environment, as `.ci/run` has it, a test that was skipped for want of a browser or
of Graphviz fails the run.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

_calm = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("ci", max_examples=500, deadline=None, derandomize=True, suppress_health_check=_calm)
settings.register_profile("thorough", max_examples=10_000, deadline=None, suppress_health_check=_calm)
settings.load_profile("ci")

TOOLS = ("chromium", "playwright", "dot (Graphviz)", "graphviz")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("TREANT_VIZ_TOOLS") != "required" or reporter is None:
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    if wanting := [r for r in reasons if any(tool in r for tool in TOOLS)]:
        reporter.write_line(f"skipped for want of a tool that is required here: {wanting[0]}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
