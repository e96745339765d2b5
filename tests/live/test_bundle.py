"""The drawing code: its own tests pass, and the committed bundle is what its sources make."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import treant_viz.live

SRC = Path(treant_viz.live.__file__).parent / "src"
BUNDLE = SRC.parent / "bundle.js"
LARGEST = 200_000  # bytes


def node(*args: str) -> None:
    if shutil.which("node") is None or not SRC.is_dir():
        pytest.skip("node, or the sources of the bundle, are not here")
    done = subprocess.run(["node", *args], cwd=SRC, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def packages():
    if not (SRC / "node_modules" / "esbuild").is_dir():
        pytest.skip("the packages of the bundle are not installed: npm ci in treant_viz/live/src")


def test_the_bundle_is_small():
    assert BUNDLE.stat().st_size < LARGEST


def test_the_bundle_is_what_its_sources_make(tmp_path, packages):
    node("build.mjs", str(tmp_path / "bundle.js"))
    assert (tmp_path / "bundle.js").read_bytes() == BUNDLE.read_bytes(), "run: node build.mjs"


def test_the_drawing_code_passes_its_own_tests():
    if shutil.which("node") is None:
        pytest.skip("node is not here")
    node("--test", "test/")


def test_the_bundle_asks_for_nothing():
    text = BUNDLE.read_text("utf-8")
    assert not any(word in text for word in ("fetch(", "XMLHttpRequest", "@import", "importScripts", "eval("))


def test_the_lock_file_names_no_registry():
    lock = json.loads((SRC / "package-lock.json").read_text())
    assert "resolved" not in json.dumps(lock)
